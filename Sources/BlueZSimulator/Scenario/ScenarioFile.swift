internal import Glibc

/// Reads scenario files.
package enum ScenarioFile {
    /// The most bytes that are read.
    private static let limit = 1 << 20

    /// Why a file could not be read.
    package struct Failure: Error, Equatable {
        package let text: String
    }

    /// Reads a file and the scenario in it.
    ///
    /// - Throws: `Failure` for a file that cannot be read, ``ScenarioProblems`` for one that is no scenario.
    package static func read(_ path: String) throws -> Scenario { try Scenario.parse(try bytes(path)) }

    private static func bytes(_ path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // One byte more than is allowed, so that the parser says that it is too much.
        while bytes.count <= limit {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    private static func failure(_ path: String) -> Failure {
        Failure(text: "\(path): \(String(cString: strerror(errno)))")
    }
}
