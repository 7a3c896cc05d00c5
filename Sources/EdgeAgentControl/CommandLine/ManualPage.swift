internal import EdgeAgent

/// The manual pages in troff, made of the tables that help and the validator use.
package enum ManualPage: String, CaseIterable, Sendable {
    case program = "edge-agent.1"
    case configuration = "edge-agent.yaml.5"

    /// The page; ends with a newline.
    package var text: String {
        switch self {
        case .program: Self.programPage
        case .configuration: Self.configurationPage
        }
    }

    // MARK: edge-agent(1)

    private static var programPage: String {
        var page = Page(title: "EDGE-AGENT", section: 1, name: "edge-agent", "MQTT commands for Bluetooth LE devices")
        page.section("SYNOPSIS")
        for line in [
            "run [FLAGS]", "check-config [FLAGS] [--try JSON ...]", "doctor [FLAGS]",
            "ctl COMMAND [OPERANDS] [OPTIONS]", "version",
            "completion bash|zsh", "manual PAGE", "help [COMMAND]",
        ] { page.line("edge-agent \(line)") }
        page.section("DESCRIPTION")
        page.text(
            """
            Takes commands from an MQTT broker, carries them out on Bluetooth LE devices by way of BlueZ, and publishes \
            results, values and states. The configuration is described in edge-agent.yaml(5); topics and commands are in \
            /usr/share/doc/edge-agent/mqtt.md.
            """
        )
        page.section("COMMANDS")
        for (name, summary) in CompletionScript.programCommands { page.item(name, "\(summary).") }
        page.section("FLAGS OF RUN AND CHECK-CONFIG")
        for flag in CommandLineFlag.all {
            let value = flag.defaultText.map { " Default: \($0)." } ?? ""
            page.item(flag.takesValue ? "\(flag.name) \(flag.placeholder)" : flag.name, "\(flag.summary).\(value)")
        }
        page.item("--help", "Print help.")
        page.section("FLAGS OF CHECK-CONFIG --TRY")
        for flag in CommandLineFlag.sample {
            page.item(flag.takesValue ? "\(flag.name) \(flag.placeholder)" : flag.name, "\(flag.summary).")
        }
        page.section("FLAGS OF DOCTOR")
        page.text("Beside those of run. What it looks at is explained in /usr/share/doc/edge-agent/doctor.md.")
        for flag in CommandLineFlag.doctor {
            let value = flag.defaultText.map { " Default: \($0)." } ?? ""
            page.item(flag.takesValue ? "\(flag.name) \(flag.placeholder)" : flag.name, "\(flag.summary).\(value)")
        }
        page.section("COMMANDS OF CTL")
        for command in ControlCommand.allCases {
            page.item("\(command.rawValue) \(command.operands)", "\(command.summary).")
            for option in command.options { page.inner("\(option.name) \(option.placeholder)", "\(option.summary).") }
        }
        page.section("OPTIONS OF CTL")
        page.text("Each is also a variable of the environment, or a line of the file that --config names.")
        for option in ControlOption.connection {
            let variable = option.environment.map { " Variable: \($0)." } ?? ""
            page.item("\(option.name) \(option.placeholder)", "\(option.summary).\(variable)")
        }
        page.section("EXIT STATUS")
        page.text("Of run, check-config, doctor and version:")
        for code in ExitCode.allCases { page.item(String(code.rawValue), "\(code.meaning).") }
        page.text("Of ctl:")
        for outcome in ControlOutcome.allCases { page.item(String(outcome.rawValue), "\(outcome.meaning).") }
        page.section("SIGNALS")
        page.text("SIGTERM and SIGINT stop the agent in order; a second one stops it at once.")
        page.section("FILES")
        page.item("/etc/edge-agent/edge-agent.yaml", "The configuration.")
        page.item("/var/lib/edge-agent", "What outlives the process.")
        page.item("~/.config/edge-agent-ctl", "Options of ctl, one a line.")
        page.section("SEE ALSO")
        page.text("edge-agent.yaml(5), bluetoothd(8), mosquitto(8)")
        return page.troff
    }

    // MARK: edge-agent.yaml(5)

    private static var configurationPage: String {
        var page = Page(title: "EDGE-AGENT.YAML", section: 5, name: "edge-agent.yaml", "configuration of edge-agent")
        page.section("DESCRIPTION")
        page.text(
            """
            One YAML file. Every key has a default; an empty file starts an agent with a broker on this machine. A flag of \
            edge-agent(1) goes before the same key of the file. A key that is not known, stands twice or has a wrong value \
            is an error, and all of them are told with file, line and key: check with "edge-agent check-config". A password \
            is in a file of its own. /usr/share/doc/edge-agent/configuration.md explains more.
            """
        )
        page.section("KEYS")
        page.text("Written with dots: mqtt.version is the key version in the section mqtt.")
        for key in ConfigurationKey.all {
            let unit = key.unit.map { " \($0)" } ?? ""
            let flag = key.flag.map { " Flag: \($0)." } ?? ""
            let summary = "\(key.summary). Value: \(key.range)\(unit). Default: \(key.defaultText).\(flag)"
            page.item(key.path, String(summary.filter { $0 != "`" }))
        }
        page.section("LISTS")
        page.item(
            "devices",
            "Devices with names of their own: address, alias, name, intervalMs, link (policy, idleMs, maxAttempts, rssiMin)."
        )
        page.item("groups", "Devices that one command may be for: a name, and a list of aliases or addresses.")
        page.item(
            "policy",
            "Who may do what: a list of rules, allow or deny, the first that meets a command decides; see /usr/share/doc/edge-agent/policy.md."
        )
        page.section("FILES")
        page.item("/etc/edge-agent/edge-agent.yaml", "Read where --config names no other.")
        page.section("SEE ALSO")
        page.text("edge-agent(1)")
        return page.troff
    }
}

/// A manual page that is being written.
private struct Page {
    private(set) var troff: String

    init(title: String, section: Int, name: String, _ summary: String) {
        troff = ".TH \(title) \(section) \"\" \"edge-agent \(AgentVersion.current)\"\n"
        self.section("NAME")
        troff += "\(Self.escaped(name)) \\- \(Self.escaped(summary))\n"
    }

    mutating func section(_ name: String) { troff += ".SH \(name)\n" }

    /// A paragraph.
    mutating func text(_ text: String) { troff += ".PP\n\(Self.escaped(text))\n" }

    /// A line of its own.
    mutating func line(_ text: String) { troff += "\(Self.escaped(text))\n.br\n" }

    /// A term and what it means.
    mutating func item(_ term: String, _ text: String) {
        troff += ".TP\n.B \(Self.escaped(term))\n\(Self.escaped(text))\n"
    }

    /// The same below an item.
    mutating func inner(_ term: String, _ text: String) {
        troff += ".RS\n"
        item(term, text)
        troff += ".RE\n"
    }

    /// Text that troff takes as it is: no escapes, no requests, and hyphens that stay what they are.
    private static func escaped(_ text: String) -> String {
        var out = ""
        for character in text {
            switch character {
            case "\\": out += "\\e"
            case "-": out += "\\-"
            case "'": out += "\\(aq"
            case "…": out += "..."
            case "–": out += "\\(en"
            case "\n": out += "\n"
            default: out.append(character)
            }
        }
        return out.hasPrefix(".") ? "\\&" + out : out
    }
}
