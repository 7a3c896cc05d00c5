import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DemoDeviceTests {
    /// The first values of a property of a device while duplicates are wanted.
    private func listen(
        to device: DeviceModel,
        count: Int,
        seed: UInt64 = 1,
        property: String
    ) async throws -> [[UInt8]] {
        var device = device
        device.advertisement.interval = .milliseconds(10)
        var settings = SimulatorSettings()
        settings.seed = seed
        return try await withSimulator(devices: [device], settings: settings) { bus, _ in
            let values = Log<[UInt8]>()
            let client = try await bus.connect()
            await client.setHandler(
                { message in Self.payloads(message, property).forEach(values.append) },
                onDisconnect: {}
            )
            try await client.addMatch(MatchRule(sender: "org.bluez"))
            let adapter = try DBusMessage.call("org.bluez", Places.adapter, Places.adapterInterface, "StartDiscovery")
            let filter = try DBusMessage.call(
                "org.bluez",
                Places.adapter,
                Places.adapterInterface,
                "SetDiscoveryFilter"
            )
            try filter.append { (writer) throws(DBusFailure) in
                try writer.append(properties: [("DuplicateData", .bool(true))])
            }
            _ = try await client.call(filter)
            _ = try await client.call(adapter)
            return try await values.first(count)
        }
    }

    /// The bytes of the property's one entry, from whichever signal holds it.
    private static func payloads(_ message: DBusMessage, _ property: String) -> [[UInt8]] {
        var found: [[UInt8]] = []
        func search(_ value: DBusValue, _ inside: Bool) {
            switch value {
            case .dictionary(_, _, let entries):
                for entry in entries { search(entry.value, inside || entry.key == .string(property)) }
            case .variant(let value): search(value, inside)
            case .bytes(let bytes) where inside: found.append(bytes)
            default: break
            }
        }
        var reader = message.reader()
        while !reader.atEnd {
            do throws(DBusFailure) { search(try reader.value(), false) } catch { return found }
        }
        return found
    }

    @Test func `a BTHome beacon counts its packets and stays plausible`() async throws {
        let payloads = try await listen(to: DemoDevices.bthome, count: 9, property: "ServiceData")
        #expect(payloads.map { $0[2] } == [0, 0, 0, 1, 1, 1, 2, 2, 2])
        for payload in payloads {
            #expect(payload.count == 9)
            #expect(payload[0] == 0x40 && payload[1] == 0 && payload[3] == 2 && payload[6] == 3)
            let hundredths = Int16(bitPattern: UInt16(payload[4]) | UInt16(payload[5]) << 8)
            #expect((2000...2300).contains(hundredths))
        }
    }

    @Test func `a RuuviTag sends format 5 with its own address`() async throws {
        let payloads = try await listen(to: DemoDevices.ruuvi, count: 3, property: "ManufacturerData")
        for (index, payload) in payloads.enumerated() {
            #expect(payload.count == 24)
            #expect(payload.first == 5)
            #expect(payload[16] == 0 && payload[17] == UInt8(index))
            #expect(payload.suffix(6) == [0xC0, 0x5A, 0, 0, 0, 0x13])
        }
    }

    @Test func `an iBeacon has its format`() async throws {
        let payload = try await listen(to: DemoDevices.iBeacon, count: 1, property: "ManufacturerData")
        #expect(payload.first?.count == 23)
        #expect(payload.first?.prefix(2) == [0x02, 0x15])
    }

    @Test func `the same seed gives the same values and another one others`() async throws {
        let count = 6
        let one = try await listen(to: DemoDevices.ruuvi, count: count, seed: 7, property: "ManufacturerData")
        let two = try await listen(to: DemoDevices.ruuvi, count: count, seed: 7, property: "ManufacturerData")
        let other = try await listen(to: DemoDevices.ruuvi, count: count, seed: 8, property: "ManufacturerData")
        #expect(one == two)
        #expect(one != other)
    }

    @Test func `a thermometer indicates and notifies by itself`() async throws {
        var device = DemoDevices.thermometer
        for service in device.services.indices {
            for index in device.services[service].characteristics.indices
            where device.services[service].characteristics[index].notifyEvery != nil {
                device.services[service].characteristics[index].notifyEvery = .milliseconds(10)
            }
        }
        try await withSimulator(devices: [device]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.thermometer)
            for name in ["service000e/char000f", "service0014/char0015"] {
                let path = Places.path("\(Places.thermometer)/\(name)")
                try await client.call(path, Places.characteristic, "StartNotify")
                try await client.wait(for: "GattCharacteristic1 Value=", from: path, count: 3)
                #expect(client.texts(within: path).contains("GattCharacteristic1 Notifying=true"))
            }
        }
    }

    @Test func `devices for load have addresses of their own`() {
        let devices = DemoDevices.all + DemoDevices.extra(1000)
        #expect(Set(devices.map(\.address)).count == 1007)
        #expect(devices.allSatisfy { $0.address.utf8.count == 17 })
    }
}
