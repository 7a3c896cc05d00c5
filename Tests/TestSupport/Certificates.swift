import Foundation

/// An issuer and what it certified, made anew for a test, in a directory that goes with the object.
package final class Certificates: Sendable {
    /// A certificate and its key, both PEM files.
    package struct Pair: Sendable {
        package let certificate: String
        package let key: String
    }

    package let directory: String
    /// The issuer's certificate: what a client has to trust.
    package var authority: String { directory + "/ca.pem" }

    /// Makes an issuer.
    ///
    /// - Throws: `ChildProcess.Failure` when openssl does not do it.
    package init() async throws {
        directory = NSTemporaryDirectory() + "certificates-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await openssl(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
                + [
                    "-subj", "/CN=Test issuer \(UUID().uuidString.prefix(8))", "-keyout", directory + "/ca.key", "-out",
                    authority,
                ]
        )
    }

    deinit {
        // A directory that stays behind in /tmp harms nobody.
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Certifies a server or client.
    ///
    /// - Parameters:
    ///   - name: the common name, and the files' name.
    ///   - alternatives: such as `DNS:localhost`.
    ///   - days: how long it is valid; negative: how long it has been invalid.
    /// - Returns: the files.
    /// - Throws: `ChildProcess.Failure` when openssl does not do it.
    package func issue(_ name: String, alternatives: [String] = [], days: Int = 2) async throws -> Pair {
        let base = directory + "/" + name
        try await openssl(
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
                + ["-subj", "/CN=" + name, "-keyout", base + ".key", "-out", base + ".csr"]
        )
        let extensions = alternatives.isEmpty ? "" : "subjectAltName=" + alternatives.joined(separator: ",") + "\n"
        try extensions.write(toFile: base + ".ext", atomically: true, encoding: .utf8)
        try await openssl(
            ["x509", "-req", "-in", base + ".csr", "-CA", authority, "-CAkey", directory + "/ca.key"]
                + ["-CAcreateserial", "-days", String(days), "-extfile", base + ".ext", "-out", base + ".pem"]
        )
        return Pair(certificate: base + ".pem", key: base + ".key")
    }

    /// Certifies a broker on loopback.
    ///
    /// - Returns: the files.
    /// - Throws: `ChildProcess.Failure` when openssl does not do it.
    package func issueForLoopback() async throws -> Pair {
        try await issue("broker", alternatives: ["DNS:localhost", "IP:127.0.0.1"])
    }

    private func openssl(_ arguments: [String]) async throws {
        try await ChildProcess.run("/usr/bin/openssl", arguments)
    }
}
