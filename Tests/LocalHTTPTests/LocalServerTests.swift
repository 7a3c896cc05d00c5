import EventLoop
import Foundation
import Glibc
import LocalHTTP
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LocalServerTests {
    /// Runs a server that answers `/page` as long as the body.
    private func withServer(silenceSeconds: UInt32 = 10, _ body: (Int) async throws -> Void) async throws {
        let loop = try EventLoop.startThread()
        let port = Log<Int>()
        let stopping = Log<Bool>()
        // The server lives on the loop, in this task.
        let task = Task(executorPreference: loop) {
            let address = try #require(ListenAddress("127.0.0.1:0"))
            let server = try LocalServer(address, on: loop, silenceSeconds: silenceSeconds) { path in
                let text = Array("page\n".utf8)
                return path == "/page" ? LocalAnswer(status: 200, contentType: "text/plain", body: text) : nil
            }
            port.append(server.port)
            _ = try await stopping.first(1)
            server.stop()
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(try await port.first(1)[0])) } catch { result = .failure(error) }
        stopping.append(true)
        try await task.value
        loop.stop()
        try result.get()
    }

    private func curl(_ port: Int, _ path: String, _ more: String...) async throws -> String {
        let url = "http://127.0.0.1:\(port)\(path)"
        return try await ChildProcess.run("/usr/bin/curl", ["-sS", "-m", "50", "-w", "%{http_code}"] + more + [url])
    }

    @Test func `what is there is answered, with GET and HEAD alone`() async throws {
        try await withServer { port in
            #expect(try await curl(port, "/page") == "page\n200")
            #expect(try await curl(port, "/page?x=1") == "page\n200")
            #expect(try await curl(port, "/else") == "nothing here\n404")
            #expect(try await curl(port, "/page", "-X", "POST", "-d", "a=b") == "only GET and HEAD\n405")
            let head = try await curl(port, "/page", "-I")
            #expect(head.contains("200 OK") && head.contains("Content-Length: 5") && !head.contains("page\n"))
        }
    }

    @Test func `many readers are answered, and what is no HTTP harms nobody`() async throws {
        // Curl is started so often that a slow machine needs a minute for it.
        try await withServer(silenceSeconds: 600) { port in
            let idle = try (0..<4).map { _ in try Connection(port: port) }
            for connection in idle { connection.send("GET /pa") }
            let broken = try Connection(port: port)
            broken.send(String(repeating: "\u{1}x", count: 20_000))
            for _ in 0..<50 { #expect(try await curl(port, "/page") == "page\n200") }
            let urls = (0..<8).map { _ in "http://127.0.0.1:\(port)/page" }
            // One after the other on one connection, which stays open.
            let text = try await ChildProcess.run("/usr/bin/curl", ["-sS", "-m", "50"] + urls)
            #expect(text == String(repeating: "page\n", count: 8))
            for connection in idle { connection.send("ge HTTP/1.1\r\nHost: x\r\n\r\n") }
            for connection in idle { #expect(connection.receive().hasPrefix("HTTP/1.1 200")) }
        }
    }

    @Test func `a connection without a word is closed`() async throws {
        try await withServer(silenceSeconds: 1) { port in
            let idle = try Connection(port: port)
            idle.send("GET /pa")
            #expect(idle.receive() == "")
        }
    }

    @Test func `an address in use is a failure`() async throws {
        try await withServer { port in
            let loop = try EventLoop.startThread()
            defer { loop.stop() }
            let failures = Log<SystemFailure?>()
            loop.execute {
                do throws(SystemFailure) {
                    guard let address = ListenAddress("127.0.0.1:\(port)") else { return }
                    _ = try LocalServer(address, on: loop) { _ in nil }
                    failures.append(nil)
                } catch {
                    failures.append(error)
                }
            }
            #expect(try await failures.first(1)[0]?.code == EADDRINUSE)
        }
    }

    @Test(arguments: [
        ("127.0.0.1:9475", true), ("0.0.0.0:0", true), ("[::1]:9475", true), ("[::]:80", true), ("localhost:80", false),
        ("127.0.0.1", false), ("127.0.0.1:", false), ("127.0.0.1:70000", false), ("::1:80", false), ("[::1]", false),
        ("[127.0.0.1]:80", false), ("1.2.3:80", false), ("127.0.0.1:8o", false), ("", false), (":80", false),
        ("127.0.0.1:-1", false), ("[::1%lo]:80", false),
    ])
    func `an address has a number and a port`(text: String, isValid: Bool) {
        #expect((ListenAddress(text) != nil) == isValid)
    }
}

/// A connection of a test's own.
private final class Connection {
    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemFailure("connect") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
