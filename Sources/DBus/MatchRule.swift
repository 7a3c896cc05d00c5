/// Which signals the bus shall deliver.
///
/// Source: D-Bus Specification, "Match Rules".
package struct MatchRule: Hashable, Sendable {
    package var sender: String?
    package var interface: String?
    package var member: String?
    package var path: ObjectPath?
    package var pathNamespace: ObjectPath?
    package var arg0: String?

    package init(
        sender: String? = nil,
        interface: String? = nil,
        member: String? = nil,
        path: ObjectPath? = nil,
        pathNamespace: ObjectPath? = nil,
        arg0: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.pathNamespace = pathNamespace
        self.arg0 = arg0
    }

    /// The rule as the bus reads it.
    ///
    /// Apostrophes in values are quoted as the specification says.
    package var text: String {
        var text = "type='signal'"
        let parts = [
            ("sender", sender), ("interface", interface), ("member", member), ("path", path?.text),
            ("path_namespace", pathNamespace?.text), ("arg0", arg0),
        ]
        for case (let key, let value?) in parts {
            let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            text += ",\(key)='\(quoted)'"
        }
        return text
    }
}
