internal import CCrypto

/// The library that does the computing.
package enum CryptographyLibrary {
    /// libcrypto's version: `3.0.17`.
    package static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
}
