/// What becomes of a link when nobody needs it.
package struct LinksConfiguration: Sendable, Equatable {
    /// How long a link stays that neither a job nor a subscription needs.
    package var idle = Duration.milliseconds(10_000)

    /// The defaults.
    package init() {}
}
