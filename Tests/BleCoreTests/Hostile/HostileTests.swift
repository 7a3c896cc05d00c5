import BleCore
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HostileTests {
    private static let rate = AttributeSelector(service: 0x180D, characteristic: 0x2A37)

    /// The tree of a device with a link, whose services are known.
    private static var tree: DBusValue { Messages.objects(Messages.linkedObjects) }

    @Test func `a tree of the wrong shape is a daemon that does not respond, until it does`() async throws {
        try await withPrivateBus { bus in
            let tree = Self.tree
            let tries = Log<Int>()
            let peer = try await FakeBluez.start(on: bus) { call in
                tries.append(1)
                return tries.all.count > 1 ? try call.answer(tree) : try call.answer(.strings(["no", "tree"]))
            }
            try await withManager(on: bus) { manager in
                let cause = await cause { try await manager.ready(within: .milliseconds(300)) }
                #expect(cause == Cause(.bluetoothUnavailable, .adapter))
                #expect(await manager.state == .notResponding)
                try await manager.ready(within: .seconds(50))
                #expect(peer.calls.all.count { $0 == "GetManagedObjects" } == 2)
            }
        }
    }

    @Test func `a daemon that never tells what it has does not respond`() async throws {
        try await withPrivateBus { bus in
            let peer = try await FakeBluez.start(on: bus) { _ in nil }
            var configuration = BluetoothManager.Configuration.impatient
            configuration.answerLimit = .milliseconds(50)
            try await withManager(on: bus, configuration) { manager in
                let events = await manager.eventSequence()
                _ = try await first(of: events) { if case .state(.notResponding) = $0 { true } else { false } }
                let cause = await cause { try await manager.connect(to: Devices.heart) }
                #expect(cause == Cause(.bluetoothUnavailable, .adapter))
                #expect(peer.calls.all.count == 1)
            }
        }
    }

    @Test func `a read that is answered with something else than bytes is a typed failure`() async throws {
        let answers: [DBusValue] = [.string("x"), .uint32(1), .strings([]), .properties([]), .variant(.bytes([1]))]
        for value in answers {
            try await withPeer(answer: { try $0.answer(value) }) { manager, _ in
                let belt = manager.peripheral(Devices.heart)
                #expect(await cause { try await belt.read(Self.rate) } == Cause(.bus, .operate))
            }
        }
        try await withPeer(answer: { try $0.reply() }) { manager, _ in
            let cause = await cause { try await manager.peripheral(Devices.heart).read(Self.rate) }
            #expect(cause == Cause(.bus, .operate))
        }
    }

    @Test func `calls without an answer end with their time, each at its stage`() async throws {
        try await withPeer(answer: { _ in nil }) { manager, peer in
            let belt = manager.peripheral(Devices.heart)
            let time = Duration.milliseconds(50)
            #expect(await cause { try await belt.read(Self.rate, timeout: time) } == Cause(.timedOut, .operate))
            let subscribed = await cause { try await belt.notifications(for: Self.rate, timeout: time) }
            #expect(subscribed == Cause(.timedOut, .operate))
            #expect(await cause { try await belt.disconnect(timeout: time) } == Cause(.timedOut, .operate))
            #expect(await cause { try await belt.forget(timeout: time) } == Cause(.timedOut, .operate))
            #expect(await cause { try await manager.advertisements(timeout: time) } == Cause(.timedOut, .adapter))
            #expect(await cause { try await manager.setPower(false, timeout: time) } == Cause(.timedOut, .adapter))
            #expect(peer.calls.all.contains("StartNotify"))
            #expect(await manager.load.waits == 0)
        }
    }

    @Test func `a value before the answer to StartNotify is the first notification`() async throws {
        try await withPrivateBus { bus in
            let tree = Self.tree
            let peer = try await FakeBluez.start(on: bus) { call in
                switch call.member {
                case "GetManagedObjects": return try call.answer(tree)
                case "StartNotify": return nil
                default: return try call.reply()
                }
            }
            try await withManager(on: bus) { manager in
                try await manager.ready(within: .seconds(50))
                let values = Log<[UInt8]>()
                // Unstructured because the test cancels it, and awaits it in place.
                let task = Task {
                    let scope = await manager.scope(.seconds(50))
                    return try await manager.subscribe(Self.rate, of: Devices.heart, holder: "test", scope) {
                        values.append($0.value)
                    }
                }
                try await peer.calls.wait { $0 == "StartNotify" }
                let value = try Messages.changed(
                    Messages.characteristic,
                    Messages.characteristicInterface,
                    [("Value", .bytes([1, 2]))]
                )
                try await peer.send(value)
                let first = try await values.first(1)
                #expect(first == [[1, 2]])
                await peer.connection.close()
                await #expect(throws: BleFailure.self) { try await task.value }
            }
        }
    }

    @Test func `signals of every wrong shape are passed over`() async throws {
        try await withPeer(answer: { try $0.answer(.bytes([7])) }) { manager, peer in
            let bodies: [[DBusValue]] = [
                [], [.uint32(1)], [.string("org.bluez.Device1")], [.string("org.bluez.Device1"), .string("x")],
                [.string("org.bluez.Device1"), .properties([("Connected", .string("no")), ("RSSI", .bytes([1]))])],
                [.string("org.bluez.GattCharacteristic1"), .properties([("Value", .uint32(9))]), .strings([])],
                [.string("org.bluez.Adapter1"), .properties([("Powered", .int16(0))]), .strings([])],
                [.path(Messages.device), .strings(["org.bluez.Device2"])], [.path(Messages.device), .bytes([0])],
                [.path(Messages.adapter), .properties([("org.bluez.Adapter1", .bool(false))])],
            ]
            for path in [Messages.device, Messages.adapter, Messages.characteristic, .root] {
                for body in bodies {
                    for (interface, member) in [
                        (BusNames.properties, "PropertiesChanged"), (BusNames.objectManager, "InterfacesAdded"),
                        (BusNames.objectManager, "InterfacesRemoved"), (BusNames.objectManager, "Unheard"),
                    ] {
                        let message = try DBusMessage.signal(path, interface, member)
                        try message.append { (writer) throws(DBusFailure) in
                            for value in body { try writer.append(value) }
                        }
                        try await peer.send(message)
                    }
                }
            }
            let value = try await manager.peripheral(Devices.heart).read(Self.rate)
            #expect(value == [7])
            #expect(await manager.state == .ready)
        }
    }

    @Test func `signals of others than bluetoothd count for nothing`() async throws {
        try await withPrivateBus { bus in
            let tree = Self.tree
            let peer = try await FakeBluez.start(on: bus) { call in
                call.member == "GetManagedObjects" ? try call.answer(tree) : try call.answer(.bytes([7]))
            }
            try await withManager(on: bus) { manager in
                try await manager.ready(within: .seconds(50))
                let stranger = try await bus.connect()
                try await stranger.send(try Messages.removed(Messages.adapter, Messages.adapterInterface))
                let owner = try Messages.signal(
                    BusNames.path,
                    BusNames.bus,
                    "NameOwnerChanged",
                    .string("org.bluez"),
                    .string(":1.1"),
                    .string("")
                )
                try await stranger.send(owner)
                let value = try await manager.peripheral(Devices.heart).read(Self.rate)
                #expect(value == [7])
                #expect(await manager.state == .ready)
                #expect(peer.calls.all == ["GetManagedObjects", "RegisterAgent", "ReadValue"])
            }
        }
    }
}

extension BluetoothManager {
    /// The bounds of an operation of a test's own.
    func scope(_ timeout: Duration) -> OperationScope { OperationScope(timeout: timeout, on: loop) }
}
