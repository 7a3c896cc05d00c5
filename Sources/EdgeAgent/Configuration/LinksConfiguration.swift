/// What becomes of a link when nobody needs it.
package struct LinksConfiguration: Sendable, Equatable {
    /// The policy of devices that have none of their own.
    package var policy = LinkPolicy.onDemand
    /// How long an idle link of ``LinkPolicy/onDemand`` stays.
    package var idle = Duration.milliseconds(10_000)

    /// The defaults.
    package init() {}
}

/// When a device is connected.
package enum LinkPolicy: String, Sendable, CaseIterable {
    /// While a job or a subscription needs it, and a little longer.
    case onDemand
    /// Always: connected again when the link is lost.
    case keep
    /// Never.
    case never
}
