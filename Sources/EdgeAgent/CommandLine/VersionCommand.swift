internal import BleCore
internal import CJansson
internal import Cryptography
internal import LocalHTTP
internal import MQTT
internal import YAML

/// The command `version`.
package enum VersionCommand {
    /// A library and the version that the program runs with.
    package typealias Library = (name: String, version: String)

    /// The libraries that `edge-agent version` lists.
    package static let libraries: @Sendable () -> [Library] = {
        [
            ("libdbus", BusLibrary.version),
            ("libmosquitto", MQTTLibrary.version),
            ("jansson", String(cString: jansson_version_str())),
            ("libyaml", YAMLLibrary.version),
            ("libcrypto", CryptographyLibrary.version),
            ("libmicrohttpd", LocalHTTPLibrary.version),
        ]
    }

    /// The program and its libraries, a line each.
    package static func text(libraries: [Library]) -> String {
        let lines = [(name: "edge-agent", version: AgentVersion.current)] + libraries
        return lines.map { "\($0.name) \($0.version)\n" }.joined()
    }
}
