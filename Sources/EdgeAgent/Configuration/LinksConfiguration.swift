/// What becomes of a link when nobody needs it.
package struct LinksConfiguration: Sendable, Equatable {
    /// How long a link stays that neither a job nor a subscription needs.
    package var idle = Duration.milliseconds(10_000)
    /// The most links of one adapter; nil: as many as it takes, learned when it refuses one more.
    package var maximum: Int?

    /// The defaults.
    package init() {}
}
