/// The version of this build.
package enum AgentVersion {
    /// Major, minor and patch number (semantic versioning).
    package static let current = "0.1.0"

    /// When this version was made, in milliseconds since 1970-01-01 UTC: a clock that shows less is wrong.
    package static let releasedMs: Int64 = 1_795_996_800_000
}
