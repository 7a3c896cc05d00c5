/// How far messages wait behind a link, for those who can wait themselves with what they would publish.
package enum MQTTBacklog: Int, Sendable, Comparable {
    /// The link takes what comes, or there is none.
    case none
    /// Messages wait because the broker, or the way to it, takes no more now.
    case waiting
    /// What waits takes more than half of what the bounds allow.
    case pastHalf

    package static func < (left: MQTTBacklog, right: MQTTBacklog) -> Bool { left.rawValue < right.rawValue }
}
