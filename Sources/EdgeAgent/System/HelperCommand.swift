internal import Glibc

/// A command of the operator's, run without a shell and for a bounded time.
///
/// Blocking: for a worker's thread.
package struct HelperCommand: Sendable {
    /// What came of it.
    package enum Outcome: Sendable, Equatable {
        case exited(Int)
        case signalled(Int)
        /// It was killed at its deadline, with all that it had started in its process group.
        case timedOut
        /// It could not be started; the system's reason.
        case notStarted(String)
    }

    /// The most that is kept of what it prints.
    package static let maximumOutputBytes = 2048

    /// The absolute path and the arguments.
    package let words: [String]
    package let environment: [String: String]
    package let limit: Duration

    /// A command that gets this environment and nothing else.
    package init(words: [String], environment: [String: String], limit: Duration) {
        self.words = words
        self.environment = environment
        self.limit = limit
    }

    /// Runs the command to its end.
    ///
    /// - Returns: what came of it, and the beginning of what it has printed.
    package func run() -> (outcome: Outcome, output: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (.notStarted(Self.text(of: errno)), []) }
        let (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
        defer { close(reading) }
        let started = start(printingTo: writing)
        close(writing)
        switch started {
        case .success(let pid): return wait(for: pid, reading)
        case .failure(let refusal): return (.notStarted(Self.text(of: refusal.code)), [])
        }
    }

    private struct Refusal: Error { let code: Int32 }

    private func start(printingTo output: Int32) -> Result<pid_t, Refusal> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A group of its own, so that nothing of it outlives its deadline.
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, words[0], &actions, &attributes, &arguments, &variables)
        return code == 0 ? .success(pid) : .failure(Refusal(code: code))
    }

    private func wait(for pid: pid_t, _ reading: Int32) -> (Outcome, [UInt8]) {
        let deadline = ContinuousClock.now + limit
        var output: [UInt8] = []
        var isOpen = true
        var isKilled = false
        while true {
            drain(reading, into: &output, &isOpen)
            var status: Int32 = 0
            if waitpid(pid, &status, isKilled ? 0 : WNOHANG) == pid {
                drain(reading, into: &output, &isOpen)
                if isKilled { return (.timedOut, output) }
                let signal = Int(status & 0x7F)
                return (signal == 0 ? .exited(Int(status >> 8 & 0xFF)) : .signalled(signal), output)
            }
            if ContinuousClock.now >= deadline, !isKilled {
                kill(-pid, SIGKILL)
                isKilled = true
                continue
            }
            var descriptor = pollfd(fd: isOpen ? reading : -1, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, 50)
        }
    }

    /// Takes what was printed; beyond the bound it is thrown away.
    private func drain(_ reading: Int32, into output: inout [UInt8], _ isOpen: inout Bool) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while isOpen {
            let count = read(reading, &buffer, buffer.count)
            guard count > 0 else {
                if count == 0 { isOpen = false }
                return
            }
            output += buffer[..<count].prefix(Self.maximumOutputBytes - output.count)
        }
    }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
