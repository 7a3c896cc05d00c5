/// The callers of a rule: by the level of the topic, which alone can be bound to a user of the broker.
package enum PolicyCallers: Sendable, Equatable {
    /// Those whose topic has no such level.
    case none
    case named(NameMask)

    /// Reads `none`, a name, or a name with `*`.
    package init?(_ text: String) {
        if text == "none" {
            self = .none
        } else {
            guard let mask = NameMask(text, accepts: NamePattern.isCallerName) else { return nil }
            self = .named(mask)
        }
    }

    /// The word that is read again as the same.
    package var text: String {
        switch self {
        case .none: "none"
        case .named(let mask): mask.text
        }
    }

    func contain(_ identity: String?) -> Bool {
        switch self {
        case .none: identity == nil
        case .named(let mask): identity.map { mask.matches($0) } ?? false
        }
    }
}
