/// The name of a configured group of devices: `lights`.
package struct GroupName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Takes `[a-z0-9][a-z0-9_-]{0,63}`.
    package init?(_ text: String) {
        guard NamePattern.isItemName(text) else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// The configured groups: which devices a command to one of them is for.
package struct GroupDirectory: Sendable, Equatable {
    private let members: [GroupName: [DeviceTarget]]

    /// Makes a directory of groups whose members are known.
    package init(_ members: [GroupName: [DeviceTarget]] = [:]) { self.members = members }

    /// The devices of a group, in the order of the configuration; nil when there is no such group.
    package func members(of group: GroupName) -> [DeviceTarget]? { members[group] }

    /// All groups, in order of the alphabet.
    package var names: [String] { members.keys.map(\.text).sorted() }
}
