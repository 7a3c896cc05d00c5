import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Pairing with an agent on the bus, as bluetoothd 5.66 does it.
@Suite(.timeLimit(.minutes(10)))
struct PairingTests {
    static let manager = Places.path("/org/bluez")
    static let agent = Places.path("/agent")
    static let value = Places.path("\(Places.heart)/service0001/char0002")
    static let refusal = "org.bluez.Error.Rejected"

    /// A client with an agent that answers as it is told.
    final class AgentClient: Sendable {
        let connection: DBusConnection
        let asked = Log<String>()

        init(_ bus: PrivateBus, answer: @escaping @Sendable (DBusMessage) throws -> DBusMessage?) async throws {
            let connection = try await bus.connect()
            self.connection = connection
            let asked = asked
            await connection.setHandler(
                { message in
                    guard message.kind == .methodCall else { return }
                    // A test that gives no valid answer waits in vain, and says so.
                    if let reply = try? answer(message) { connection.assumeIsolated { try? $0.send(reply) } }
                    asked.append(message.member ?? "")
                },
                onDisconnect: {}
            )
            try await call(PairingTests.manager, "org.bluez.AgentManager1", "RegisterAgent", .path(agent), .string(""))
        }

        func call(_ path: ObjectPath, _ interface: String, _ member: String, _ arguments: DBusValue...) async throws {
            let message = try DBusMessage.call("org.bluez", path, interface, member)
            try message.append { (writer) throws(DBusFailure) in
                for argument in arguments { try writer.append(argument) }
            }
            _ = try await connection.call(message)
        }

        func pair() async throws { try await call(Places.heart, Places.device, "Pair") }
        func cancel() async throws { try await call(Places.heart, Places.device, "CancelPairing") }
    }

    /// A device that is known, with one value that wants pairing, and a client with an agent.
    private func with(
        _ pairing: String,
        times: String = "",
        answer: @escaping @Sendable (DBusMessage) throws -> DBusMessage? = { try $0.reply() },
        _ body: (SimulatorClient, AgentClient, Simulator) async throws -> Void
    ) async throws {
        let text = """
            times: {\(times)}
            devices:
              - address: "C0:5A:00:00:00:02"
                known: true
                pairing: {\(pairing)}
                services: [{uuid: ffe0, characteristics: [{uuid: ffe1, flags: [read], value: "05", needsPairing: true}]}]
            """
        try await withSimulator(scenario: try Scenario.parse(Array(text.utf8))) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await body(client, try await AgentClient(bus, answer: answer), simulator)
        }
    }

    private static func answer(_ call: DBusMessage, _ value: DBusValue) throws -> DBusMessage {
        try call.reply().append { (writer) throws(DBusFailure) in try writer.append(value) }
    }

    private func isPaired(_ client: SimulatorClient) async throws -> Bool {
        try await client.get(Places.heart, Places.device, "Paired") == .bool(true)
    }

    private let failed = bluezError("AuthenticationFailed", "Authentication Failed")
    private let canceled = bluezError("AuthenticationCanceled", "Authentication Canceled")

    @Test(arguments: [
        "RequestConfirmation": "confirm", "RequestAuthorization": "authorize", "DisplayPasskey": "display",
    ])
    func `an agent that agrees pairs the device`(_ prompt: (member: String, name: String)) async throws {
        try await with("prompt: \(prompt.name)") { client, agent, _ in
            try await client.reconnect(Places.heart)
            try await agent.pair()
            #expect(agent.asked.all == [prompt.member])
            try await client.wait(from: Places.heart) { $0.hasSuffix("Bonded=true Paired=true") }
        }
    }

    @Test func `a device without a link is linked, and its services known, before it counts as paired`() async throws {
        try await with("") { client, agent, _ in
            try await agent.pair()
            #expect(agent.asked.all.isEmpty)
            let texts = client.texts(within: Places.heart)
            #expect(
                texts.filter { $0.hasPrefix("Device1") } == [
                    "Device1 Connected=true", "Device1 Bonded=true",
                    "Device1 Paired=true UUIDs=[0000ffe0-0000-1000-8000-00805f9b34fb] ServicesResolved=true",
                ]
            )
            #expect(try await client.read(Self.value) == .bytes([5]))
        }
    }

    @Test func `a bonded device is not paired again: nobody answers until it is cancelled`() async throws {
        try await with("") { client, agent, simulator in
            try await agent.pair()
            async let second = #expect(throws: canceled) { try await agent.pair() }
            await simulator.waitForCalls(of: "Pair", count: 2)
            await #expect(throws: bluezError("InProgress", "In Progress")) { try await agent.pair() }
            try await agent.cancel()
            _ = await second
            #expect(try await client.read(Self.value) == .bytes([5]))
        }
    }

    @Test func `a code has to be the device's, and a wrong one ends the link`() async throws {
        try await with("prompt: passkey, passkey: 7", answer: { try Self.answer($0, .uint32(7)) }) { client, agent, _ in
            try await agent.pair()
            let isPaired = try await self.isPaired(client)
            #expect(isPaired == true)
        }
        try await with("prompt: pin, pin: abc", answer: { try Self.answer($0, .string("abd")) }) { client, agent, _ in
            await #expect(throws: failed) { try await agent.pair() }
            try await client.wait(from: Places.heart) { $0.contains("Connected=false") }
            let isPaired = try await self.isPaired(client)
            #expect(isPaired == false)
        }
    }

    @Test(arguments: [refusal, "a.b.Other"]) func `an agent that does not agree fails the pairing, and the link stays`(
        _ error: String
    ) async throws {
        try await with("prompt: confirm", answer: { try $0.errorReply(error, "no") }) { client, agent, simulator in
            await #expect(throws: failed) { try await agent.pair() }
            #expect(await simulator.isConnected("C0:5A:00:00:00:02"))
            let isPaired = try await self.isPaired(client)
            #expect(isPaired == false)
        }
    }

    @Test func `a pairing that is cancelled tells the agent, and ends a link that was made for it`() async throws {
        try await with("prompt: confirm", answer: { _ in nil }) { client, agent, _ in
            async let refused = #expect(throws: canceled) { try await agent.pair() }
            _ = try await agent.asked.first(1)
            try await agent.cancel()
            _ = await refused
            _ = try await agent.asked.first(2)
            #expect(agent.asked.all == ["RequestConfirmation", "Cancel"])
            try await client.wait(from: Places.heart) { $0.contains("Connected=false") }
            await #expect(throws: bluezError("DoesNotExist", "Does Not Exist")) { try await agent.cancel() }
        }
    }

    @Test func `a pairing that nobody ends loses its link, and with that it is cancelled`() async throws {
        try await with("prompt: confirm", times: "pairingMs: 30", answer: { _ in nil }) { client, agent, _ in
            await #expect(throws: canceled) { try await agent.pair() }
            #expect(client.texts(within: Places.heart).contains { $0.contains("Connected=false") })
        }
        try await with("prompt: confirm", answer: { _ in nil }) { _, agent, simulator in
            async let refused = #expect(throws: canceled) { try await agent.pair() }
            _ = try await agent.asked.first(1)
            await simulator.dropLink("C0:5A:00:00:00:02")
            _ = await refused
        }
    }

    @Test func `a number is typed in when somebody does so`() async throws {
        try await with("prompt: display, passkey: 42, typedMs: never") { client, agent, simulator in
            async let done: Void = agent.pair()
            _ = try await agent.asked.first(1)
            await simulator.perform([.world(.type(.address("C0:5A:00:00:00:02"), passkey: 42))])
            try await done
            let isPaired = try await self.isPaired(client)
            #expect(isPaired == true)
        }
    }

    @Test func `the first agent answers for clients without one, until another asks for that`() async throws {
        try await with("prompt: authorize") { client, agent, _ in
            #expect(try await client.get(Places.adapter, Places.adapterInterface, "Pairable") == .bool(true))
            try await client.call(Places.heart, Places.device, "Pair")
            #expect(agent.asked.all == ["RequestAuthorization"])
            try await agent.call(Self.manager, "org.bluez.AgentManager1", "UnregisterAgent", .path(Self.agent))
            #expect(try await client.get(Places.adapter, Places.adapterInterface, "Pairable") == .bool(false))
        }
    }

    @Test func `without any agent no device pairs`() async throws {
        let text = "devices: [{like: heart, known: true, pairing: {}}]"
        try await withSimulator(scenario: try Scenario.parse(Array(text.utf8))) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            await #expect(throws: failed) { try await client.call(Places.heart, Places.device, "Pair") }
        }
    }

    @Test func `what needs pairing has no answer when that is refused, until the link ends`() async throws {
        try await with("", answer: { try $0.errorReply(Self.refusal, "no") }) { client, agent, simulator in
            try await client.reconnect(Places.heart)
            async let read = #expect(throws: bluezError("Failed", "Operation failed with ATT error: 0x0e")) {
                _ = try await client.read(Self.value)
            }
            _ = try await agent.asked.first(1)
            #expect(agent.asked.all == ["RequestAuthorization"])
            try await client.call(Places.heart, Places.device, "Disconnect")
            _ = await read
        }
        try await with("") { client, _, _ in
            try await client.reconnect(Places.heart)
            #expect(try await client.read(Self.value) == .bytes([5]))
            let isPaired = try await self.isPaired(client)
            #expect(isPaired == true)
        }
    }

    @Test func `a device that has lost its keys ends each link at once, and the bond stays`() async throws {
        try await with("") { client, agent, simulator in
            try await agent.pair()
            let before = client.position
            try await client.call(Places.heart, Places.device, "Disconnect")
            try await client.wait(from: Places.heart, after: before) { $0 == "Device1 Connected=false" }
            await simulator.perform([.world(.loseKeys(.address("C0:5A:00:00:00:02")))])
            let start = client.position
            try await client.call(Places.heart, Places.device, "Connect")
            try await client.wait(from: Places.heart, after: start, count: 2) { $0 == "Device1 Connected=false" }
            let texts = client.texts(within: Places.heart, from: start)
            let link = ["Device1 Connected=true", "Device1 Connected=false"]
            #expect(texts == [link[0], "-> Connect", link[1]] + link)
            let isPaired = try await self.isPaired(client)
            #expect(isPaired == true)
        }
    }

    @Test func `a device that asks by itself is paired when the agent agrees`() async throws {
        try await with("") { client, agent, simulator in
            try await client.reconnect(Places.heart)
            await simulator.perform([.world(.pair(.address("C0:5A:00:00:00:02")))])
            try await client.wait(from: Places.heart) { $0.hasSuffix("Bonded=true Paired=true") }
            #expect(agent.asked.all == ["RequestAuthorization"])
        }
    }
}
