import BleCore
import DBus
import TestSupport

/// A program that owns `org.bluez` and answers as a test tells it to.
final class FakeBluez: Sendable {
    /// Answers a call; nil: never.
    typealias Answer = @Sendable (DBusMessage) throws -> DBusMessage?

    let connection: DBusConnection
    /// The members of the calls that have come.
    let calls = Log<String>()
    /// The calls themselves, to be answered later.
    let messages = Log<DBusMessage>()

    private init(_ connection: DBusConnection) { self.connection = connection }

    static func start(on bus: PrivateBus, answer: @escaping Answer) async throws -> FakeBluez {
        let fake = FakeBluez(try await bus.connect())
        await fake.connection.setHandler(
            { [weak fake] message in
                guard let fake, message.kind == .methodCall else { return }
                fake.messages.append(message)
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

    /// Waits for a call of a method: the first, or a later one.
    func call(_ member: String, count: Int = 1) async throws -> DBusMessage {
        try await messages.wait(count) { $0.member == member }
    }

    /// Tells changed properties of the device.
    func tell(_ properties: Messages.Properties) async throws {
        try await send(try Messages.changed(Messages.device, Messages.deviceInterface, properties))
    }
}

/// Runs a test with a manager that follows a bluetoothd of the test's own, which shows objects and answers as it is told.
func withPeer(
    objects: [(ObjectPath, Messages.Interfaces)] = Messages.linkedObjects,
    configuration: BluetoothManager.Configuration = .impatient,
    isReady: Bool = true,
    answer: @escaping FakeBluez.Answer,
    _ body: (BluetoothManager, FakeBluez) async throws -> Void
) async throws {
    try await withPrivateBus { bus in
        let tree = Messages.objects(objects)
        let bluez = try await FakeBluez.start(on: bus) { call in
            call.member == "GetManagedObjects" ? try call.answer(tree) : try answer(call)
        }
        try await withManager(on: bus, configuration) { manager in
            if isReady { try await manager.ready(within: .seconds(50)) }
            try await body(manager, bluez)
        }
    }
}

extension DBusMessage {
    /// The reply to this call with values.
    func answer(_ values: DBusValue...) throws -> DBusMessage {
        try reply().append { (writer) throws(DBusFailure) in
            for value in values { try writer.append(value) }
        }
    }
}
