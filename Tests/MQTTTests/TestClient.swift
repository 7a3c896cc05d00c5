import EventLoop
import MQTT
import TestSupport

/// A client on a loop of its own, with all that it reports kept.
final class TestClient: Sendable {
    let loop: EventLoop
    let client: MQTTClient
    let events: Log<MQTTEvent>
    let messages: Log<MQTTMessage>

    init(_ configuration: MQTTConfiguration, on loop: EventLoop) {
        let events = Log<MQTTEvent>()
        let messages = Log<MQTTMessage>()
        self.loop = loop
        self.events = events
        self.messages = messages
        client = MQTTClient(
            configuration,
            on: loop,
            onMessage: { messages.append($0) },
            onEvent: { events.append($0) }
        )
    }

    /// Waits for the n-th link.
    @discardableResult
    func connected(_ count: Int = 1) async throws -> MQTTConnection {
        guard case .connected(let connection) = try await events.wait(count, where: { $0.isConnected }) else {
            throw CancellationError()
        }
        return connection
    }

    /// Waits for the first failed attempt, or lost link.
    func failure(_ count: Int = 1) async throws -> MQTTFailure {
        switch try await events.wait(count, where: { $0.failure != nil }).failure {
        case .some(let failure): return failure
        case nil: throw CancellationError()
        }
    }

    /// Subscribes and waits for the broker's word.
    @discardableResult
    func subscribe(_ subscription: MQTTSubscription) async throws -> MQTTSubscriptionOutcome {
        let before = events.all.count { $0.outcome(for: subscription.filter) != nil }
        try await client.subscribe([subscription])
        let event = try await events.wait(before + 1) { $0.outcome(for: subscription.filter) != nil }
        return event.outcome(for: subscription.filter) ?? .unanswered
    }

    /// Publishes and waits for what becomes of it.
    func deliver(_ publication: MQTTPublication) async throws -> MQTTOutcome {
        let outcomes = Log<MQTTOutcome>()
        if let refusal = await client.publish(publication, completion: { outcomes.append($0) }) { throw refusal }
        return try await outcomes.first(1)[0]
    }
}

extension MQTTEvent {
    var isConnected: Bool {
        if case .connected = self { true } else { false }
    }

    var failure: MQTTFailure? {
        switch self {
        case .connectFailed(let failure, _), .disconnected(let failure, _, _, _), .fellBack(let failure): failure
        default: nil
        }
    }

    var retryIn: Duration? {
        switch self {
        case .connectFailed(_, let gap), .disconnected(_, _, let gap, _): gap
        default: nil
        }
    }

    func outcome(for filter: String) -> MQTTSubscriptionOutcome? {
        if case .subscription(filter, let outcome) = self { outcome } else { nil }
    }
}

extension MQTTConfiguration {
    /// For a broker of the tests: short gaps, so that nothing has to be waited for long.
    init(_ port: Int, id: String = "agent", version: MQTTVersionPolicy = .auto) {
        self.init(host: "127.0.0.1", port: port, clientID: id)
        self.version = version
        reconnect.first = .milliseconds(20)
        reconnect.longest = .milliseconds(200)
    }
}

/// Runs a client on a loop of its own as long as the body, and closes it.
@discardableResult
func withClient<Value>(
    _ configuration: MQTTConfiguration,
    _ body: (TestClient) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop.startThread()
    defer { loop.stop() }
    let test = TestClient(configuration, on: loop)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: loop) { try await test.client.run() }
        let value: Value
        do {
            value = try await body(test)
        } catch {
            group.cancelAll()
            try? await group.waitForAll()  // the body's failure is what matters
            throw error
        }
        await test.client.close(timeout: .seconds(2))
        try await group.waitForAll()
        return value
    }
}

func text(_ message: MQTTMessage) -> String { String(decoding: message.payload, as: UTF8.self) }
