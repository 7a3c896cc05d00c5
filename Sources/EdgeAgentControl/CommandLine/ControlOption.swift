/// An option of `edge-agent ctl`.
package struct ControlOption: Sendable {
    /// What may follow an option; completion offers it.
    package enum Value: Sendable, Equatable {
        case none
        /// Anything; the text stands for it in help.
        case text(String)
        case file
        /// One of these.
        case words([String])
    }

    /// The name with its dashes.
    package let name: String
    package let value: Value
    /// What it does, one sentence without its full stop.
    package let summary: String
    /// The variable of the environment that stands for it; it may stand in the file of options too.
    package var environment: String?
    /// Whether it may be given more than once.
    package var repeats = false

    /// What stands for the value in help; empty for an option without one.
    package var placeholder: String {
        switch value {
        case .none: ""
        case .text(let text): text
        case .file: "FILE"
        case .words(let words): words.joined(separator: "|")
        }
    }

    init(_ name: String, _ value: Value, _ summary: String, environment: String? = nil, repeats: Bool = false) {
        self.name = name
        self.value = value
        self.summary = summary
        self.environment = environment
        self.repeats = repeats
    }
}

/// The options that every command takes.
extension ControlOption {
    /// The file of options; the only one that can stand in no file.
    package static let config = ControlOption(
        "--config",
        .file,
        "A file with these options, one a line (default: ~/.config/edge-agent-ctl)",
        environment: "EDGE_AGENT_CTL_CONFIG"
    )

    /// Where the broker and the gateway are: on the command line, in the environment or in a file.
    package static let connection: [ControlOption] = [
        config,
        ControlOption(
            "--broker",
            .text("URL"),
            "The broker, as mqtts://user@host:port (default: mqtt://localhost:1883)",
            environment: "EDGE_AGENT_BROKER"
        ),
        ControlOption(
            "--gateway",
            .text("ID"),
            "The gateway (default: the only one that is online)",
            environment: "EDGE_AGENT_GATEWAY"
        ),
        ControlOption(
            "--prefix",
            .text("P"),
            "The first levels of all topics (default: edge)",
            environment: "EDGE_AGENT_PREFIX"
        ),
        ControlOption(
            "--client",
            .text("NAME"),
            "The caller's name in topics (default: the broker's user, else ctl)",
            environment: "EDGE_AGENT_CLIENT"
        ),
        ControlOption(
            "--password-file",
            .file,
            "A file that holds the password for the broker's user",
            environment: "EDGE_AGENT_PASSWORD_FILE"
        ),
        ControlOption(
            "--cafile",
            .file,
            "PEM file of the authorities to trust (default: the system's)",
            environment: "EDGE_AGENT_CAFILE"
        ),
        ControlOption("--cert", .file, "PEM file of the client's certificate", environment: "EDGE_AGENT_CERT"),
        ControlOption("--key", .file, "PEM file of the client's key", environment: "EDGE_AGENT_KEY"),
        ControlOption(
            "--mqtt-version",
            .words(["auto", "5", "3.1.1"]),
            "The version of MQTT (default: auto)",
            environment: "EDGE_AGENT_MQTT_VERSION"
        ),
        ControlOption(
            "--wait",
            .text("TIME"),
            "How long to wait for a sign of the gateway, as 10s (default: 30s)",
            environment: "EDGE_AGENT_WAIT"
        ),
    ]

    static let json = ControlOption("--json", .none, "Print JSON, a line each, as the gateway sent it")

    /// For each command that the gateway answers.
    static let answered: [ControlOption] = [
        ControlOption("--timeout", .text("TIME"), "How long the gateway may take once it has begun"),
        ControlOption(
            "--field",
            .text("NAME=JSON"),
            "One more field of the command, see docs/mqtt.md",
            repeats: true
        ),
        ControlOption("--id", .text("ID"), "The command's id: repeating one is safe (default: a new one)"),
    ]

    static let handle = ControlOption("--handle", .text("N"), "The characteristic's handle, instead of its UUIDs")
    static let descriptor = ControlOption("--descriptor", .text("UUID"), "A descriptor of the characteristic")
    static let offset = ControlOption("--offset", .text("N"), "Begin at this byte of the value")
    static let form = ControlOption(
        "--as",
        .words(["hex", "utf8", "base64"]),
        "How the bytes are written (default: hex)"
    )
    static let count = ControlOption("--count", .text("N"), "End after so many")
    static let duration = ControlOption("--duration", .text("TIME"), "End after this time, as 30s or 5m")
}
