package import DBus
import EventLoop

/// A client of `org.bluez` that writes down what it receives, replies among signals, in the order of the bus.
package final class SimulatorClient: Sendable {
    /// What has come, one line each: `Device1 Connected=true`, `+GattService1`, `-> Connect`, `-> Connect Failed: …`.
    private let events = Locked<[Event]>([])
    private let changes = Waiters()
    package let connection: DBusConnection

    /// One message that has come.
    private struct Event {
        let path: ObjectPath
        let text: String
    }

    private init(_ connection: DBusConnection) { self.connection = connection }

    /// Connects to a bus and subscribes to all signals of `org.bluez`.
    package static func connect(to bus: PrivateBus) async throws -> SimulatorClient {
        let client = SimulatorClient(try await bus.connect())
        await client.connection.setHandler({ [weak client] in client?.receive($0) }, onDisconnect: {})
        try await client.connection.addMatch(MatchRule(sender: "org.bluez"))
        return client
    }

    /// Calls a method; its reply becomes an event as well.
    @discardableResult
    package func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: DBusValue...
    ) async throws -> [DBusValue] {
        let message = try DBusMessage.call("org.bluez", path, interface, member)
        try message.append { (writer) throws(DBusFailure) in
            for argument in arguments { try writer.append(argument) }
        }
        return Self.values(try await exchange(message, path, member, on: connection))
    }

    private func exchange(
        _ message: DBusMessage,
        _ path: ObjectPath,
        _ member: String,
        on connection: isolated DBusConnection
    ) async throws -> DBusMessage {
        try await withCheckedThrowingContinuation { continuation in
            connection.call(message) { [self] outcome in
                switch outcome {
                case .success: add(path, "-> \(member)")
                case .failure(.error(let name, let text)): add(path, "-> \(member) \(Self.short(name)): \(text)")
                case .failure(let failure): add(path, "-> \(member) \(failure)")
                }
                continuation.resume(with: outcome.mapError { $0 })
            }
        }
    }

    /// Reads one property.
    package func get(_ path: ObjectPath, _ interface: String, _ property: String) async throws -> DBusValue? {
        try await call(path, BusNames.properties, "Get", .string(interface), .string(property)).first?.unwrapped
    }

    /// How much has come: a position for the others.
    package var position: Int {
        Lag.take()
        return events.withLock { $0.count }
    }

    /// The texts of what has come from an object and those below it, in order, from a position on.
    package func texts(within path: ObjectPath, from start: Int = 0) -> [String] {
        events.withLock { $0.dropFirst(start).filter { $0.path.isWithin(path) }.map(\.text) }
    }

    /// Waits until an object has sent something that begins with a text, after a position.
    package func wait(for prefix: String, from path: ObjectPath, after start: Int = 0, count: Int = 1) async throws {
        try await wait(from: path, after: start, count: count) { $0.hasPrefix(prefix) }
    }

    /// Waits until that many texts from an object fulfil a condition, after a position.
    package func wait(
        from path: ObjectPath,
        after start: Int = 0,
        count: Int = 1,
        where condition: @escaping @Sendable (String) -> Bool
    ) async throws {
        _ = try await changes.wait { () -> Bool? in
            let found = self.events.withLock { events in
                events.dropFirst(start).count { $0.path == path && condition($0.text) }
            }
            return found >= count ? true : nil
        }
    }

    private func add(_ path: ObjectPath, _ text: String) {
        events.withLock { $0.append(Event(path: path, text: text)) }
        changes.check()
    }

    private func receive(_ message: DBusMessage) {
        guard message.kind == .signal, let path = message.path, let member = message.member else { return }
        let values = Self.values(message)
        switch (member, values.first, values.dropFirst().first, values.dropFirst(2).first) {
        case ("PropertiesChanged", .string(let name)?, .dictionary(_, _, let changed)?, .array(_, let gone)?):
            let news = changed.map { "\(Self.text($0.key))=\(Self.text($0.value.unwrapped))" }
            let texts = news + gone.map { "!\(Self.text($0))" }
            add(path, "\(Self.short(name)) \(texts.joined(separator: " "))")
        case ("InterfacesAdded", .path(let object)?, .dictionary(_, _, let interfaces)?, _):
            add(object, "+" + Self.own(interfaces.map { Self.text($0.key) }))
        case ("InterfacesRemoved", .path(let object)?, .array(_, let interfaces)?, _):
            add(object, "-" + Self.own(interfaces.map(Self.text)))
        default: add(path, member)
        }
    }

    private static func values(_ message: DBusMessage) -> [DBusValue] {
        var reader = message.reader()
        var values: [DBusValue] = []
        do throws(DBusFailure) {
            while !reader.atEnd { values.append(try reader.value()) }
        } catch {
            return values
        }
        return values
    }

    private static func own(_ names: [String]) -> String {
        names.filter { $0.hasPrefix("org.bluez") }.map(short).joined(separator: " ")
    }

    private static func short(_ name: String) -> String { String(name.split(separator: ".").last ?? "") }

    private static func text(_ value: DBusValue) -> String {
        switch value {
        case .string(let text): text
        case .bool(let value): String(value)
        case .int16(let value): String(value)
        case .uint16(let value): String(value)
        case .path(let path): path.text
        case .bytes(let bytes): bytes.map { String($0, radix: 16) }.joined(separator: ",")
        case .array(_, let values): "[\(values.map(text).joined(separator: ","))]"
        default: value.signature
        }
    }
}
