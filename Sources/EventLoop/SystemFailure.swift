internal import Glibc

/// A system call that failed: which one, and errno.
package struct SystemFailure: Error, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    /// Takes errno of the call that has just failed.
    package init(_ call: String) {
        self.init(call, code: errno)
    }

    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
