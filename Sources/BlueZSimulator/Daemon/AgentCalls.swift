internal import DBus

/// The way to the agents of clients: who has one, and calls to it.
final class AgentCalls {
    /// Calls a method of a client; the second argument is called with what came of it, once.
    typealias Caller = (DBusMessage, @escaping (DBusConnection.Outcome) -> Void) -> Void

    /// An agent of a client.
    struct Agent {
        let client: String
        let path: ObjectPath
    }

    private let manager: AgentManager
    private let call: Caller

    init(_ manager: AgentManager, call: @escaping Caller) {
        self.manager = manager
        self.call = call
    }

    /// The agent for a client's pairing: its own, or the default one, which is that of pairings that no client began.
    func agent(for client: String?) -> Agent? { manager.agent(for: client) }

    /// Lets all agents go, as bluetoothd does at its end.
    func release() {
        for agent in manager.all { ask(agent, "Release", []) { _ in } }
    }

    /// Asks an agent.
    func ask(
        _ agent: Agent,
        _ member: String,
        _ arguments: [DBusValue],
        _ done: @escaping (DBusConnection.Outcome) -> Void
    ) {
        do throws(DBusFailure) {
            let message = try DBusMessage.call(agent.client, agent.path, "org.bluez.Agent1", member)
            try message.append { (writer) throws(DBusFailure) in
                for argument in arguments { try writer.append(argument) }
            }
            call(message, done)
        } catch {
            done(.failure(error))
        }
    }
}

/// Carries a completion through the connection's `@Sendable` closure.
final class AgentAnswer: @unchecked Sendable {
    // Safe because: made and completed on the loop's thread.
    private let done: (DBusConnection.Outcome) -> Void

    init(_ done: @escaping (DBusConnection.Outcome) -> Void) { self.done = done }

    func complete(_ outcome: DBusConnection.Outcome) { done(outcome) }
}
