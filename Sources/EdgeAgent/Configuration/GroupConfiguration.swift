/// Devices that one command may be for.
package struct GroupConfiguration: Sendable, Equatable {
    /// The group's level in topics, `[a-z0-9][a-z0-9_-]{0,63}`.
    package var name: String
    /// Aliases and addresses (12 lower-case hex digits), in the file's order; at least one, none twice.
    package var members: [String]

    /// Names a group.
    package init(name: String, members: [String]) {
        self.name = name
        self.members = members
    }
}
