internal import Cryptography
internal import Frames

/// A configuration that somebody asked for on `config/desired`, as it was published.
package struct DesiredConfiguration: Sendable, Equatable {
    package let payload: [UInt8]
    /// SHA-256 of the payload in lower-case hex digits: what the operator can compare.
    package let hash: String

    /// The most bytes.
    package static let maxBytes = 262_144
    /// How deep the keys of the file go, with a device's link in the list of devices.
    static let maxDepth = 8

    /// Takes a payload; nil for an empty one, which asks for nothing.
    package init?(_ payload: [UInt8]) {
        guard !payload.isEmpty else { return nil }
        self.payload = payload
        hash = Hex.text(Digest.sha256(payload))
    }

    /// The file's configuration with what is asked for, or everything that is wrong.
    package func combined(over base: Configuration) -> Result<Configuration, RemoteProblems> {
        do throws(JSONFailure) {
            let value = try JSONReader(maxBytes: Self.maxBytes, maxDepth: Self.maxDepth).read(payload)
            guard let object = value.object else {
                return .failure(RemoteProblems([.init(key: nil, "expected an object, found \(value)")]))
            }
            return ConfigurationReader.combine(object, over: base)
        } catch {
            return .failure(RemoteProblems([.init(key: nil, "is no JSON that can be read: \(error)")]))
        }
    }
}
