package import BleCore
package import Frames
package import Profiles

/// Carries out a command that the device's profile names.
package struct RunRequest: Sendable, Equatable {
    /// What it is carried out with.
    package enum Arguments: Sendable, Equatable {
        /// By name, as `run` has them.
        case named([String: ParsedValue])
        /// A bare value, as it comes on `set/{name}`.
        case bare(String)
    }

    /// What the profile makes of it.
    package struct Resolved: Sendable, Equatable {
        package var prepared: PreparedCommand
        package var isReadOnly: Bool
        package var isIdempotent: Bool
        /// The value that it sets.
        package var sets: String?

        package init(prepared: PreparedCommand, isReadOnly: Bool, isIdempotent: Bool, sets: String?) {
            self.prepared = prepared
            self.isReadOnly = isReadOnly
            self.isIdempotent = isIdempotent
            self.sets = sets
        }
    }

    package static let maxTextBytes = 512

    package var name: String
    package var arguments: Arguments
    /// Nil until it is known for which device it is.
    package var resolved: Resolved?

    package init(name: String, arguments: Arguments = .named([:]), resolved: Resolved? = nil) {
        self.name = name
        self.arguments = arguments
        self.resolved = resolved
    }

    /// The characteristics that it touches, as far as that is known.
    package var attributes: [AttributeSelector] {
        switch resolved?.prepared {
        case .transact(let rules)?: [rules.write] + (rules.notify.map { [$0] } ?? [])
        case .read(let selector, _)?: [selector]
        case nil: []
        }
    }
}
