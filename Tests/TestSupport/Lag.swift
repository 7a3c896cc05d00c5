import Glibc

/// A slow machine for tests, to find those that count on being quick: `EDGE_AGENT_TEST_LAG_MS=300 make test`.
///
/// A test that marks a place too late, or acts too late upon what it has seen, fails with it each time.
package enum Lag {
    private static let milliseconds: UInt32 = {
        guard let text = getenv("EDGE_AGENT_TEST_LAG_MS") else { return 0 }
        return UInt32(String(cString: text)) ?? 0
    }()

    /// Stands still for so long, as a thread does that gets no processor.
    package static func take() {
        if milliseconds > 0 { usleep(milliseconds * 1000) }
    }
}
