/// How the values of a subscription are put into messages.
package enum Coalesce: Sendable, Hashable {
    /// A message each.
    case every
    /// At most one message each such span, with the newest value.
    case latest(Duration)
    /// Several values a message: so many, or those that came within the span after the first of them.
    case batch(count: Int, maxDelay: Duration)

    /// The most values that a message may be asked to carry.
    package static let longestBatch = 100
    /// The longest that a value may be made to wait, in milliseconds.
    package static let longestMs = 3_600_000
}
