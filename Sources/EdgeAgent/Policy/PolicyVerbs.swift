/// The verbs of a rule: one by its name, or a group.
package enum PolicyVerbs: Sendable, Equatable {
    case any
    /// What changes nothing, be it on the device, on the gateway or in what the agent publishes.
    case readOnly
    case verb(VerbName)

    /// The words for the groups.
    package static let groups = ["any", "read-only"]

    /// Reads a word of the configuration.
    package init?(_ text: String) {
        switch text {
        case "any": self = .any
        case "read-only": self = .readOnly
        default:
            guard let verb = VerbName(rawValue: text) else { return nil }
            self = .verb(verb)
        }
    }

    /// The word that is read again as the same.
    package var text: String {
        switch self {
        case .any: "any"
        case .readOnly: "read-only"
        case .verb(let verb): verb.rawValue
        }
    }

    func contain(_ question: PolicyQuestion) -> Bool {
        switch self {
        case .any: true
        case .readOnly: !question.isChanging
        case .verb(let verb): verb == question.verb
        }
    }
}
