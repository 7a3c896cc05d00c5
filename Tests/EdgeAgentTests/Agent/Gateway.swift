import EventLoop
import Glibc
import MQTT
import Synchronization
import TestSupport
import Testing

/// How an agent under test is set up.
struct AgentSetup: Sendable {
    var gateway = "gw"
    /// The agent's version of MQTT; the caller speaks 5 unless told otherwise.
    var version = "5"
    var callerVersion = MQTTVersionPolicy.v5
    /// Keys of the configuration and their values, as `limits.maxResultBytes`.
    var keys: [String: String] = [:]
    /// Addresses by alias.
    var aliases: [(alias: String, device: TestDevice)] = []
    /// The keys of `link` for each device with an alias.
    var link: String?
    /// The profile of each device with an alias.
    var profile: String?
    /// `intervalMs` of each device with an alias.
    var interval: Int?
    var arguments: [String] = []
    var files: [String: String] = [:]
    var user: (name: String, password: String)?
    /// What the caller hears of, two filters.
    var hears = ["edge/v1/#", "reply/#"]
    var world = AgentWorld.Options()
    var broker = BrokerOptions()

    /// The text of the configuration file.
    func configuration(port: Int) -> String {
        var keys = keys
        let standard = [
            "gateway": gateway, "broker": "mqtt://127.0.0.1:\(port)", "logLevel": "debug",
            "mqtt.version": "\"\(version)\"", "mqtt.reconnectMinMs": "100", "mqtt.reconnectMaxMs": "400",
            "limits.healthIntervalSeconds": "3600", "links.idleMs": "60000",
            "stateDir": "\"@/state\"",
        ]
        keys.merge(standard) { own, _ in own }
        var text = Self.yaml(keys.map { ($0.key.split(separator: ".").map(String.init), $0.value) }, indent: "")
        if !aliases.isEmpty {
            text += "devices:\n"
            for (alias, device) in aliases {
                text += "  - address: \"\(device.address)\"\n    alias: \(alias)\n"
                if let profile { text += "    profile: \(profile)\n" }
                if let interval { text += "    intervalMs: \(interval)\n" }
                if let link { text += "    link: \(link.hasPrefix("{") ? link : "{\(link)}")\n" }
            }
        }
        return text
    }

    private static func yaml(_ entries: [(path: [String], value: String)], indent: String) -> String {
        var text = ""
        for (name, group) in Dictionary(grouping: entries, by: { $0.path[0] }).sorted(by: { $0.key < $1.key }) {
            if let leaf = group.first(where: { $0.path.count == 1 }) {
                text += "\(indent)\(name): \(leaf.value)\n"
            } else {
                let inner = group.map { (Array($0.path.dropFirst()), $0.value) }
                text += "\(indent)\(name):\n" + yaml(inner, indent: indent + "  ")
            }
        }
        return text
    }
}

/// An agent under test, with the world, the broker and the caller around it.
final class Gateway: Sendable {
    let setup: AgentSetup
    let world: AgentWorld
    let broker: Broker
    let agent: AgentProgram
    let caller: Caller
    private let lastID = Mutex(0)

    init(setup: AgentSetup, world: AgentWorld, broker: Broker, agent: AgentProgram, caller: Caller) {
        self.setup = setup
        self.world = world
        self.broker = broker
        self.agent = agent
        self.caller = caller
    }

    /// The battery level, as a command names it.
    static let level = #""service":"180f","characteristic":"2a19""#

    // MARK: Topics

    /// A topic of the gateway.
    func topic(_ rest: String) -> String { "edge/v1/\(setup.gateway)/\(rest)" }
    /// A topic of a device, under the name that the agent publishes.
    func topic(_ device: TestDevice, _ rest: String) -> String { topic("dev/\(name(of: device))/\(rest)") }
    func name(of device: TestDevice) -> String {
        setup.aliases.first { $0.device.address == device.address }?.alias ?? device.hex
    }

    // MARK: Commands

    /// Makes an id that this test has not used.
    func makeID() -> String {
        lastID.withLock { last in
            last += 1
            return "c\(last)-\(agent.pid)"
        }
    }

    /// Publishes a command, with further members as `"service":"180f"`, and does not wait for what becomes of it.
    @discardableResult
    func start(
        _ verb: String,
        _ fields: String = "",
        on device: TestDevice? = nil,
        change: (inout MQTTPublication) -> Void = { _ in }
    ) async throws -> String {
        let id = makeID()
        let more = fields.isEmpty ? "" : ",\(fields)"
        let topic = device.map { self.topic($0, "cmd/test") } ?? self.topic("cmd/test")
        let payload = "{\"id\":\"\(id)\",\"verb\":\"\(verb)\"\(more)}"
        var publication = MQTTPublication(topic: topic, payload: Array(payload.utf8))
        change(&publication)
        try await caller.publish(publication)
        return id
    }

    /// Publishes any payload on a topic of the gateway.
    func publish(
        _ payload: some Sequence<UInt8>,
        to rest: String,
        change: (inout MQTTPublication) -> Void = { _ in }
    ) async throws {
        var publication = MQTTPublication(topic: topic(rest), payload: Array(payload))
        change(&publication)
        try await caller.publish(publication)
    }

    /// Publishes a command that names a response topic, as `mosquitto_pub` does.
    func start(
        _ payload: String,
        to rest: String,
        responseTopic: String,
        correlation: String? = nil
    ) async throws {
        var arguments = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-V", "5", "-q", "1", "-t", topic(rest), "-s"]
        arguments += ["-D", "publish", "response-topic", responseTopic]
        if let correlation { arguments += ["-D", "publish", "correlation-data", correlation] }
        try await ChildProcess.run("/usr/bin/mosquitto_pub", arguments, input: payload)
    }

    /// Waits for the final result of a command.
    func result(_ id: String, client: String = "test") async throws -> Received {
        let topic = topic("res/\(client)/\(id)")
        return try await hear("the result of \(id)") { $0.topic == topic && $0.json["final"] == true }
    }

    /// Sends a command and waits for its result.
    func send(_ verb: String, _ fields: String = "", on device: TestDevice? = nil) async throws -> Json {
        try await result(try await start(verb, fields, on: device)).json
    }

    /// Answers when everything that was sent before has been read by the agent.
    func settle() async throws { _ = try await send("ping") }

    // MARK: Hearing

    /// Waits for a message; where there is none, the agent's log is part of the failure.
    func hear(
        _ what: String,
        from mark: Int = 0,
        count: Int = 1,
        where condition: @escaping @Sendable (Received) -> Bool
    ) async throws -> Received {
        do {
            return try await caller.hear(what, from: mark, count: count, where: condition)
        } catch let failure as NotHeard {
            let heard = caller.all(from: mark).suffix(15).map { "\($0.topic) \($0.text.prefix(300))" }
            let lines = agent.log.split(separator: "\n").suffix(25)
            throw NotHeard(
                description: (["\(failure)", "heard:"] + heard + ["log:"] + lines.map(String.init))
                    .joined(separator: "\n")
            )
        }
    }

    /// Waits for a message on a topic of the gateway.
    @discardableResult
    func hear(
        on rest: String,
        from mark: Int = 0,
        count: Int = 1,
        where condition: @escaping @Sendable (Json) -> Bool = { _ in true }
    ) async throws -> Received {
        let topic = topic(rest)
        return try await hear(topic, from: mark, count: count) { $0.topic == topic && condition($0.json) }
    }

    /// Waits for a state on a topic.
    @discardableResult
    func hear(_ state: String, on rest: String, from mark: Int = 0) async throws -> Received {
        let topic = topic(rest)
        return try await hear("\(state) on \(topic)", from: mark) {
            $0.topic == topic && $0.json["state"].text == state
        }
    }

    /// Waits until the broker has answered all subscriptions of the agent's n-th connection.
    func subscribed(connection: Int = 1) async throws {
        try await within("the agent's subscriptions, connection \(connection)") { [agent] in
            try await agent.waitForLog("agent: Subscribed ", count: 11 * connection)
        }
    }

    /// What a subscriber that comes now gets as retained, by topic.
    func retained() async throws -> [String: Json] {
        let options = setup.broker
        // A name of its own: under a known one the broker would send what an earlier session has missed.
        let id = "late-\(makeID())"
        return try await withCaller(
            port: broker.port,
            id: id,
            version: .v5,
            user: options.users.first.map { ($0, $1) }
        ) {
            late in
            // What is retained comes before the answer to what is published after the subscription.
            try await late.listen(prefix: "edge")
            let topic = "edge/v1/fence/fence"
            try await caller.publish(MQTTPublication(topic: topic, payload: [0x31]))
            _ = try await late.hear("the fence") { $0.topic == topic }
            let kept = late.all().filter { $0.message.retain }
            return Dictionary(kept.map { ($0.topic, $0.json) }, uniquingKeysWith: { _, last in last })
        }
    }

    /// Ends the agent in order and says with which code.
    func stop(_ signal: Int32 = 15) async throws -> Int32 {
        agent.send(signal)
        return try await ended()
    }

    /// Waits for the agent's end.
    func ended() async throws -> Int32 {
        try await within("the agent's end") { [agent] in try await agent.exitStatus() }
    }
}

/// Runs a client of a broker as long as the body.
func withCaller<Value>(
    port: Int,
    id: String = "caller",
    version: MQTTVersionPolicy,
    user: (name: String, password: String)? = nil,
    _ body: (Caller) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop.startThread()
    defer { loop.stop() }
    let caller = Caller(port: port, id: id, version: version, user: user, on: loop)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: loop) { try await caller.client.run() }
        let result: Result<Value, any Error>
        do { result = .success(try await body(caller)) } catch { result = .failure(error) }
        await caller.client.close(timeout: .milliseconds(200))
        group.cancelAll()
        try await group.waitForAll()
        return try result.get()
    }
}

/// Runs a test with an agent that is ready to take commands.
///
/// - Parameters:
///   - setup: how it is set up.
///   - isReady: whether Bluetooth has to be ready too before the body begins.
///   - body: the test.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or why there is no agent.
@discardableResult
func withAgent<Value>(
    _ setup: AgentSetup = AgentSetup(),
    isReady: Bool = true,
    _ body: (Gateway) async throws -> Value
) async throws -> Value {
    try await withAgentWorld(setup.world) { world in
        try await withBroker(setup.broker) { broker in
            let version = setup.callerVersion
            return try await withCaller(port: broker.port, version: version, user: setup.user) { caller in
                try await caller.listen(to: setup.hears)
                let gateway = try await startAgent(setup, world, broker, caller)
                try await gateway.subscribed()
                if isReady { try await gateway.hear("ready", on: "bluetooth") }
                let value = try await body(gateway)
                #expect(gateway.agent.output.isEmpty)
                for word in ["Sanitizer", "Fatal error", "libdbus", "dbus_"] {
                    #expect(!gateway.agent.log.contains(word))
                }
                return value
            }
        }
    }
}

/// Starts one agent; it ends with its gateway at the latest.
func startAgent(_ setup: AgentSetup, _ world: AgentWorld, _ broker: Broker, _ caller: Caller) async throws -> Gateway {
    let agent = try await AgentProgram.start(
        configuration: setup.configuration(port: broker.port),
        arguments: setup.arguments,
        files: setup.files,
        bus: world.busAddress
    )
    return Gateway(setup: setup, world: world, broker: broker, agent: agent, caller: caller)
}
