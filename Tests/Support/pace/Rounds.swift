internal import Glibc

/// How often a test repeats what it does with other random values.
package enum Rounds {
    /// All of them are 100; `EDGE_AGENT_TEST_ROUNDS=20` makes them a fifth, for sanitizers that take ten times as long.
    private static let percent: Int = {
        guard let text = getenv("EDGE_AGENT_TEST_ROUNDS"), let percent = Int(String(cString: text)) else { return 100 }
        return min(max(percent, 1), 100)
    }()

    /// So many, or the part of them that is wanted.
    package static func of(_ whole: Int) -> Int { max(1, whole * percent / 100) }

    /// Whether all of them are wanted, and what they come to in all can be looked at.
    package static var areAll: Bool { percent == 100 }
}
