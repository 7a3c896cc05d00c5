internal import CSystemd

/// What the process tells the service manager that started it; nothing happens where there is none.
package enum ServiceManager {
    /// Says that the service works.
    package static func ready() { _ = sd_notify(0, "READY=1") }

    /// Says that the service ends in order, and is not hanging.
    package static func stopping() { _ = sd_notify(0, "STOPPING=1") }

    /// Says in a line how the service is; `systemctl status` shows it.
    package static func status(_ text: String) { _ = sd_notify(0, "STATUS=\(text.filter { !$0.isNewline })") }

    /// Says that the service is alive.
    package static func alive() { _ = sd_notify(0, "WATCHDOG=1") }

    /// How often it has to say so, else it is taken for hanging; nil when nobody watches.
    package static var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }
}
