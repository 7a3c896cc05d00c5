internal import CMicroHTTPD

/// The libmicrohttpd that this process runs with.
package enum LocalHTTPLibrary {
    /// Its version, as `0.9.75`.
    package static var version: String { MHD_get_version().map { String(cString: $0) } ?? "" }
}
