import Glibc

/// What the process uses, for `health`.
package struct ProcessFigures: Sendable, Equatable {
    /// Time since the process's figures were first asked for, which is its start; the machine's sleep counts.
    package let uptime: Duration
    /// Memory in RAM, in bytes; 0 where `/proc` cannot be read.
    package let residentBytes: Int
    /// Processor time in user and kernel mode, all threads together.
    package let cpuTime: Duration

    /// Takes the figures; `start` is what ``now()`` gave at the process's start.
    package static func current(since start: Duration) -> ProcessFigures {
        ProcessFigures(uptime: now() - start, residentBytes: residentBytes(), cpuTime: cpuTime())
    }

    /// The time since the machine's boot, its sleep included.
    package static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    private static func residentBytes() -> Int {
        do throws(BoundedFile.Failure) {
            let text = String(decoding: try BoundedFile.read("/proc/self/statm", limit: 256).bytes, as: UTF8.self)
            let fields = text.split(separator: " ")
            guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
            let (bytes, overflow) = pages.multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
            return overflow ? 0 : bytes
        } catch {
            return 0
        }
    }

    private static func cpuTime() -> Duration {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return .zero }
        return duration(usage.ru_utime) + duration(usage.ru_stime)
    }

    private static func duration(_ time: timeval) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
