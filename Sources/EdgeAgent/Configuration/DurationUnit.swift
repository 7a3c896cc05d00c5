/// The unit in which the configuration counts a duration; the raw value is its name in texts.
package enum DurationUnit: String, Sendable {
    case milliseconds = "ms"
    case seconds = "s"
    case hours = "h"

    /// That many units; `count` comes from a bounded range of the key table.
    package func duration(_ count: Int) -> Duration {
        switch self {
        case .milliseconds: .milliseconds(count)
        case .seconds: .seconds(count)
        case .hours: .seconds(3600) * count
        }
    }

    /// The whole units of a duration.
    package func count(of duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return switch self {
        case .milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        case .seconds: Int(seconds)
        case .hours: Int(seconds / 3600)
        }
    }
}
