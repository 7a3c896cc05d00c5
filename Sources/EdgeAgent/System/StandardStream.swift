import Glibc

/// Writes to file descriptors with `write(2)`: no buffer, no lock, nothing to flush at exit.
package enum StandardStream {
    /// Writes all bytes; false when the descriptor is closed, its reader is gone or the disk is full.
    ///
    /// SIGPIPE must be ignored (``ProcessSetup/prepare()``), else a reader that went away ends the process.
    @discardableResult
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
                let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if written > 0 {
                    offset += written
                } else if written < 0, errno == EINTR {
                    continue
                } else if written < 0, errno == EAGAIN {
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    guard poll(&entry, 1, 1000) > 0 else { return false }
                } else {
                    return false
                }
            }
            return true
        }
    }

    /// Writes a text to standard output.
    @discardableResult
    package static func output(_ text: String) -> Bool { write(Array(text.utf8), to: STDOUT_FILENO) }

    /// Writes a text to standard error.
    @discardableResult
    package static func error(_ text: String) -> Bool { write(Array(text.utf8), to: STDERR_FILENO) }
}
