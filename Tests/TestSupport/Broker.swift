import Foundation
import Glibc
import EventLoop

/// How a private mosquitto is set up.
package struct BrokerOptions: Sendable {
    /// The server's certificate; nil: no TLS.
    package var certificate: Certificates.Pair?
    /// The issuer whose client certificates are demanded; needs `certificate`.
    package var clientAuthority: String?
    /// Users and their passwords; empty: anybody may connect.
    package var users: [String: String] = [:]
    /// Whether those without a user may connect; nil: `lines` say so.
    ///
    /// By default when there are no users.
    package var allowsAnonymous: Bool? = true
    /// Whether sessions and retained messages outlive a restart.
    package var isPersistent = false
    /// Further lines of mosquitto's configuration, before the listener.
    package var lines: [String] = []
    /// Further lines for the listener.
    package var listenerLines: [String] = []

    package init() {}
}

/// A private mosquitto on a free port of 127.0.0.1.
package final class Broker: Sendable {
    package let port: Int
    package let directory: String
    private let process = Locked<ChildProcess?>(nil)

    fileprivate init(port: Int, directory: String) {
        self.port = port
        self.directory = directory
    }

    /// What it has logged since it was started last.
    package var log: String { process.withLock { $0?.errors ?? "" } }

    /// Waits for a line of its log.
    ///
    /// - Parameters:
    ///   - text: what to look for.
    ///   - count: how often it has to stand there.
    /// - Throws: `ChildProcess.Failure` when the broker ends without it; `CancellationError`.
    package func waitForLog(_ text: String, count: Int = 1) async throws {
        try await process.withLock { $0 }?.waitFor(text, count: count)
    }

    /// Kills it without a chance to write anything, and waits until it is gone.
    ///
    /// - Throws: `CancellationError`.
    package func kill() async throws { try await process.withLock { $0 }?.kill() }

    /// Stops it in order: it writes its database, when it has one.
    ///
    /// - Throws: `CancellationError`.
    package func stop() async throws {
        let process = process.withLock { $0 }
        process?.send(SIGTERM)
        try await process?.exitStatus()
    }

    /// Stops it from running at all, and lets it run again.
    package func freeze() { process.withLock { $0?.send(SIGSTOP) } }
    package func thaw() { process.withLock { $0?.send(SIGCONT) } }

    /// Starts it, on the same port, after it was killed or stopped.
    ///
    /// - Throws: `ChildProcess.Failure` when it does not come up.
    package func start() async throws {
        let child = try await ChildProcess.spawn("/usr/sbin/mosquitto", ["-c", directory + "/mosquitto.conf"])
        process.withLock { $0 = child }
        try await child.waitFor(" running")
    }

    fileprivate func writeConfiguration(_ options: BrokerOptions) async throws {
        var lines = [
            "log_dest stderr", "log_type all", "connection_messages true", "sys_interval 0", "set_tcp_nodelay true",
            "max_queued_messages 0",
        ]
        if let allows = options.allowsAnonymous { lines.append("allow_anonymous \(allows && options.users.isEmpty)") }
        // As root mosquitto would become another user, who may not read the directory.
        if geteuid() == 0 { lines.append("user root") }
        if options.isPersistent { lines += ["persistence true", "persistence_location \(directory)/"] }
        if !options.users.isEmpty {
            lines.append("password_file \(directory)/passwords")
            try "".write(toFile: directory + "/passwords", atomically: true, encoding: .utf8)
            for (user, password) in options.users {
                try await ChildProcess.run(
                    "/usr/bin/mosquitto_passwd",
                    ["-b", directory + "/passwords", user, password]
                )
            }
        }
        lines += options.lines
        lines.append("listener \(port) 127.0.0.1")
        if let certificate = options.certificate {
            lines += ["certfile \(certificate.certificate)", "keyfile \(certificate.key)"]
        }
        if let authority = options.clientAuthority { lines += ["cafile \(authority)", "require_certificate true"] }
        lines += options.listenerLines
        let text = lines.map { $0 + "\n" }.joined()
        try text.write(toFile: directory + "/mosquitto.conf", atomically: true, encoding: .utf8)
    }
}

/// Runs a private mosquitto as long as the body.
///
/// - Parameters:
///   - options: how it is set up.
///   - running: whether it is started at once.
///   - body: what needs it.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or `ChildProcess.Failure` when there is no broker.
@discardableResult
package func withBroker<Value>(
    _ options: BrokerOptions = BrokerOptions(),
    running: Bool = true,
    _ body: (Broker) async throws -> Value
) async throws -> Value {
    let directory = NSTemporaryDirectory() + "broker-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    // A directory that stays behind in /tmp harms nobody.
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var attempts = 0
    while true {
        let broker = Broker(port: try freePort(), directory: directory)
        try await broker.writeConfiguration(options)
        if running {
            do {
                try await broker.start()
            } catch let failure as ChildProcess.Failure {
                // Between finding a port and listening on it another may have taken it.
                attempts += 1
                guard attempts < 5, failure.description.contains("Address already in use") else { throw failure }
                continue
            }
        }
        do {
            let value = try await body(broker)
            broker.thaw()
            try await broker.kill()
            return value
        } catch {
            broker.thaw()
            // The body's failure is what matters.
            try? await broker.kill()
            throw error
        }
    }
}

/// Finds a TCP port of 127.0.0.1 on which nobody listens.
///
/// - Returns: the port.
/// - Throws: `ChildProcess.Failure` when the kernel gives none.
package func freePort() throws -> Int {
    // Below those that the kernel gives to whoever asks for any: those are gone again before somebody listens on them.
    var attempts = 0
    while true {
        do {
            let listener = try listenOnLoopback(port: UInt16.random(in: 10_000..<32_000))
            close(listener.socket)
            return listener.port
        } catch let failure as ChildProcess.Failure {
            attempts += 1
            guard attempts < 20 else { throw failure }
        }
    }
}

/// Listens on a TCP port of 127.0.0.1.
///
/// - Parameter port: the port; 0: any that is free.
/// - Returns: the socket, blocking, and its port.
/// - Throws: `ChildProcess.Failure` when there is none.
func listenOnLoopback(port: UInt16 = 0) throws -> (socket: Int32, port: Int) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(listener, $0, length) != 0 || listen(listener, 16) != 0 || getsockname(listener, $0, &length) != 0
        }
    }
    guard listener >= 0, !failed else {
        let code = errno
        close(listener)
        throw ChildProcess.Failure(description: "no port: errno \(code)")
    }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
}
