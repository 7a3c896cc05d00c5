/// Why something on the bus did not work.
package enum DBusFailure: Error, Equatable, Sendable {
    /// The bus could not be reached or refused us.
    case connect(name: String, message: String)
    /// The connection ended; calls that were out will get no answer.
    case disconnected
    /// The other side answered with an error.
    case error(name: String, message: String)
    /// A text that libdbus would abort the process for: a path, name or string that is not valid.
    case invalid(Text, String)
    /// A message holds something else than its reader expects (D-Bus type codes; "" is the end of the message).
    case unexpectedType(found: String, expected: String)
    /// Values stand in one another deeper than D-Bus allows.
    case tooDeep
    /// libdbus had no memory.
    case outOfMemory(operation: String)

    /// What kind of text was not valid.
    package enum Text: String, Sendable {
        case path, interface, member, busName, errorName, signature, string
    }
}

extension DBusFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connect(let name, let message): "the bus is not to be reached: \(message) (\(name))"
        case .disconnected: "the connection to the bus ended"
        case .error(let name, let message): "\(name): \(message)"
        case .invalid(let text, let value): "not a valid D-Bus \(text.rawValue): \(value.debugDescription)"
        case .unexpectedType(let found, let expected): "found D-Bus type '\(found)', expected '\(expected)'"
        case .tooDeep: "values stand in one another more than \(MessageWriter.deepest) deep"
        case .outOfMemory(let operation): "no memory for \(operation)"
        }
    }
}
