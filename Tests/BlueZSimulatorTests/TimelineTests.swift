import BlueZSimulator
import DBus
import Foundation
import PaceSupport
import TestSupport
import Testing

/// What happens without a call, when its time comes, and what the outside can see and ask for.
@Suite(.timeLimit(.minutes(10)))
struct TimelineTests {
    static let heart = "\"C0:5A:00:00:00:02\""

    private func with(_ text: String, _ body: (PrivateBus, SimulatorClient, Simulator) async throws -> Void)
        async throws
    {
        let device = "devices: [{like: heart, known: true, advertise: {intervalMs: 10}}]\n"
        let scenario = try Scenario.parse(Array((device + text).utf8))
        try await withSimulator(scenario: scenario) { bus, simulator in
            try await body(bus, try await SimulatorClient.connect(to: bus), simulator)
        }
    }

    @Test func `links and values come and go without a call`() async throws {
        let text = """
            events:
              all:
                - link: \(Self.heart)
                - wait: 20
                - signal: {device: \(Self.heart), characteristic: 2a37, changed: {Value: "0a"}}
                - signal: {device: \(Self.heart), changed: {ServicesResolved: false}, invalidated: [RSSI]}
                - drop: \(Self.heart)
            """
        try await with(text) { _, client, simulator in
            try await simulator.trigger("all")
            try await client.wait(for: "Device1 ServicesResolved=false Connected=false", from: Places.heart)
            let device = client.texts(within: Places.heart).filter { $0.hasPrefix("Device1") }
            #expect(device.first == "Device1 Connected=true")
            #expect(
                device.suffix(2) == [
                    "Device1 ServicesResolved=false !RSSI", "Device1 ServicesResolved=false Connected=false",
                ]
            )
            #expect(client.texts(within: Places.rate).contains("GattCharacteristic1 Value=a"))
        }
    }

    @Test func `services are known when the scenario says so`() async throws {
        let scenario = try Scenario.parse(
            Array(
                "devices: [{like: heart, known: true, resolveMs: never}]\nevents: {now: [{resolve: \(Self.heart)}]}"
                    .utf8
            )
        )
        try await withSimulator(scenario: scenario) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.call(Places.heart, Places.device, "Connect")
            #expect(try await client.get(Places.heart, Places.device, "ServicesResolved") == .bool(false))
            try await simulator.trigger("now")
            try await client.wait(from: Places.heart) { $0.hasSuffix("ServicesResolved=true") }
        }
    }

    @Test func `the timeline runs in its rounds from the start`() async throws {
        let text = """
            timeline:
              - atMs: 2000
                everyMs: 20
                rounds: 3
                steps: [{signal: {path: /org/bluez/hci0, interface: A.B, changed: {X: {u: 1}}}}]
            events:
              end: [{wait: 100}, {signal: {path: /org/bluez/hci0, interface: A.B, invalidated: [End]}}]
            """
        try await with(text) { _, client, simulator in
            try await client.wait(for: "B X", from: Places.adapter, count: 3)
            try await simulator.trigger("end")
            try await client.wait(for: "B !End", from: Places.adapter)
            #expect(client.texts(within: Places.adapter) == ["B X=u", "B X=u", "B X=u", "B !End"])
        }
    }

    @Test func `bluetoothd leaves the bus and returns, and steps wait for it`() async throws {
        let text = "events: {restart: [leaveBus, {wait: 10}, returnToBus, {link: \(Self.heart)}]}"
        try await with(text) { bus, client, simulator in
            try await client.reconnect(Places.heart)
            let before = try await client.connection.owner(of: "org.bluez")
            let start = client.position
            try await simulator.trigger("restart")
            try await client.wait(for: "Device1 Connected=true", from: Places.heart, after: start)
            let after = try await client.connection.owner(of: "org.bluez")
            #expect(before != nil && after != nil && before != after)
            // No goodbye.
            #expect(!client.texts(within: Places.heart, from: start).contains { $0.contains("Connected=false") })
        }
    }

    @Test func `bluetoothd stops in good order and knows its devices when it is back`() async throws {
        let text = """
            devices: [{like: heart, advertise: {intervalMs: 10}}]
            events: {restart: [stopBus, {wait: 10}, returnToBus]}
            """
        try await withSimulator(scenario: try Scenario.parse(Array(text.utf8))) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            try await client.reconnect(Places.heart)
            // It comes a little after the services.
            try await client.wait(for: "+Battery1", from: Places.heart)
            let start = client.position
            try await simulator.trigger("restart")
            try await client.wait(for: "+Device1", from: Places.heart, after: start)
            let texts = client.texts(within: Places.adapter, from: start)
            // Links end first, then the power; then the objects go, the adapter's last.
            #expect(texts.prefix(2) == ["Device1 ServicesResolved=false Connected=false", "-Battery1"])
            let turns = texts.filter { $0.contains("Adapter1") || $0.hasSuffix("Device1") }
            #expect(
                turns == [
                    "Adapter1 Powered=false Discovering=false", "-Device1",
                    "-NetworkServer1 LEAdvertisingManager1 GattManager1 Adapter1",
                    "+Adapter1 GattManager1 LEAdvertisingManager1 Media1 NetworkServer1", "+Device1",
                ]
            )
            let services = try await client.get(Places.heart, Places.device, "UUIDs")
            #expect("\(String(describing: services))".contains("0000180a"), "what was found over the link is kept")
            // Nobody has to discover it.
            try await client.reconnect(Places.heart)
        }
    }

    @Test func `bluetoothd is killed, and its next life shows the link for a while`() async throws {
        let text = """
            times: {lingerMs: 1000}
            events: {restart: [killBus, {wait: 10}, returnToBus]}
            """
        try await with(text) { _, client, simulator in
            try await client.reconnect(Places.heart)
            let start = client.position
            try await simulator.trigger("restart")
            try await client.wait(for: "+Device1", from: Places.heart, after: start)
            #expect(try await client.get(Places.heart, Places.device, "Connected") == .bool(true))
            #expect(try await client.get(Places.heart, Places.device, "ServicesResolved") == .bool(false))
            try await client.wait(for: "Device1 Connected=false", from: Places.heart, after: start)
            let signals = client.texts(within: Places.heart, from: start).filter { $0.contains("Device1") }
            #expect(signals == ["+Device1", "Device1 Connected=false"])
            try await client.reconnect(Places.heart)
        }
    }

    @Test func `an adapter is pulled out under a link and comes back under another number`() async throws {
        let text = """
            times: {attMs: 60000, connectTimeoutMs: 60000}
            events: {out: [{unplug: 0}], in: [{plug: {adapter: 0, as: 1}}]}
            """
        try await with(text) { bus, client, simulator in
            try await client.reconnect(Places.heart)
            let start = client.position
            async let unanswered = #expect(throws: DBusFailure.self) { try await client.read(Places.location) }
            await simulator.waitForCalls(of: "ReadValue")
            try await simulator.trigger("out")
            try await client.wait(from: Places.adapter, after: start) { $0.hasPrefix("-") }
            #expect(
                client.texts(within: Places.heart, from: start).first
                    == "Device1 ServicesResolved=false Connected=false"
            )
            let adapter = client.texts(within: Places.adapter, from: start).filter { $0.contains("Adapter1") }
            #expect(adapter.first == "Adapter1 Powered=false Discovering=false" && adapter.count == 2)
            try await simulator.trigger("in")
            let (other, belt) = (Places.path("/org/bluez/hci1"), Places.path("/org/bluez/hci1/dev_C0_5A_00_00_00_02"))
            try await client.wait(for: "Adapter1 Powered=true", from: other, after: start)
            // It has had a link: nobody has to discover it.
            #expect(client.texts(within: belt, from: start).first == "+Device1")
            try await client.reconnect(belt)
            // Only the bus's end ends the call.
            await simulator.leaveBus()
            let failure = try #require(await unanswered)
            #expect("\(failure)".contains("NoReply"))
        }
    }

    @Test func `a device falls silent while the discovery goes on`() async throws {
        let text =
            "events: {quiet: [{advertise: {enabled: false}}], speak: [{advertise: {device: \(Self.heart), enabled: true}}]}"
        try await with(text) { _, client, simulator in
            let filter = DBusValue.properties([("DuplicateData", .bool(true))])
            try await client.call(Places.adapter, Places.adapterInterface, "SetDiscoveryFilter", filter)
            try await client.call(Places.adapter, Places.adapterInterface, "StartDiscovery")
            try await client.wait(for: "Device1 RSSI=", from: Places.heart)
            try await simulator.trigger("quiet")
            let silent = try await client.get(Places.adapter, Places.adapterInterface, "Discovering")
            #expect(silent == .bool(true))
            let start = client.position
            try await simulator.trigger("speak")
            try await client.wait(for: "Device1", from: Places.heart, after: start)
        }
    }

    @Test func `each n-th link comes without its signal`() async throws {
        try await with("silentConnectEvery: 2") { _, client, _ in
            try await client.reconnect(Places.heart)
            try await client.call(Places.heart, Places.device, "Disconnect")
            try await client.wait(for: "Device1 Connected=false", from: Places.heart)
            let start = client.position
            try await client.reconnect(Places.heart)
            let texts = client.texts(within: Places.heart, from: start)
            #expect(texts.prefix(2) == ["-> Connect", "Device1 ServicesResolved=true"])
            #expect(try await client.get(Places.heart, Places.device, "Connected") == .bool(true))
        }
    }

    @Test func `another program's discovery is there from the start`() async throws {
        let scenario = try Scenario.parse(
            Array("adapters: [{scannedByOthers: true}]\ndevices: [{like: heart, advertise: {intervalMs: 10}}]".utf8)
        )
        try await withSimulator(scenario: scenario) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            #expect(try await client.get(Places.adapter, Places.adapterInterface, "Discovering") == .bool(true))
            #expect(await simulator.count(of: "StartDiscovery") == 0)
            // It may have been heard before anybody listened.
            let known = await simulator.objectPaths.contains(Places.heart)
            if !known { try await client.wait(for: "+Device1", from: Places.heart) }
        }
    }

    @Test func `the control interface triggers, adds faults and tells the calls`() async throws {
        try await with("events: {drop: [{drop: \(Self.heart)}]}") { _, client, _ in
            let place = Places.path("/org/bluez/simulator")
            func control(_ member: String, _ arguments: DBusValue...) async throws -> [DBusValue] {
                let message = try DBusMessage.call("org.bluez", place, "org.bluez.Simulator1", member)
                try message.append { (writer) throws(DBusFailure) in
                    for argument in arguments { try writer.append(argument) }
                }
                var reader = try await client.connection.call(message).reader()
                return reader.atEnd ? [] : [try reader.value()]
            }
            try await client.reconnect(Places.heart)
            _ = try await control("Trigger", .string("drop"))
            try await client.wait(for: "Device1 ServicesResolved=false Connected=false", from: Places.heart)
            _ = try await control("Perform", .string("[{link: \(Self.heart)}]"))
            try await client.wait(for: "Device1 Connected=true", from: Places.heart, count: 2)
            _ = try await control("AddFault", .string("{name: f, member: Disconnect, steps: [{error: {name: F}}]}"))
            await #expect(throws: bluezError("F", "")) {
                try await client.call(Places.heart, Places.device, "Disconnect")
            }
            let counts = DBusValue.dictionary(key: "s", value: "u", [.init(.string("f"), .uint32(1))])
            #expect(try await control("Faults") == [counts])
            _ = try await control("RemoveFault", .string("f"))
            _ = try await control("ClearFaults")
            guard case .array(_, let lines)? = try await control("Calls", .uint64(0)).first,
                case .string(let line)? = lines.first
            else { throw DBusFailure.disconnected }
            #expect(line.contains("\"member\":\"Connect\"") && lines.count > 5)
            let invalid = "org.bluez.Simulator1.Error.Invalid"
            await #expect(
                throws: DBusFailure.error(
                    name: invalid,
                    message: "line 1: steps: expected a list, found a single value"
                )
            ) {
                _ = try await control("AddFault", .string("{member: A, steps: x}"))
            }
            let unknown = "org.bluez.Simulator1.Error.Unknown"
            await #expect(throws: DBusFailure.error(name: unknown, message: "there is no \"x\"")) {
                _ = try await control("Trigger", .string("x"))
            }
            let introspection = try await client.call(place, BusNames.introspectable, "Introspect")
            #expect("\(introspection)".contains("Trigger"))
            // bluetoothd has no such object.
            let tree = try await client.call(.root, BusNames.objectManager, "GetManagedObjects")
            #expect(!"\(tree)".contains("simulator"))
        }
    }

    @Test func `calls and match rules of clients stand in the log file`() async throws {
        let path = NSTemporaryDirectory() + "calls-\(UUID().uuidString).jsonl"
        defer { unlink(path) }
        let file = try CallLogFile(path)
        let scenario = try Scenario.parse(Array("watchBus: true\ndevices: [{like: heart, known: true}]".utf8))
        try await withSimulator(scenario: scenario, file: file) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            await simulator.waitForCalls(of: "AddMatch")
            await #expect(throws: DBusFailure.self) { try await client.write(Places.rate, [1, 255]) }
            try await client.call(Places.heart, Places.device, "Connect")
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let calls = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            #expect(calls.map { $0?["member"] as? String } == ["AddMatch", "WriteValue", "Connect"])
            #expect(calls.map { $0?["number"] as? Int } == [1, 2, 3])
            #expect((calls[0]?["arguments"] as? [String])?.first == "type='signal',sender='org.bluez'")
            #expect((calls[1]?["arguments"] as? [Any])?.first as? String == "01ff")
            #expect(calls[2]?["sender"] as? String == client.connection.uniqueName)
            #expect(calls[2]?["path"] as? String == Places.heart.text)
        }
        #expect(throws: CallLogFile.Failure.self) { try CallLogFile("/nowhere/x") }
    }

    @Test(.apart) func `five thousand signals a second go out`() async throws {
        let text = """
            timeline:
              - everyMs: 2
                steps: [\(String(repeating: "{signal: {path: /org/bluez/hci0, interface: A.B, changed: {X: {u: 1}}}},", count: 14))]
            """
        let scenario = try Scenario.parse(Array(text.utf8))
        try await withSimulator(scenario: scenario) { bus, _ in
            let connection = try await bus.connect()
            let (counts, count) = AsyncStream.makeStream(of: Void.self)
            await connection.setHandler({ _ in count.yield() }, onDisconnect: { count.finish() })
            try await connection.addMatch(MatchRule(sender: "org.bluez"))
            let wanted = Rounds.of(20_000)
            var received = 0
            let time = await ContinuousClock().measure {
                for await _ in counts {
                    received += 1
                    if received == wanted { break }
                }
            }
            print("simulator: \(wanted) signals in \(time)")
            #expect(received == wanted && time < .seconds(120))
        }
    }
}
