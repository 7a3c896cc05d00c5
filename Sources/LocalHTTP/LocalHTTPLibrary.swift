internal import CMicroHTTPD
internal import EventLoop
internal import Glibc

/// The libmicrohttpd that this process runs with.
package enum LocalHTTPLibrary {
    /// Its version, as `0.9.75`; empty where it is not installed.
    package static var version: String {
        do throws(SystemFailure) {
            return try functions().get_version().map { String(cString: $0) } ?? ""
        } catch {
            return ""
        }
    }

    /// Loads the library, when that has not been done yet.
    ///
    /// - Throws: `SystemFailure` where it is not installed.
    static func functions() throws(SystemFailure) -> cmicrohttpd_functions {
        var functions = cmicrohttpd_functions()
        guard cmicrohttpd_load(&functions) != 0 else { throw SystemFailure("dlopen libmicrohttpd", code: ENOENT) }
        return functions
    }
}
