import Foundation
package import Glibc
import EventLoop

/// A program that a test runs, with its output kept, that ends with the test at the latest.
///
/// Signals are unblocked in it (a child of `Process` inherits a blocked SIGTERM), and the kernel kills it when the
/// tests die.
package final class ChildProcess: Sendable {
    /// A program that did not start, or ended before it did what was waited for.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        var pid: pid_t = 0
        /// Before the start and after the end: no signal may be sent.
        var isGone = true
        var status: Int32?
        var output: [UInt8] = []
        var errors: [UInt8] = []
    }

    private static let starting = Locked(0)
    /// What a program of a sanitizer's build has to know wherever it is started: what to look for, where to report.
    private static let sanitizers = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"]

    /// Whether programs and tests are a sanitizer's build.
    package static var isSanitized: Bool {
        let own = ProcessInfo.processInfo.environment
        return sanitizers.contains { own[$0] != nil }
    }

    private let state = Locked(State())
    private let changes = Waiters()

    private init() {}

    deinit { send(SIGKILL) }

    /// Starts a program by its path.
    ///
    /// - Parameters:
    ///   - program: the absolute path.
    ///   - arguments: without the program's name.
    ///   - environment: instead of the tests' own, but for what sanitizers need.
    ///   - input: what the program reads from its standard input.
    /// - Returns: the running program.
    /// - Throws: `Failure` when it cannot be started.
    package static func spawn(
        _ program: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        input: String = ""
    ) async throws -> ChildProcess {
        let child = ChildProcess()
        try await handedOver { (done: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            // The thread that starts a child stays as long as the child: the kernel's death signal is the thread's.
            Thread.detachNewThread { [weak child] in
                do {
                    // One at a time: a child started between a pipe and its close-on-exec flag would keep it open.
                    let (pid, output, errors) = try starting.withLock { _ in
                        try start(program, arguments, environment, input)
                    }
                    child?.note(.started(pid))
                    done(.success(()))
                    // Only the watching may outlive the last user of the object.
                    watch(pid, output, errors) { child?.note($0) }
                } catch {
                    done(.failure(error))
                }
            }
        }.get()
        return child
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - program: the absolute path.
    ///   - arguments: without the program's name.
    ///   - input: what the program reads from its standard input.
    /// - Returns: what it wrote to its standard output.
    /// - Throws: `Failure` with its error output when it ends with another status than 0.
    @discardableResult
    package static func run(_ program: String, _ arguments: [String], input: String = "") async throws -> String {
        let child = try await spawn(program, arguments, input: input)
        let status = try await child.exitStatus()
        guard status == 0 else { throw Failure(description: "\(program) ended with \(status): \(child.errors)") }
        return child.output
    }

    /// Its number; 0 before it runs.
    package var pid: pid_t { state.withLock { $0.pid } }
    /// What it has written to its standard output.
    package var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    /// What it has written to its standard error.
    package var errors: String { state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    /// Sends a signal; harmless when the program has ended.
    package func send(_ signal: Int32) {
        state.withLock { if !$0.isGone { _ = Glibc.kill($0.pid, signal) } }
    }

    /// Waits for the end.
    ///
    /// - Returns: the exit status, or 128 and the signal's number.
    /// - Throws: `CancellationError`.
    @discardableResult
    package func exitStatus() async throws -> Int32 {
        try await changes.wait { self.state.withLock { $0.status } }
    }

    /// Kills it and waits until it is gone.
    ///
    /// - Throws: `CancellationError`.
    package func kill() async throws {
        send(SIGKILL)
        try await exitStatus()
    }

    /// Waits until a text has been written to either output.
    ///
    /// - Parameters:
    ///   - text: what to look for.
    ///   - count: how often it has to stand there.
    /// - Throws: `Failure` when the program ends without it; `CancellationError`.
    package func waitFor(_ text: String, count: Int = 1) async throws {
        let found = try await changes.wait { () -> Bool? in
            let (written, hasEnded) = self.state.withLock {
                (String(decoding: $0.output + $0.errors, as: UTF8.self), $0.status != nil)
            }
            if written.components(separatedBy: text).count > count { return true }
            return hasEnded ? false : nil
        }
        guard found else { throw Failure(description: "ended without \"\(text)\": \(output)\(errors)") }
    }

    private enum Event {
        case started(pid_t)
        case output([UInt8])
        case errors([UInt8])
        case reaping
        case ended(Int32)
    }

    private func note(_ event: Event) {
        state.withLock { state in
            switch event {
            case .started(let pid): (state.pid, state.isGone) = (pid, false)
            case .output(let bytes): state.output += bytes
            case .errors(let bytes): state.errors += bytes
            case .reaping: state.isGone = true
            case .ended(let status): state.status = status
            }
        }
        changes.check()
    }

    private static func start(
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String]?,
        _ input: String
    ) throws -> (pid: pid_t, output: Int32, errors: Int32) {
        var ends: [Int32] = []
        func pipe() throws -> (read: Int32, write: Int32) {
            var pair: [Int32] = [-1, -1]
            guard Glibc.pipe(&pair) == 0 else { throw Failure(description: "pipe: errno \(errno)") }
            for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            ends += pair
            return (pair[0], pair[1])
        }
        let (inputEnd, output, errors) = (try pipe(), try pipe(), try pipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputEnd.read, 0)
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = ["/usr/bin/setpriv", "--pdeathsig", "KILL", program] + arguments
        let own = ProcessInfo.processInfo.environment
        let variables = (environment ?? own)
            .merging(own.filter { sanitizers.contains($0.key) }) { given, _ in given }
            .map { "\($0.key)=\($0.value)" }
        var argv = words.map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, words[0], &actions, &attributes, &argv, &envp)
        for end in [inputEnd.read, output.write, errors.write] { close(end) }
        guard code == 0 else {
            for end in [inputEnd.write, output.read, errors.read] { close(end) }
            throw Failure(description: "\(program): \(String(cString: strerror(code)))")
        }
        // A pipe takes 64 KiB without anybody reading; no test gives more.
        _ = Array(input.utf8).withUnsafeBytes { write(inputEnd.write, $0.baseAddress, $0.count) }
        close(inputEnd.write)
        return (pid, output.read, errors.read)
    }

    private static func watch(_ pid: pid_t, _ output: Int32, _ errors: Int32, _ note: (Event) -> Void) {
        var open = [output, errors]
        var buffer = [UInt8](repeating: 0, count: 65536)
        while !open.isEmpty {
            var polls = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polls, nfds_t(polls.count), -1) >= 0 else { continue }
            for ready in polls where ready.revents != 0 {
                let count = read(ready.fd, &buffer, buffer.count)
                if count > 0 {
                    note(ready.fd == output ? .output(Array(buffer[..<count])) : .errors(Array(buffer[..<count])))
                } else {
                    close(ready.fd)
                    open.removeAll { $0 == ready.fd }
                }
            }
        }
        // Wait without reaping, so that no signal can reach another process with the number.
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        note(.reaping)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        note(.ended(signal == 0 ? (status >> 8) & 0xFF : 128 + signal))
    }
}
