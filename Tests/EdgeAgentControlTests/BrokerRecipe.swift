import EventLoop
import Foundation
import MQTT
import TestSupport

/// The broker of `deploy/broker`, on free ports, with certificates of its own script.
///
/// One more listener, without any list, is for whoever watches the test.
final class BrokerRecipe: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case gateway, controller, home

        var folder: String { self == .home ? "home" : rawValue + "s" }
    }

    let directory: String
    let ports: [Kind: Int]
    let watcherPort: Int
    private let broker = Locked<ChildProcess?>(nil)
    /// Whether the lines for an operator, `ops`, are switched on.
    private let hasOperator: Bool

    var authority: String { directory + "/pki/server/ca.pem" }
    func certificate(_ kind: Kind, _ name: String) -> String { "\(directory)/pki/\(kind.folder)/\(name).pem" }
    func key(_ kind: Kind, _ name: String) -> String { "\(directory)/pki/\(kind.folder)/\(name).key" }

    private init(_ directory: String, hasOperator: Bool) throws {
        self.directory = directory
        self.hasOperator = hasOperator
        ports = [.gateway: try freePort(), .controller: try freePort(), .home: try freePort()]
        watcherPort = try freePort()
    }

    deinit {
        // A directory that stays behind in /tmp harms nobody.
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static let source = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../deploy/broker").standardized.path

    /// Makes the issuers and certificates for these clients, and starts the broker.
    static func start(_ clients: [(Kind, String)], hasOperator: Bool = false) async throws -> BrokerRecipe {
        let directory = NSTemporaryDirectory() + "recipe-" + UUID().uuidString
        let recipe = try BrokerRecipe(directory, hasOperator: hasOperator)
        try FileManager.default.createDirectory(atPath: recipe.directory, withIntermediateDirectories: true)
        try await recipe.certificates("init")
        try await recipe.certificates("server", "localhost", "127.0.0.1")
        for (kind, name) in clients { try await recipe.certificates(kind.rawValue, name) }
        try await recipe.restart()
        return recipe
    }

    @discardableResult
    func certificates(_ arguments: String...) async throws -> String {
        try await ChildProcess.run(Self.source + "/certificates", ["--dir", directory + "/pki"] + arguments)
    }

    /// Starts the broker with what its files say now.
    func restart() async throws {
        try await broker.withLock { $0 }?.kill()
        try await certificates("export", directory + "/exported")
        for name in ["gateways.acl", "controllers.acl", "home.acl"] {
            var text = try String(contentsOfFile: "\(Self.source)/\(name)", encoding: .utf8)
            if hasOperator { text = text.replacing("#user ops", with: "user ops").replacing("#topic", with: "topic") }
            try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOfFile: Self.source + "/mosquitto.conf", encoding: .utf8)
            .replacingOccurrences(of: "/etc/mosquitto/edge-agent/pki", with: directory + "/exported")
            .replacingOccurrences(of: "/etc/mosquitto/edge-agent", with: directory)
            .replacingOccurrences(of: "/var/lib/mosquitto/", with: directory + "/")
            .replacingOccurrences(of: "listener 8883", with: "listener \(ports[.gateway] ?? 0) 127.0.0.1")
            .replacingOccurrences(of: "listener 8884", with: "listener \(ports[.controller] ?? 0) 127.0.0.1")
            .replacingOccurrences(of: "listener 8885", with: "listener \(ports[.home] ?? 0) 127.0.0.1")
        // As root mosquitto would become another user, who may not read the directory.
        let user = geteuid() == 0 ? "user root\n" : ""
        let more = "listener \(watcherPort) 127.0.0.1\nallow_anonymous true\nlog_dest stderr\nlog_type all\n"
        try (user + text + more).write(toFile: directory + "/mosquitto.conf", atomically: true, encoding: .utf8)
        let child = try await ChildProcess.spawn("/usr/sbin/mosquitto", ["-c", directory + "/mosquitto.conf"])
        broker.withLock { $0 = child }
        try await child.waitFor(" running")
    }

    /// What a client needs for one of the listeners.
    func configuration(_ kind: Kind, _ name: String, at port: Kind? = nil, id: String? = nil) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(host: "localhost", port: ports[port ?? kind] ?? 0, clientID: id ?? name)
        configuration.tls = MQTTTLS(
            caFile: authority,
            certificateFile: certificate(kind, name),
            keyFile: key(kind, name)
        )
        configuration.sessionExpirySeconds = 0
        return configuration
    }

    /// A client that hears and says everything.
    var watcher: MQTTConfiguration { free("watcher") }
    /// Another one.
    var second: MQTTConfiguration { free("second") }

    private func free(_ id: String) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: watcherPort, clientID: id)
        configuration.sessionExpirySeconds = 0
        return configuration
    }
}

/// A client of a broker, with all that it hears.
final class RecipeClient: Sendable {
    let client: MQTTClient
    let heard: Log<MQTTMessage>
    let events: Log<MQTTEvent>

    fileprivate init(_ configuration: MQTTConfiguration, on loop: EventLoop) {
        let (heard, events) = (Log<MQTTMessage>(), Log<MQTTEvent>())
        (self.heard, self.events) = (heard, events)
        client = MQTTClient(
            configuration,
            on: loop,
            onMessage: { heard.append($0) },
            onEvent: { events.append($0) }
        )
    }

    /// Subscribes to everything that there is.
    func listen() async throws {
        try await client.subscribe([MQTTSubscription("#")])
        _ = try await events.wait { if case .subscription = $0 { true } else { false } }
    }

    /// Publishes, and waits until the broker has answered.
    func publish(_ topic: String, _ text: String = "x") async throws {
        let outcomes = Log<MQTTOutcome>()
        let publication = MQTTPublication(topic: topic, payload: Array(text.utf8))
        if let refusal = await client.publish(publication, completion: { outcomes.append($0) }) { throw refusal }
        _ = try await outcomes.first(1)
    }

    /// The topics of all that was heard.
    var topics: Set<String> { Set(heard.all.map(\.topic)) }
}

/// Runs a client as long as the body.
func withRecipeClient<Value: Sendable>(
    _ configuration: MQTTConfiguration,
    isConnected: Bool = true,
    _ body: (RecipeClient) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop.startThread()
    defer { loop.stop() }
    let test = RecipeClient(configuration, on: loop)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: loop) { try await test.client.run() }
        let result: Result<Value, any Error>
        do {
            if isConnected { _ = try await test.events.wait { if case .connected = $0 { true } else { false } } }
            result = .success(try await body(test))
        } catch {
            result = .failure(error)
        }
        await test.client.close(timeout: .seconds(1))
        try await group.waitForAll()
        return try result.get()
    }
}
