import DBus
import TestSupport

/// A program that owns `org.bluez` and answers as a test tells it to.
final class FakeBluez: Sendable {
    /// Answers a call; nil: never.
    typealias Answer = @Sendable (DBusMessage) throws -> DBusMessage?

    let connection: DBusConnection
    /// The members of the calls that have come.
    let calls = Log<String>()

    private init(_ connection: DBusConnection) { self.connection = connection }

    static func start(on bus: PrivateBus, answer: @escaping Answer) async throws -> FakeBluez {
        let fake = FakeBluez(try await bus.connect())
        await fake.connection.setHandler(
            { [weak fake] message in
                guard let fake, message.kind == .methodCall else { return }
                fake.calls.append(message.member ?? "")
                do {
                    guard let reply = try answer(message) else { return }
                    try fake.connection.assumeIsolated { try $0.send(reply) }
                } catch {
                    // The connection has ended, or the test's answer is none: the caller hears nothing.
                }
            },
            onDisconnect: {}
        )
        guard try await fake.connection.requestName("org.bluez") else { throw Taken() }
        return fake
    }

    struct Taken: Error {}

    func send(_ signal: DBusMessage) async throws { try await connection.send(signal) }
}

extension DBusMessage {
    /// The reply to this call with values.
    func answer(_ values: DBusValue...) throws -> DBusMessage {
        try reply().append { (writer) throws(DBusFailure) in
            for value in values { try writer.append(value) }
        }
    }
}
