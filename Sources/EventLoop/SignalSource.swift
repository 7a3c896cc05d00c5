internal import CLinux
internal import Glibc

/// Signals as events of the loop, through a signalfd.
package final class SignalSource {
    private let loop: EventLoop
    private let descriptor: Int32

    /// Blocks the signals in this thread (and those that it starts later), so that only a source sees them.
    ///
    /// Call it before any thread is started.
    package static func block(_ signals: [Int32]) {
        var set = Self.set(signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls the handler on the loop with the number of each signal that arrives.
    ///
    /// On the loop, or before it runs.
    ///
    /// - Throws: `SystemFailure` when the kernel gives no descriptor.
    package init(_ signals: [Int32], on loop: EventLoop, handler: @escaping (Int32) -> Void) throws(SystemFailure) {
        var set = Self.set(signals)
        let descriptor = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemFailure("signalfd") }
        self.loop = loop
        self.descriptor = descriptor
        do throws(SystemFailure) {
            try loop.watch(descriptor, for: .readable) { _ in
                var info = signalfd_siginfo()
                while read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size)
                    == MemoryLayout<signalfd_siginfo>.size
                {
                    handler(Int32(bitPattern: info.ssi_signo))
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Ends the source.
    ///
    /// On the loop.
    package func cancel() {
        loop.unwatch(descriptor)
        close(descriptor)
    }

    private static func set(_ signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
