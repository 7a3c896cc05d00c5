internal import Glibc

/// The clocks of a journal: the wall clock, and one that no correction moves.
package struct JournalClock: Sendable {
    /// Milliseconds since 1970.
    package var wallMs: @Sendable () -> Int64
    /// Milliseconds from any beginning.
    package var steadyMs: @Sendable () -> Int64

    package init(wallMs: @escaping @Sendable () -> Int64, steadyMs: @escaping @Sendable () -> Int64) {
        self.wallMs = wallMs
        self.steadyMs = steadyMs
    }

    /// Those of the machine.
    package static let system = JournalClock(
        wallMs: { milliseconds(CLOCK_REALTIME) },
        steadyMs: { milliseconds(CLOCK_BOOTTIME) }
    )

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
