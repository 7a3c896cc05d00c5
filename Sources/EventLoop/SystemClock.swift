internal import CLinux

/// The kernel's own judgement of the wall clock.
package enum SystemClock {
    /// Whether the kernel calls the clock synchronised, by NTP or another time source (`STA_UNSYNC` of adjtimex(2)).
    package static var isSynchronised: Bool {
        var state = timex()
        return adjtimex(&state) >= 0 && state.status & STA_UNSYNC == 0
    }
}
