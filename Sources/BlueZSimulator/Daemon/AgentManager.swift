internal import DBus

/// The interface `org.bluez.AgentManager1`, which remembers agents.
final class AgentManager: SimulatedInterface {
    private static let capabilities: Set<String> = [
        "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
    ]

    /// The agents' paths by the client that owns each.
    private var agents: [String: ObjectPath] = [:]
    /// The clients that have an agent; that of the first answers for others.
    private var defaults: [String] = []
    /// Hears whether there is an agent at all, which makes adapters pairable.
    var onChange: (Bool) -> Void = { _ in }

    var description: InterfaceDescription { Self.table }

    func handle(_ call: IncomingCall) {
        do throws(BluezError) {
            try carryOut(call)
        } catch {
            call.fail(error)
        }
    }

    func clientLeft(_ sender: String) {
        guard agents.removeValue(forKey: sender) != nil else { return }
        defaults.removeAll { $0 == sender }
        if defaults.isEmpty { onChange(false) }
    }

    /// The agent for a client's pairing: its own, or the default one.
    func agent(for client: String?) -> AgentCalls.Agent? {
        let owner = client.flatMap { agents[$0] == nil ? nil : $0 } ?? defaults.first
        return owner.flatMap { owner in agents[owner].map { AgentCalls.Agent(client: owner, path: $0) } }
    }

    /// All agents, of whatever client.
    var all: [AgentCalls.Agent] {
        defaults.compactMap { client in agents[client].map { AgentCalls.Agent(client: client, path: $0) } }
    }

    private func carryOut(_ call: IncomingCall) throws(BluezError) {
        guard case .path(let path)? = call.arguments.first else { throw .invalidArguments }
        switch (call.member, call.arguments.last) {
        case ("RegisterAgent", .string(let capability)?):
            guard agents[call.sender] == nil else { throw .alreadyExists }
            guard Self.capabilities.contains(capability) else { throw .invalidArguments }
            agents[call.sender] = path
            defaults.append(call.sender)
            call.reply()
            if defaults.count == 1 { onChange(true) }
            return
        case ("UnregisterAgent", _):
            guard agents[call.sender] == path else { throw .doesNotExist }
            call.reply()
            clientLeft(call.sender)
            return
        case ("RequestDefaultAgent", _):
            guard agents[call.sender] == path else { throw .doesNotExist }
            defaults.removeAll { $0 == call.sender }
            defaults.insert(call.sender, at: 0)
        default: throw .invalidArguments
        }
        call.reply()
    }

    private static let table = InterfaceDescription(
        "org.bluez.AgentManager1",
        methods: [
            .init("RegisterAgent", in: [.init("agent", "o"), .init("capability", "s")]),
            .init("UnregisterAgent", in: [.init("agent", "o")]),
            .init("RequestDefaultAgent", in: [.init("agent", "o")]),
        ]
    )
}
