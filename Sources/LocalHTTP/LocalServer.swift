internal import CMicroHTTPD
package import EventLoop
internal import Glibc

/// What a server answers.
package struct LocalAnswer: Sendable, Equatable {
    package var status: Int
    package var contentType: String
    package var body: [UInt8]

    package init(status: Int, contentType: String, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}

/// A small HTTP server for local readers: takes `GET` and `HEAD` and answers from memory, on the loop's own thread.
///
/// At most 16 connections at a time, each with 16 KiB for its request, closed when they are silent for long. All
/// members are for the loop's thread.
package final class LocalServer {
    /// Makes the answer for a path without its query; nil: there is no such thing.
    package typealias Handler = (_ path: String) -> LocalAnswer?

    private let loop: EventLoop
    private let handler: Handler
    private let library: cmicrohttpd_functions
    private var daemon: OpaquePointer?
    private var descriptor: Int32 = -1
    private var timer: EventLoop.TimerID?

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - address: Where to listen.
    ///   - loop: The loop that runs it.
    ///   - seconds: How long a connection may be without a word.
    ///   - handler: Makes the answers.
    /// - Throws: `SystemFailure` when the address cannot be used.
    package init(
        _ address: ListenAddress,
        on loop: EventLoop,
        silenceSeconds seconds: UInt32 = 10,
        handler: @escaping Handler
    ) throws(SystemFailure) {
        self.loop = loop
        self.handler = handler
        let library = try LocalHTTPLibrary.functions()
        self.library = library
        errno = 0
        // Safe because: the daemon is stopped before this object goes.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let started = address.withAddress { pointer, isIPv6 in
            withUnsafePointer(to: library) {
                cmicrohttpd_start($0, pointer, isIPv6 ? 1 : 0, answerRequest, context, 16, seconds, 16_384)
            }
        }
        guard let daemon = started ?? nil else {
            throw SystemFailure("bind", code: errno == 0 ? EADDRNOTAVAIL : errno)
        }
        self.daemon = daemon
        descriptor = withUnsafePointer(to: library) { cmicrohttpd_epoll($0, daemon) }
        do throws(SystemFailure) {
            try loop.watch(descriptor, for: .readable) { [weak self] _ in self?.work() }
        } catch {
            library.stop_daemon(daemon)
            self.daemon = nil
            throw error
        }
    }

    deinit {
        if let daemon { library.stop_daemon(daemon) }
    }

    /// The port that it listens on.
    package var port: Int {
        daemon.map { daemon in withUnsafePointer(to: library) { Int(cmicrohttpd_port($0, daemon)) } } ?? 0
    }

    /// Closes all connections and listens no more.
    package func stop() {
        guard let daemon else { return }
        self.daemon = nil
        loop.unwatch(descriptor)
        if let timer { loop.cancel(timer) }
        library.stop_daemon(daemon)
    }

    private func work() {
        guard let daemon else { return }
        _ = library.run(daemon)
        if let timer { loop.cancel(timer) }
        timer = nil
        var milliseconds: UInt64 = 0
        // What is half done has no event of its own: the library says when it wants to be asked again.
        guard library.get_timeout(daemon, &milliseconds) == .YES else { return }
        timer = loop.schedule(after: .milliseconds(Int64(clamping: max(1, milliseconds)))) { [weak self] in
            self?.timer = nil
            self?.work()
        }
    }

    fileprivate func answer(_ connection: OpaquePointer?, method: String, path: String) -> MHD_Result {
        var answer = LocalAnswer(status: 405, contentType: "text/plain", body: Array("only GET and HEAD\n".utf8))
        if method == "GET" || method == "HEAD" {
            answer =
                handler(path)
                ?? LocalAnswer(status: 404, contentType: "text/plain", body: Array("nothing here\n".utf8))
        }
        let response = answer.body.withUnsafeBytes { bytes in
            // The bytes are copied: the pointer is given as a mutable one only because C says so.
            library.create_response_from_buffer(
                bytes.count,
                UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY
            )
        }
        guard let response else { return .NO }
        defer { library.destroy_response(response) }
        _ = library.add_response_header(response, "Content-Type", answer.contentType)
        _ = library.add_response_header(response, "Cache-Control", "no-store")
        if answer.status == 405 { _ = library.add_response_header(response, "Allow", "GET, HEAD") }
        return library.queue_response(connection, UInt32(answer.status), response)
    }
}

/// libmicrohttpd's callback: it runs within `MHD_run`, on the loop's thread.
private func answerRequest(
    _ context: UnsafeMutableRawPointer?,
    _ connection: OpaquePointer?,
    _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?,
    _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let path, let method else { return .NO }
    // Safe because: the context is the server, which stops the daemon before it goes.
    let server = Unmanaged<LocalServer>.fromOpaque(context).takeUnretainedValue()
    return server.answer(connection, method: String(cString: method), path: String(cString: path))
}
