/// When links are made, made again, and dropped.
package struct LinksConfiguration: Sendable, Equatable {
    /// What holds for the link of a device of which nothing else is said.
    package var rules = LinkRules()
    /// The most links of one adapter; nil: as many as it takes, learned when it refuses one more.
    package var maximum: Int?
    /// The first and the longest gap before a link is made again.
    package var reconnectMinimum = Duration.milliseconds(1000)
    package var reconnectMaximum = Duration.milliseconds(60_000)
    /// How long a link has to stand so that the gaps begin anew.
    package var held = Duration.milliseconds(30_000)

    /// The defaults.
    package init() {}
}
