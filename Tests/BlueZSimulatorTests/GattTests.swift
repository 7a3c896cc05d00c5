import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GattTests {
    @Test func `a read announces the value before its answer, changed or not`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            let start = client.position
            for _ in 0..<2 { #expect(try await client.read(Places.location) == .bytes([1])) }
            let one = ["GattCharacteristic1 Value=1", "-> ReadValue"]
            #expect(client.texts(within: Places.location, from: start) == one + one)
        }
    }

    @Test func `reads at the same offset share one answer and another offset is in progress`() async throws {
        var settings = SimulatorSettings()
        settings.attDelay = .milliseconds(100)
        try await withSimulator(devices: [DemoDevices.heart], settings: settings) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            let start = client.position
            async let first = client.read(Places.location)
            async let second = client.read(Places.location)
            await simulator.waitForCalls(of: "ReadValue", count: 2)
            await #expect(throws: bluezError("InProgress", "In Progress")) {
                try await client.read(Places.location, offset: 1)
            }
            #expect(try await (first, second) == (.bytes([1]), .bytes([1])))
            #expect(
                client.texts(within: Places.location, from: start) == [
                    "-> ReadValue InProgress: In Progress", "GattCharacteristic1 Value=1", "-> ReadValue",
                    "-> ReadValue",
                ]
            )
        }
    }

    @Test func `an offset gives the rest, and one beyond the end is invalid`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            let name = Places.path("\(Places.heart)/service001a/char001b")
            #expect(try await client.read(name, offset: 6) == .bytes(Array("ted".utf8)))
            await #expect(throws: bluezError("InvalidArguments", "Invalid offset")) {
                try await client.read(name, offset: 10)
            }
        }
    }

    @Test func `what the device refuses has bluetoothd's name and text`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            await #expect(throws: bluezError("NotPermitted", "Read not permitted")) {
                try await client.read(Places.rate)
            }
            await #expect(throws: bluezError("Failed", "Operation failed with ATT error: 0x80")) {
                try await client.write(Places.control, [5], type: "request")
            }
            await #expect(throws: bluezError("NotPermitted", "Write not permitted")) {
                try await client.write(Places.location, [1], type: "request")
            }
            await #expect(throws: bluezError("InvalidArguments", "Invalid Length")) {
                try await client.write(Places.control, [1, 1], type: "request")
            }
            await #expect(throws: bluezError("NotSupported", "Operation is not supported")) {
                try await client.write(Places.location, [1])
            }
            try await client.write(Places.control, [1], type: "command")
            try await client.write(Places.control, [1])
        }
    }

    @Test(arguments: [
        (UInt8(0x05), "NotPermitted", "Not paired"), (0x08, "NotAuthorized", "Operation Not Authorized"),
        (0x06, "NotSupported", "Operation is not supported"),
        (0x85, "Failed", "Operation failed with ATT error: 0x85"),
    ])
    func `each ATT error has its name`(code: UInt8, name: String, text: String) async throws {
        var device = DemoDevices.battery
        device.services = [ServiceModel("fff0", [CharacteristicModel("fff1", [.read], read: .error(code))])]
        try await withSimulator(devices: [device]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            let path = Places.path("/org/bluez/hci0/dev_C0_5A_00_00_00_03")
            try await client.link(path)
            await #expect(throws: bluezError(name, text)) {
                try await client.read(Places.path("\(path)/service0001/char0002"))
            }
        }
    }

    @Test func `options of the wrong type are invalid and a signature of its own is no method`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            await #expect(throws: bluezError("InvalidArguments", "Invalid arguments in method call")) {
                let options = DBusValue.properties([("offset", .uint32(1))])
                try await client.call(Places.location, Places.characteristic, "ReadValue", options)
            }
            let text = """
                Method "ReadValue" with signature "s" on interface "org.bluez.GattCharacteristic1" doesn't exist

                """
            await #expect(throws: DBusFailure.error(name: "org.freedesktop.DBus.Error.UnknownMethod", message: text)) {
                try await client.call(Places.location, Places.characteristic, "ReadValue", .string(""))
            }
        }
    }

    @Test func `a command that does not fit into a packet is not sent`() async throws {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            await #expect(throws: bluezError("Failed", "Failed to initiate write")) {
                try await client.write(Places.frames, [UInt8](repeating: 0, count: 21), type: "command")
            }
            try await client.write(Places.frames, [UInt8](repeating: 0, count: 21), type: "request")
        }
    }

    @Test func `without a link nothing is read or written`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            await simulator.dropLink(DemoDevices.heartAddress)
            await #expect(throws: bluezError("Failed", "Not connected")) { try await client.read(Places.location) }
            await #expect(throws: bluezError("Failed", "Not connected")) { try await client.write(Places.control, [1]) }
        }
    }

    @Test func `descriptors are read, and the client configuration is not written by hand`() async throws {
        try await withSimulator(devices: [DemoDevices.thermometer]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.thermometer)
            let temperature = "\(Places.thermometer)/service0014/char0015"
            let configuration = Places.path("\(temperature)/desc0017")
            let label = Places.path("\(temperature)/desc0018")
            let text = try await client.call(label, Places.descriptor, "ReadValue", Places.noOptions).first
            #expect(text == .bytes(Array("Room temperature".utf8)))
            await #expect(throws: bluezError("NotPermitted", "Write not permitted")) {
                try await client.call(configuration, Places.descriptor, "WriteValue", .bytes([1, 0]), Places.noOptions)
            }
            await #expect(throws: bluezError("NotPermitted", "Write not permitted")) {
                try await client.call(label, Places.descriptor, "WriteValue", .bytes([1]), Places.noOptions)
            }
            let value = try await client.call(configuration, Places.descriptor, "ReadValue", Places.noOptions).first
            #expect(value == .bytes([0, 0]))
        }
    }
}
