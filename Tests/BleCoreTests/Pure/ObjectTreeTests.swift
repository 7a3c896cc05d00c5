import BleCore
import DBus
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ObjectTreeTests {
    private func loaded(_ objects: (ObjectPath, Messages.Interfaces)...) throws -> ObjectTree {
        var tree = ObjectTree()
        _ = try tree.load(try Messages.reply(Messages.objects(objects)), now: 1)
        return tree
    }

    private func full() throws -> ObjectTree {
        try loaded(
            Messages.adapterObject,
            Messages.deviceObject,
            Messages.serviceObject,
            Messages.characteristicObject()
        )
    }

    @Test func `a whole tree is taken over, with what BlueZ only remembers not heard`() throws {
        let tree = try full()
        #expect(tree.adapters[Messages.adapter]?.powered == true)
        let device = try #require(tree.devices[Messages.device])
        #expect(device.advertisement.name == "Belt")
        #expect(device.advertisement.signals == 0)
        #expect(device.attributes.tree().map(\.uuid) == [0x180D])
        #expect(tree.paths[device.address] == [Messages.device])
    }

    @Test func `signals after the snapshot add, change and remove`() throws {
        var tree = try loaded(Messages.adapterObject)
        let (path, content) = Messages.deviceObject
        #expect(try tree.interfacesAdded(try Messages.added(path, content), now: 2).count == 1)
        let change = try Messages.changed(
            path,
            Messages.deviceInterface,
            [("RSSI", .int16(-60)), ("Connected", .bool(true))]
        )
        guard case .deviceChanged(let changed, let parts) = try tree.propertiesChanged(change, now: 3) else {
            Issue.record("no change of the device")
            return
        }
        #expect(changed.path == path && changed.advertisement == tree.devices[path]?.advertisement)
        #expect(parts == [.heard, .connected])
        #expect(tree.devices[path]?.advertisement.rssi == -60)
        #expect(tree.devices[path]?.advertisement.lastHeard == 3)
        let gone = try tree.interfacesRemoved(try Messages.removed(path, Messages.deviceInterface))
        guard case .deviceRemoved(let record) = gone.first, gone.count == 1 else {
            Issue.record("the device was not removed")
            return
        }
        #expect(record.connected)
        #expect(tree.devices.isEmpty && tree.paths.isEmpty)
    }

    @Test func `a snapshot replaces what signals have told before`() throws {
        var tree = try full()
        _ = try tree.load(try Messages.reply(Messages.objects([Messages.adapterObject])), now: 2)
        #expect(tree.devices.isEmpty && tree.paths.isEmpty)
        #expect(tree.adapters.count == 1)
    }

    @Test func `signals of objects that are not known change nothing`() throws {
        var tree = ObjectTree()
        let change = try Messages.changed(Messages.device, Messages.deviceInterface, [("Connected", .bool(true))])
        #expect(try tree.propertiesChanged(change, now: 1) == nil)
        #expect(try tree.interfacesRemoved(try Messages.removed(Messages.device, Messages.deviceInterface)).isEmpty)
        let (path, content) = Messages.characteristicObject()
        #expect(try tree.interfacesAdded(try Messages.added(path, content), now: 1).isEmpty)
    }

    @Test func `a value is told, and an MTU kept`() throws {
        var tree = try full()
        let path = Messages.characteristic
        let message = try Messages.changed(
            path,
            Messages.characteristicInterface,
            [("Value", .bytes([1, 2])), ("MTU", .uint16(99))]
        )
        guard case .characteristic(path, value: [1, 2], notifying: nil) = try tree.propertiesChanged(message, now: 2)
        else {
            Issue.record("no value")
            return
        }
        #expect(tree.devices[Messages.device]?.attributes.mtu == 99)
    }

    @Test func `a name that is only the address is none`() throws {
        var tree = try full()
        let path = Messages.device
        _ = try tree.propertiesChanged(
            try Messages.changed(path, Messages.deviceInterface, [("Name", .string("C0-5A-00-00-00-02"))]),
            now: 2
        )
        #expect(tree.devices[path]?.advertisement.name == nil)
    }

    @Test func `data that BlueZ invalidates is gone, the last signal strength stays`() throws {
        var tree = try full()
        let path = Messages.device
        let data = DBusValue.dictionary(key: "q", value: "v", [.init(.uint16(0x0499), .variant(.bytes([5])))])
        let heard = try Messages.changed(
            path,
            Messages.deviceInterface,
            [("RSSI", .int16(-50)), ("ManufacturerData", data)]
        )
        _ = try tree.propertiesChanged(heard, now: 2)
        #expect(tree.devices[path]?.advertisement.manufacturerData == [0x0499: [5]])
        _ = try tree.propertiesChanged(
            try Messages.changed(path, Messages.deviceInterface, [], gone: ["RSSI", "ManufacturerData"]),
            now: 3
        )
        #expect(tree.devices[path]?.advertisement.manufacturerData == [:])
        #expect(tree.devices[path]?.advertisement.rssi == -50)
        #expect(tree.devices[path]?.advertisement.lastHeard == 2)
    }

    /// Properties with a type that is not BlueZ's, behind one that is.
    private static let wrong: [(String, DBusValue)] = [
        ("RSSI", .string("-60")), ("RSSI", .int32(1)), ("Connected", .string("yes")), ("Connected", .uint32(1)),
        ("ServicesResolved", .int16(1)), ("Name", .bytes([1])), ("Name", .path(Messages.device)),
        ("UUIDs", .string("180d")),
        ("UUIDs", .array(of: "u", [.uint32(1)])), ("ManufacturerData", .strings(["x"])),
        ("ManufacturerData", .properties([("x", .bool(true))])),
        ("ManufacturerData", .dictionary(key: "q", value: "v", [.init(.uint16(1), .variant(.string("x")))])),
        ("ServiceData", .dictionary(key: "s", value: "v", [.init(.string("180d"), .variant(.uint16(1)))])),
        ("ServiceData", .bool(true)), ("TxPower", .double(1)), ("Paired", .variant(.bool(true))),
        ("AddressType", .bool(true)),
    ]

    @Test(arguments: wrong.indices)
    func `a signal with a wrong type leaves the device as it was`(index: Int) throws {
        var tree = try full()
        let path = Messages.device
        let signal = try Messages.changed(
            path,
            Messages.deviceInterface,
            [("Connected", .bool(true)), Self.wrong[index]]
        )
        #expect(throws: DBusFailure.self) { try tree.propertiesChanged(signal, now: 2) }
        #expect(tree.devices[path]?.connected == false)
        #expect(tree.devices[path]?.advertisement.signals == 0)
    }

    @Test func `signals of another shape leave the tree as it was`() throws {
        var tree = try full()
        let shapes: [[DBusValue]] = [
            [], [.string("org.bluez.Device1")], [.uint32(1)], [.string("org.bluez.Device1"), .strings(["Connected"])],
            [.string("org.bluez.Device1"), .properties([("Connected", .bool(true))])],
            [.string("org.bluez.Device1"), .properties([("Connected", .bool(true))]), .bool(true)],
            [.string("org.bluez.Adapter1"), .strings(["Powered"])],
            [.string("org.bluez.GattCharacteristic1"), .bytes([1])],
        ]
        for shape in shapes {
            for path in [Messages.device, Messages.adapter, Messages.characteristic] {
                let message = try DBusMessage.signal(path, BusNames.properties, "PropertiesChanged")
                try message.append { (writer) throws(DBusFailure) in for value in shape { try writer.append(value) } }
                // A path that has no such interface is passed over; anything else says what is wrong.
                let change = try? tree.propertiesChanged(message, now: 2)  // both outcomes are right
                #expect(change == nil)
                #expect(throws: DBusFailure.self) { try tree.interfacesAdded(message, now: 2) }
                #expect(throws: DBusFailure.self) { try tree.interfacesRemoved(message) }
                #expect(throws: DBusFailure.self) { try tree.load(message, now: 2) }
            }
        }
        #expect(tree.devices[Messages.device]?.connected == false)
        #expect(tree.adapters[Messages.adapter]?.powered == true)
        #expect(tree.devices[Messages.device]?.attributes.tree().count == 1)
    }

    @Test func `objects with paths that are not BlueZ's are passed over`() throws {
        var tree = ObjectTree()
        let paths = ["/", "/org/bluez/hci0/dev_XX", "/org/bluez/hci0/dev_C0_5A_00_00_00_02/char000f", "/a/b/c"]
        for path in paths.map(Messages.path) {
            let all = [Messages.adapterInterface, Messages.deviceInterface, Messages.characteristicInterface].map {
                ($0, [] as Messages.Properties)
            }
            #expect(try tree.interfacesAdded(try Messages.added(path, all), now: 1).isEmpty)
        }
        #expect(tree.adapters.isEmpty && tree.devices.isEmpty)
    }

    @Test func `what was taken up before a part that cannot be read is told`() throws {
        var tree = ObjectTree()
        let changes = try tree.interfacesAdded(
            try Messages.added(
                Messages.adapter,
                [
                    (Messages.adapterInterface, []), (Messages.deviceInterface, []),
                    (Messages.adapterInterface, [("Powered", .string("on"))]),
                ]
            ),
            now: 1
        )
        #expect(changes.count == 1)
        #expect(tree.adapters.count == 1)
    }

    @Test func `an attribute whose UUID is none is no attribute`() throws {
        var tree = try full()
        let (path, content) = Messages.characteristicObject("0020", uuid: "not a uuid")
        #expect(try tree.interfacesAdded(try Messages.added(path, content), now: 1).isEmpty)
        #expect(tree.devices[Messages.device]?.attributes.characteristics.count == 1)
    }

    @Test func `a characteristic is found by UUID, by handle, and not when it stands twice`() throws {
        var tree = try full()
        for handle in ["0012", "0015"] {
            let (path, content) = Messages.characteristicObject(handle, uuid: "2a38", flags: ["read"])
            _ = try tree.interfacesAdded(try Messages.added(path, content), now: 1)
        }
        let table = try #require(tree.devices[Messages.device]?.attributes)
        #expect(try table.find(AttributeSelector(service: nil, characteristic: 0x2A37)).handle == 0x0F)
        #expect(try table.find(AttributeSelector(handle: 0x15)).uuid == 0x2A38)
        #expect(try table.find(AttributeSelector(handle: 0x12, characteristic: 0x2A38)).handle == 0x12)
        let twins = #expect(throws: BleFailure.self) {
            try table.find(AttributeSelector(service: 0x180D, characteristic: 0x2A38))
        }
        #expect(twins?.kind == .ambiguousCharacteristic(handles: [0x12, 0x15]))
        let other = #expect(throws: BleFailure.self) {
            try table.find(AttributeSelector(handle: 0x12, characteristic: 0x2A37))
        }
        #expect(other?.kind == .noCharacteristic([0x2A37]))
        let held = #expect(throws: BleFailure.self) {
            try table.find(AttributeSelector(service: 0x1800, characteristic: 0x2A00))
        }
        #expect(held?.kind == .noService([0x1800]))
        #expect(held?.detail.hasPrefix("held by bluetoothd") == true)
        #expect(table.identity(of: try table.find(AttributeSelector(handle: 0x15))).isAmbiguous)
        #expect(!table.identity(of: try table.find(AttributeSelector(handle: 0x0F))).isAmbiguous)
    }
}
