import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Pairing with an agent on the bus.
@Suite(.timeLimit(.minutes(1)))
struct PairingTests {
    static let manager = Places.path("/org/bluez")
    static let agent = Places.path("/agent")

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
    }

    private func with(
        _ pairing: String,
        answer: @escaping @Sendable (DBusMessage) throws -> DBusMessage?,
        _ body: (SimulatorClient, AgentClient) async throws -> Void
    ) async throws {
        let text = "devices: [{like: heart, known: true, pairing: {\(pairing)}}]"
        let scenario = try Scenario.parse(Array(text.utf8))
        try await withSimulator(scenario: scenario) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await body(client, try await AgentClient(bus, answer: answer))
        }
    }

    private static func answer(_ call: DBusMessage, _ value: DBusValue) throws -> DBusMessage {
        try call.reply().append { (writer) throws(DBusFailure) in try writer.append(value) }
    }

    @Test(arguments: [
        "RequestConfirmation": "confirm", "RequestAuthorization": "authorize", "DisplayPasskey": "display",
    ])
    func `an agent that agrees pairs the device`(_ prompt: (member: String, name: String)) async throws {
        try await with("prompt: \(prompt.name)", answer: { try $0.reply() }) { client, agent in
            try await agent.pair()
            #expect(agent.asked.all == [prompt.member])
            try await client.wait(from: Places.heart) { $0.hasSuffix("Bonded=true Paired=true") }
            await #expect(throws: bluezError("AlreadyExists", "Already Exists")) { try await agent.pair() }
        }
    }

    @Test func `a code has to be the device's`() async throws {
        try await with("prompt: passkey, passkey: 7", answer: { try Self.answer($0, .uint32(7)) }) { client, agent in
            try await agent.pair()
            #expect(try await client.get(Places.heart, Places.device, "Paired") == .bool(true))
        }
        try await with("prompt: pin, pin: abc", answer: { try Self.answer($0, .string("abd")) }) { client, agent in
            await #expect(throws: bluezError("AuthenticationFailed", "Authentication Failed")) {
                try await agent.pair()
            }
            let paired = try await client.get(Places.heart, Places.device, "Paired")
            #expect(paired == .bool(false))
        }
    }

    @Test func `an agent that refuses rejects, and one that cannot cancels`() async throws {
        let rejected = "org.bluez.Error.Rejected"
        try await with("prompt: confirm", answer: { try $0.errorReply(rejected, "no") }) { _, agent in
            await #expect(throws: bluezError("AuthenticationRejected", "Authentication Rejected")) {
                try await agent.pair()
            }
        }
        try await with("prompt: confirm", answer: { try $0.errorReply("a.b.Other", "no") }) { _, agent in
            await #expect(throws: bluezError("AuthenticationCanceled", "Authentication Canceled")) {
                try await agent.pair()
            }
        }
    }

    @Test func `a pairing that is cancelled tells the agent`() async throws {
        try await with("prompt: confirm", answer: { _ in nil }) { client, agent in
            async let refused = #expect(throws: bluezError("AuthenticationCanceled", "Authentication Canceled")) {
                try await agent.pair()
            }
            _ = try await agent.asked.first(1)
            try await client.call(Places.heart, Places.device, "CancelPairing")
            _ = await refused
            _ = try await agent.asked.first(2)
            #expect(agent.asked.all == ["RequestConfirmation", "Cancel"])
            await #expect(throws: bluezError("DoesNotExist", "Does Not Exist")) {
                try await client.call(Places.heart, Places.device, "CancelPairing")
            }
        }
    }

    @Test func `the default agent answers for clients without one, and nobody for the others`() async throws {
        try await with("prompt: authorize", answer: { try $0.reply() }) { client, agent in
            await #expect(throws: bluezError("AuthenticationFailed", "Authentication Failed")) {
                try await client.call(Places.heart, Places.device, "Pair")
            }
            try await agent.call(Self.manager, "org.bluez.AgentManager1", "RequestDefaultAgent", .path(Self.agent))
            try await client.call(Places.heart, Places.device, "Pair")
            #expect(agent.asked.all == ["RequestAuthorization"])
        }
    }

    @Test func `what needs pairing is refused before and given after`() async throws {
        let text = """
            devices:
              - address: "C0:5A:00:00:00:02"
                known: true
                pairing: {}
                services: [{uuid: ffe0, characteristics: [{uuid: ffe1, flags: [read], value: "05", needsPairing: true}]}]
            """
        try await withSimulator(scenario: try Scenario.parse(Array(text.utf8))) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.reconnect(Places.heart)
            let value = Places.path("\(Places.heart)/service0001/char0002")
            await #expect(throws: bluezError("NotPermitted", "Not paired")) { _ = try await client.read(value) }
            try await client.call(Places.heart, Places.device, "Pair")
            #expect(try await client.read(value) == .bytes([5]))
        }
    }
}
