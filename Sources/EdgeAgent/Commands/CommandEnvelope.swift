internal import Cryptography
internal import Frames

/// Who sent a command and what it is called, as far as that could be read.
///
/// What cannot be used is replaced: the caller by the topic's level or `anonymous`, the id by one of the agent's making.
struct CommandEnvelope {
    var id: CommandID
    /// Whether the caller gave an id that can be used.
    var hasOwnID: Bool
    var client = CommandEnvelope.anonymous
    var identity: String?
    /// What is wrong with the names.
    var problems: [String] = []
    /// The two names of the caller that differ.
    var conflict: String?

    static let anonymous = "anonymous"
    /// The longest id that an answer repeats, in bytes.
    static let maxEchoBytes = 1024

    var isAnonymous: Bool { client == Self.anonymous }

    /// Reads the envelope of a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - fields: Its members; `nil` when the payload could not be read.
    ///   - makeID: Makes an id that nobody else uses.
    init(_ message: IncomingCommand, fields: inout FieldReader?, makeID: () -> String) {
        let given = fields?.take("id")
        if let given {
            (id, hasOwnID) = Self.id(given, makeID: makeID)
            if !hasOwnID {
                let form = "id: expected a text of A-Z, a-z, 0-9, _ and - with 1 to 64 characters, or a whole number"
                problems.append("\(form), found \(given)")
            }
        } else if let data = message.properties.correlationData, !data.isEmpty, fields != nil {
            id = Self.id(correlationData: data)
            hasOwnID = true
        } else {
            let made = makeID()
            id = CommandID(made: made, echo: fields == nil ? .null : .text(made))
            hasOwnID = false
        }
        readClient(message, label: fields?.take("client"))
    }

    private mutating func readClient(_ message: IncomingCommand, label: JSONValue?) {
        let form = "A-Z, a-z, 0-9, _ and - with 1 to 64 characters"
        if let level = message.topic.clientLevel {
            if NamePattern.isCallerName(level) {
                identity = level
            } else {
                problems.append("the last level of the topic: expected \(form), found \(quoted(level))")
            }
        }
        var labels: [String] = []
        if let label {
            if let text = label.string, NamePattern.isCallerName(text) {
                labels.append(text)
            } else {
                problems.append("client: expected a text of \(form), found \(label)")
            }
        }
        if let property = message.properties.client {
            if NamePattern.isCallerName(property) {
                labels.append(property)
            } else {
                problems.append("the user property client: expected \(form), found \(quoted(property))")
            }
        }
        client = identity ?? labels.first ?? Self.anonymous
        if let other = labels.first(where: { $0 != client }) {
            conflict = "the caller is named \(quoted(client)) and \(quoted(other)): name it once, or alike"
        }
    }

    private static func id(_ given: JSONValue, makeID: () -> String) -> (CommandID, isOwn: Bool) {
        switch given {
        case .integer(let number): return (CommandID(number), true)
        case .string(let text):
            if let id = CommandID(text) { return (id, true) }
            let echo: CommandID.Echo = text.utf8.count <= maxEchoBytes ? .text(text) : .null
            return (CommandID(made: makeID(), echo: echo), false)
        default: return (CommandID(made: makeID(), echo: .null), false)
        }
    }

    /// The id that stands for correlation data: itself when it fits, else its SHA-256.
    private static func id(correlationData data: [UInt8]) -> CommandID {
        if let text = String(validating: data, as: UTF8.self), let id = CommandID(text) { return id }
        let hash = Digest.sha256(data)
        let text = String(unsafeUninitializedCapacity: 64) { buffer in
            for (place, byte) in hash.enumerated() {
                buffer[2 * place] = hexDigit(byte >> 4)
                buffer[2 * place + 1] = hexDigit(byte & 15)
            }
            return 64
        }
        return CommandID(made: text, echo: .text(text))
    }
}
