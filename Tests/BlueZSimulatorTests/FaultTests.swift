import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Each kind of fault, seen from the bus.
@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    static let connected = "Device1 Connected=true"

    /// A world with the usual devices and these faults.
    private func with(
        _ text: String,
        _ body: (SimulatorClient, Simulator) async throws -> Void
    ) async throws {
        let devices = """
            devices:
              - {like: heart, known: true, advertise: {intervalMs: 20}}
              - {like: framer, known: true, advertise: {intervalMs: 20}}

            """
        let scenario = try Scenario.parse(Array((devices + text).utf8))
        try await withSimulator(scenario: scenario) { bus, simulator in
            try await body(try await SimulatorClient.connect(to: bus), simulator)
        }
    }

    private func connect(_ client: SimulatorClient) async throws {
        try await client.call(Places.heart, Places.device, "Connect")
    }

    @Test func `an error has its name and text, once, and signals stand around it in their order`() async throws {
        let faults = """
            faults:
              - member: Connect
                nth: 1
                steps:
                  - signal: {interface: Device1, changed: {Connected: true}}
                  - error: {name: Failed, text: le-connection-abort-by-local}
                  - wait: 20
                  - signal: {interface: Device1, changed: {Connected: false}}
            """
        try await with(faults) { client, simulator in
            await #expect(throws: bluezError("Failed", "le-connection-abort-by-local")) { try await connect(client) }
            try await client.wait(for: "Device1 Connected=false", from: Places.heart)
            let expected = [
                Self.connected, "-> Connect Failed: le-connection-abort-by-local", "Device1 Connected=false",
            ]
            #expect(client.texts(within: Places.heart) == expected)
            #expect(await !simulator.isConnected(DemoDevices.heartAddress))
            try await client.reconnect(Places.heart)
            #expect(await simulator.isConnected(DemoDevices.heartAddress))
            #expect(await simulator.faultsApplied() == 1)
        }
    }

    @Test func `a delayed call is carried out late, and a late answer comes behind its signals`() async throws {
        let faults = """
            faults:
              - {member: Connect, device: "C0:5A:00:00:00:02", steps: [{carryOut: {lateMs: 50}}]}
              - {member: Connect, steps: [{wait: 50}, carryOut]}
            """
        try await with(faults) { client, _ in
            try await connect(client)
            #expect(client.texts(within: Places.heart).first == Self.connected)
            #expect(client.texts(within: Places.heart).last == "-> Connect")
            let texts = client.texts(within: Places.heart)
            #expect(texts.contains { $0.hasSuffix("ServicesResolved=true") })
            let start = client.position
            try await client.call(Places.framer, Places.device, "Connect")
            #expect(client.texts(within: Places.framer, from: start).prefix(2) == [Self.connected, "-> Connect"])
        }
    }

    @Test func `a call without an answer is carried out all the same, or not at all`() async throws {
        let faults = """
            faults:
              - {member: Connect, device: "C0:5A:00:00:00:02", steps: [{carryOut: none}]}
              - {member: Connect, steps: []}
            """
        try await with(faults) { client, simulator in
            async let first: Void = client.forget(Places.heart, "Connect")
            async let second: Void = client.forget(Places.framer, "Connect")
            try await client.wait(for: Self.connected, from: Places.heart)
            await simulator.waitForCalls(of: "Connect", count: 2)
            // What comes after shows that nothing came before.
            _ = try await client.get(Places.heart, Places.device, "Connected")
            #expect(!client.texts(within: Places.heart).contains { $0.hasPrefix("-> Connect") })
            #expect(client.texts(within: Places.framer).isEmpty)
            #expect(await !simulator.isConnected(DemoDevices.framerAddress))
            await client.connection.close()
            _ = await (first, second)
        }
    }

    @Test func `an answer comes twice`() async throws {
        let faults = "faults: [{member: Connect, steps: [{carryOut: twice}]}]"
        let devices = "devices: [{like: heart, known: true}]\n"
        let scenario = try Scenario.parse(Array((devices + faults).utf8))
        try await withSimulator(scenario: scenario) { bus, _ in
            let watcher = try await ChildProcess.spawn(
                "/usr/bin/dbus-monitor",
                ["--address", bus.address.text, "type='method_return',sender='org.bluez'", "type='signal'"]
            )
            try await watcher.waitFor("NameAcquired")
            let client = try await SimulatorClient.connect(to: bus)
            try await connect(client)
            try await client.wait(from: Places.heart) { $0.hasSuffix("ServicesResolved=true") }
            try await watcher.waitFor("ServicesResolved")
            let answers = watcher.output.matches(of: /method return .* reply_serial=(\d+)/).map { String($0.1) }
            #expect(Dictionary(grouping: answers) { $0 }.values.contains { $0.count == 2 }, "\(watcher.output)")
            try await watcher.kill()
        }
    }

    @Test func `an answer has other types and values than it should`() async throws {
        let faults = """
            faults:
              - {member: ReadValue, uuid: 2a38, nth: 1, steps: [{reply: [{s: text}]}]}
              - {member: ReadValue, uuid: 2a38, nth: 2, steps: [{reply: [{ay: "07"}, {u: 3}]}]}
              - {member: ReadValue, uuid: 2a38, steps: [{reply: []}]}
            """
        try await with(faults) { client, _ in
            try await client.reconnect(Places.heart)
            func read() async throws -> [DBusValue] {
                try await client.call(Places.location, Places.characteristic, "ReadValue", Places.noOptions)
            }
            #expect(try await read() == [.string("text")])
            #expect(try await read() == [.bytes([7]), .uint32(3)])
            #expect(try await read().isEmpty)
        }
    }

    @Test func `a fault holds from a call on, to a call, or until another call was made`() async throws {
        let faults = """
            faults:
              - {member: Get, argument: RSSI, from: 2, to: 3, steps: [{error: {name: Failed, text: range}}]}
              - {member: GetAll, until: {member: Introspect}, steps: [{error: {name: Failed, text: until}}]}
            """
        try await with(faults) { client, _ in
            func get() async -> String {
                do {
                    _ = try await client.get(Places.heart, Places.device, "RSSI")
                    return "a value"
                } catch DBusFailure.error(_, let text) {
                    return text
                } catch {
                    return "\(error)"
                }
            }
            #expect(await get() == "No such property 'RSSI'")
            #expect(await get() == "range")
            // Another property is another argument.
            #expect(try await client.get(Places.heart, Places.device, "Trusted") == .bool(false))
            #expect(await get() == "range")
            #expect(await get() == "No such property 'RSSI'")
            for _ in 1...2 {
                await #expect(throws: bluezError("Failed", "until")) {
                    try await client.call(Places.heart, BusNames.properties, "GetAll", .string(Places.device))
                }
            }
            try await client.call(Places.adapter, BusNames.introspectable, "Introspect")
            try await client.call(Places.heart, BusNames.properties, "GetAll", .string(Places.device))
        }
    }

    @Test func `a fault is for a path, an interface or a client`() async throws {
        let faults = """
            faults:
              - {path: "*/dev_C0_5A_*_02", interface: Device1, steps: [{error: {name: A, text: path}}]}
              - {interface: "org.bluez.Adapter*", client: ":1.9999", steps: [{error: {name: B, text: client}}]}
              - {interface: "org.bluez.Adapter*", client: ":1.*", steps: [{error: {name: C, text: all}}]}
            """
        try await with(faults) { client, _ in
            await #expect(throws: bluezError("A", "path")) { try await connect(client) }
            try await client.call(Places.framer, Places.device, "Connect")
            await #expect(throws: bluezError("C", "all")) {
                try await client.call(Places.adapter, Places.adapterInterface, "StartDiscovery")
            }
        }
    }

    @Test func `an object vanishes without a word and returns under another adapter`() async throws {
        let text = """
            adapters: [{}, {}]
            faults:
              - {member: Disconnect, steps: [{vanish: this}, {error: {name: Failed, text: gone}}]}
            events:
              back: [{appear: {device: "C0:5A:00:00:00:02", adapter: 1}}]
            """
        try await with(text) { client, simulator in
            try await client.reconnect(Places.heart)
            let start = client.position
            await #expect(throws: bluezError("Failed", "gone")) {
                try await client.call(Places.heart, Places.device, "Disconnect")
            }
            let texts = client.texts(within: Places.heart, from: start)
            #expect(!texts.contains { $0.contains("Connected=") })
            #expect(texts.last == "-> Disconnect Failed: gone")
            #expect(texts.dropLast().last?.hasSuffix("Device1") == true && texts.dropLast().last?.first == "-")
            try await simulator.trigger("back")
            let other = Places.path("/org/bluez/hci1/dev_C0_5A_00_00_00_02")
            try await client.wait(for: "+Device1", from: other)
            #expect(await !simulator.objectPaths.contains(Places.heart))
            try await client.reconnect(other)
            #expect(await simulator.isConnected(DemoDevices.heartAddress, adapter: 1))
        }
    }

    @Test func `an adapter returns under another number`() async throws {
        let text = "events: {move: [{unplug: 0}, {plug: {adapter: 0, as: 3}}]}"
        try await with(text) { client, simulator in
            try await simulator.trigger("move")
            let adapter = Places.path("/org/bluez/hci3")
            try await client.wait(for: "+Adapter1", from: adapter)
            #expect(client.texts(within: Places.adapter).contains { $0.hasPrefix("-") && $0.contains("Adapter1") })
            let device = Places.path("/org/bluez/hci3/dev_C0_5A_00_00_00_02")
            #expect(try await client.get(device, Places.device, "Adapter") == .path(adapter))
        }
    }

    @Test func `an object appears before the answer of GetManagedObjects`() async throws {
        let text = """
            faults: [{member: GetManagedObjects, steps: [{vanish: "C0:5A:00:00:00:02"}, {appear: "C0:5A:00:00:00:02"}, carryOut]}]
            """
        try await with(text) { client, _ in
            let answer = try await client.call(.root, BusNames.objectManager, "GetManagedObjects")
            guard case .dictionary(_, _, let entries)? = answer.first else { throw DBusFailure.disconnected }
            #expect(entries.contains { $0.key == .path(Places.heart) })
            #expect(client.texts(within: Places.heart) == ["-Device1", "+Device1"])
        }
    }

    @Test func `a blocked adapter cannot be switched on until it is let go`() async throws {
        try await with("events: {block: [{block: {enabled: true}}], free: [{block: {enabled: false}}]}") {
            client,
            simulator in
            try await simulator.trigger("block")
            try await client.wait(for: "Adapter1 Powered=false", from: Places.adapter)
            func on() async throws {
                let value = DBusValue.variant(.bool(true))
                let properties = BusNames.properties
                let interface = DBusValue.string(Places.adapterInterface)
                try await client.call(Places.adapter, properties, "Set", interface, .string("Powered"), value)
            }
            await #expect(throws: bluezError("Blocked", "Blocked through rfkill")) { try await on() }
            try await simulator.trigger("free")
            try await on()
            #expect(try await client.get(Places.adapter, Places.adapterInterface, "Powered") == .bool(true))
        }
    }

    @Test func `faults are added, switched and taken back while it runs`() async throws {
        let text = "faults: [{name: off, member: Connect, enabled: false, steps: [{error: {name: X, text: off}}]}]"
        try await with(text) { client, simulator in
            let fault = try Scenario.parseFault(Array("{member: Connect, nth: 1, steps: [{error: {name: Y}}]}".utf8))
            await simulator.addFault(fault)
            await #expect(throws: bluezError("Y", "")) { try await connect(client) }
            #expect(await simulator.setFault("off", isEnabled: true))
            await #expect(throws: bluezError("X", "off")) { try await connect(client) }
            #expect(await simulator.faultsApplied("off") == 1)
            await simulator.clearFaults()
            try await connect(client)
            #expect(await !simulator.setFault("off", isEnabled: true))
            await #expect(throws: Simulator.Failure.unknownEvent("x")) { try await simulator.trigger("x") }
        }
    }
}

extension SimulatorClient {
    /// Calls a method whose answer may never come.
    func forget(_ path: ObjectPath, _ member: String) async {
        do {
            try await call(path, Places.device, member)
        } catch {
            return
        }
    }
}
