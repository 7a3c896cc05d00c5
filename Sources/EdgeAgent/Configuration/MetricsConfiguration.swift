/// Where the figures of the agent can be read.
package struct MetricsConfiguration: Sendable, Equatable {
    /// The address and port of the HTTP endpoint; nil: there is none.
    package var listen: String?

    /// The defaults.
    package init() {}
}
