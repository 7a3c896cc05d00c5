/// Where the audit log goes, and what it tells.
package struct AuditConfiguration: Sendable, Equatable {
    /// Absolute path of a file of its own; nil: the log.
    package var file: String?
    /// Whether it has the bytes that are written to devices.
    package var showsValues = false

    /// The defaults.
    package init() {}
}
