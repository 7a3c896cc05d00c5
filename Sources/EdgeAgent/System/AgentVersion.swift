/// The version of this build.
package enum AgentVersion {
    /// Major, minor and patch number (semantic versioning).
    package static let current = "0.1.0"
}
