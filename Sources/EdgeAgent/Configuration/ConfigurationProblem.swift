/// One thing that is wrong with a configuration: where, which key, and what is expected.
package struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Where a value came from.
    package enum Origin: Sendable, Equatable {
        /// A line of a file, from 1; nil for the file as a whole.
        case file(String, line: Int?)
        /// A flag of the command line, with its dashes.
        case flag(String)
        /// Nobody set it.
        case defaults
    }

    package let origin: Origin
    /// The key's path as `mqtt.keepAliveSeconds` or `devices[2].alias`; nil for the file as a whole.
    package let key: String?
    /// What is wrong and what is expected; holds no secret, no control character and is bounded.
    package let message: String

    /// Makes a problem.
    package init(_ origin: Origin, key: String?, _ message: String) {
        self.origin = origin
        self.key = key
        self.message = message
    }

    /// The problem on one line, as `/etc/edge-agent/edge-agent.yaml:3: mqtt.port: unknown key` or
    /// `--mqtt-version (mqtt.version): expected one of auto, 5, 3.1.1, found "4"`.
    package var description: String {
        var text: [UInt8] = []
        switch origin {
        case .file(let path, let line):
            _ = LogText.appendEscaped(path, to: &text, limit: 512)
            if let line { text.append(contentsOf: ":\(line)".utf8) }
            text.append(contentsOf: ": ".utf8)
        case .flag(let name):
            _ = LogText.appendEscaped(name, to: &text, limit: 64)
            text.append(contentsOf: (key.map { " (\($0)): " } ?? ": ").utf8)
            return String(decoding: text, as: UTF8.self) + message
        case .defaults:
            break
        }
        if let key { text.append(contentsOf: "\(key): ".utf8) }
        return String(decoding: text, as: UTF8.self) + message
    }
}
