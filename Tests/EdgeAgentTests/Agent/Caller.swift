import EventLoop
import MQTT
import TestSupport

/// A message as the caller heard it.
struct Received: Sendable {
    /// Its place among all that the caller heard, from 0.
    let number: Int
    let message: MQTTMessage
    /// Missing when the payload is no JSON.
    let json: Json

    var topic: String { message.topic }
    var text: String { String(decoding: message.payload, as: UTF8.self) }
    var properties: [String: String] {
        Dictionary(message.userProperties.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

/// What a test waited for in vain.
struct NotHeard: Error, CustomStringConvertible {
    let description: String
}

/// A client of the broker that commands the agent and hears all that it publishes.
final class Caller: Sendable {
    let client: MQTTClient
    private let heard: Log<Received>
    private let events: Log<MQTTEvent>

    init(port: Int, id: String, version: MQTTVersionPolicy, user: (name: String, password: String)?, on loop: EventLoop)
    {
        let heard = Log<Received>()
        let events = Log<MQTTEvent>()
        self.heard = heard
        self.events = events
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: port, clientID: id)
        configuration.version = version
        configuration.reconnect.first = .milliseconds(20)
        configuration.reconnect.longest = .milliseconds(100)
        configuration.username = user?.name
        configuration.password = user.map { MQTTSecret(Array($0.password.utf8)) }
        configuration.maxPayloadBytes = 4 << 20
        client = MQTTClient(
            configuration,
            on: loop,
            // Called on the loop alone: the number is the place.
            onMessage: { message in
                let json = message.payload.isEmpty ? Json.missing : Json(message.payload) ?? .missing
                heard.append(Received(number: heard.all.count, message: message, json: json))
            },
            onEvent: { events.append($0) }
        )
    }

    /// Subscribes to everything that an agent publishes, and waits until the broker has agreed.
    func listen(prefix: String) async throws { try await listen(to: ["\(prefix)/v1/#", "reply/#"]) }

    /// Subscribes to these filters, two of them, and waits until the broker has agreed.
    func listen(to wanted: [String]) async throws {
        var filters: [MQTTSubscription] = []
        for filter in wanted {
            var subscription = MQTTSubscription(filter)
            subscription.noLocal = true
            subscription.retainAsPublished = true
            filters.append(subscription)
        }
        try await client.subscribe(filters)
        try await subscribed()
    }

    /// Waits until the subscriptions stand on the n-th connection.
    func subscribed(connection: Int = 1) async throws {
        try await within("the caller's subscriptions, connection \(connection)") { [events] in
            try await events.wait(2 * connection) { event in
                if case .subscription(_, .granted) = event { true } else { false }
            }
        }
    }

    /// Where what comes next will stand.
    var mark: Int {
        Lag.take()
        return heard.all.count
    }

    /// All that was heard on topics with a beginning and an end, from a mark on.
    func all(from mark: Int = 0, _ prefix: String = "", suffix: String = "") -> [Received] {
        heard.all.dropFirst(mark).filter { $0.topic.hasPrefix(prefix) && $0.topic.hasSuffix(suffix) }
    }

    /// Waits for the n-th message from a mark on that fulfils a condition.
    func hear(
        _ what: String,
        from mark: Int = 0,
        count: Int = 1,
        where condition: @escaping @Sendable (Received) -> Bool
    ) async throws -> Received {
        try await within(what) { [heard] in
            try await heard.wait(count) { $0.number >= mark && condition($0) }
        }
    }

    /// Publishes and waits until the broker has it.
    func publish(_ publication: MQTTPublication) async throws {
        let outcomes = Log<MQTTOutcome>()
        if let refusal = await client.publish(publication, completion: { outcomes.append($0) }) { throw refusal }
        try await within("the broker's acknowledgement of \(publication.topic)") { try await outcomes.first(1) }
        Lag.take()
    }
}

/// Waits, but not for ever: says what was waited for in vain.
@discardableResult
func within<Value: Sendable>(
    _ what: String,
    seconds: Int = 100,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            // The bound of the wait, not a way to wait.
            try await Task.sleep(for: .seconds(seconds))
            return nil
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() ?? nil else {
            throw NotHeard(description: "not within \(seconds) s: \(what)")
        }
        return value
    }
}
