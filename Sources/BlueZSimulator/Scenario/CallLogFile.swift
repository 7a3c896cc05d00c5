internal import Glibc

/// The file to which received calls are appended, a line of JSON each, for whoever reads along.
package final class CallLogFile: Sendable {
    private let descriptor: Int32

    /// Why there is no file.
    package struct Failure: Error, Equatable {
        package let text: String
    }

    /// Opens a file, new or to be continued.
    ///
    /// - Throws: `Failure` with the system's reason.
    package init(_ path: String) throws(Failure) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(text: "\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    func append(_ call: ReceivedCall, after time: Duration) {
        var bytes = Array((CallLine.text(call, after: time) + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            // A full disk costs the line, not the simulation.
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }
}
