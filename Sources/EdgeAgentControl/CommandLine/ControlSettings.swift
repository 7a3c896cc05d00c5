package import EdgeAgent

/// Where the broker is, who the caller is there, and which gateway is meant.
package struct ControlSettings: Sendable, Equatable {
    package var broker = BrokerAddress(secure: false, host: "localhost", port: 1883)
    /// Nil: the only one that is online.
    package var gateway: GatewayID?
    package var prefix = TopicPrefix.standard
    package var client = "ctl"
    package var password: Secret?
    package var caFile: String?
    package var certificateFile: String?
    package var keyFile: String?
    package var version = MQTTVersionChoice.auto
    package var wait = Duration.seconds(30)

    /// Reads the options of the command line, then the environment, then the file of options; the first that has one holds.
    ///
    /// - Throws: ``ControlFailure`` with every problem; no text holds a value of an unknown option.
    package init(
        _ invocation: ControlInvocation,
        environment: [String: String]
    ) throws(ControlFailure) {
        let named = invocation.value("--config") ?? environment["EDGE_AGENT_CTL_CONFIG"].flatMap(\.nonempty)
        let file = try OptionFile.read(named, environment: environment)
        var problems = file.problems
        func value(_ name: String) -> String? {
            if let value = invocation.value(name) { return value }
            let variable = ControlOption.connection.first { $0.name == name }?.environment
            if let value = variable.flatMap({ environment[$0] })?.nonempty { return value }
            return file.values[name]
        }
        if let text = value("--broker") {
            do throws(BrokerAddressProblem) {
                broker = try BrokerAddress(url: text)
            } catch {
                let explanation = error == .password ? ControlSettings.passwordInURL : error.explanation
                problems.append("--broker \(explanation)")
            }
        }
        if let text = value("--gateway") {
            gateway = GatewayID(text)
            if gateway == nil { problems.append("--gateway is no gateway's name: [a-z0-9][a-z0-9-]{0,62}") }
        }
        if let text = value("--prefix") {
            if let known = TopicPrefix(text) { prefix = known } else { problems.append("--prefix is not valid") }
        }
        let name = value("--client") ?? broker.user.flatMap { CommandID($0) == nil ? nil : $0 } ?? client
        if CommandID(name) != nil { client = name } else { problems.append("--client is not [A-Za-z0-9_-]{1,64}") }
        if let text = value("--mqtt-version") {
            if let known = MQTTVersionChoice(rawValue: text) {
                version = known
            } else {
                problems.append("--mqtt-version takes auto, 5, 3.1.1")
            }
        }
        if let text = value("--wait") {
            if let span = TimeText.duration(text), span > .zero {
                wait = span
            } else {
                problems.append("--wait \(TimeText.expected)")
            }
        }
        caFile = value("--cafile")
        certificateFile = value("--cert")
        keyFile = value("--key")
        if (certificateFile == nil) != (keyFile == nil) { problems.append("--cert and --key go together") }
        if !broker.secure, caFile ?? certificateFile != nil {
            problems.append("--cafile and --cert need TLS: write --broker mqtts://…")
        }
        guard problems.isEmpty else { throw ControlFailure(.usage, problems) }
        password = try value("--password-file").map { path throws(ControlFailure) in
            try ControlSettings.password(in: path)
        }
        if password != nil, broker.user == nil {
            throw ControlFailure(.usage, "--password-file needs a user: write --broker mqtt://user@host")
        }
    }

    private static let passwordInURL =
        "must not hold a password: put it into a file and name that with --password-file"

    private static func password(in path: String) throws(ControlFailure) -> Secret {
        let content: BoundedFile.Content
        do throws(BoundedFile.Failure) {
            content = try BoundedFile.read(path, limit: 4096)
        } catch {
            throw ControlFailure(.noInput, "\(LogText.quoted(path)) \(error.explanation)")
        }
        guard !content.isReadableByAll else {
            throw ControlFailure(.noInput, "\(LogText.quoted(path)) can be read by every user: chmod 600 it")
        }
        return Secret(content.bytes.last == UInt8(ascii: "\n") ? content.bytes.dropLast() : content.bytes)
    }
}

/// The file of options: one `--option value` a line, as the mosquitto tools read theirs.
enum OptionFile {
    struct Content {
        var values: [String: String] = [:]
        var problems: [String] = []
    }

    /// The file's path where none is named; nil without a home.
    static func standard(_ environment: [String: String]) -> String? {
        if let folder = environment["XDG_CONFIG_HOME"]?.nonempty { return folder + "/edge-agent-ctl" }
        return environment["HOME"]?.nonempty.map { $0 + "/.config/edge-agent-ctl" }
    }

    /// Reads the named file, or the standard one if there is one.
    static func read(_ named: String?, environment: [String: String]) throws(ControlFailure) -> Content {
        guard let path = named ?? standard(environment) else { return Content() }
        do throws(BoundedFile.Failure) {
            return parse(String(decoding: try BoundedFile.read(path, limit: 65_536).bytes, as: UTF8.self), path)
        } catch {
            // Nobody has asked for the standard one.
            if named == nil { return Content() }
            throw ControlFailure(.noInput, "\(LogText.quoted(path)) \(error.explanation)")
        }
    }

    private static func parse(_ text: String, _ path: String) -> Content {
        var content = Content()
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.drop { $0 == " " || $0 == "\t" }
            guard !words.isEmpty, words.first != "#" else { continue }
            let name = String(words.prefix { $0 != " " && $0 != "\t" && $0 != "=" })
            let rest = words.dropFirst(name.count).drop { $0 == " " || $0 == "\t" || $0 == "=" }
            let value = String(rest.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
            let place = "\(LogText.quoted(path)) line \(index + 1)"
            let isKnown = ControlOption.connection.contains { $0.name == name } && name != ControlOption.config.name
            if !isKnown {
                content.problems.append("\(place): no option for this file: \(LogText.quoted(name))")
            } else if value.isEmpty {
                content.problems.append("\(place): \(name) needs a value")
            } else if content.values.updateValue(value, forKey: name) != nil {
                content.problems.append("\(place): \(name) stands there twice")
            }
        }
        return content
    }
}

extension String {
    /// Nil when it is empty: an empty variable counts as none.
    var nonempty: String? { isEmpty ? nil : self }
}

/// Spans of time as people write them: `500ms`, `10s`, `5m`, `2h`; a bare number is seconds.
package enum TimeText {
    /// What to write, to be put behind an option's name.
    static let expected = "is no time: write 500ms, 10s, 5m or 2h"

    /// Reads a span; nil for anything else, and for more than 30 days.
    package static func duration(_ text: String) -> Duration? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let count = Int64(digits), count <= 2_592_000_000 else { return nil }
        let unit: Int64? =
            switch text.dropFirst(digits.count) {
            case "ms": 1
            case "", "s": 1000
            case "m": 60_000
            case "h": 3_600_000
            default: nil
            }
        guard let unit, count * unit <= 2_592_000_000 else { return nil }
        return .milliseconds(count * unit)
    }

    /// Whole milliseconds.
    static func milliseconds(_ span: Duration) -> Int64 {
        span.components.seconds * 1000 + span.components.attoseconds / 1_000_000_000_000_000
    }
}
