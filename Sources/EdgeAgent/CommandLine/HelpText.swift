/// The help texts, made of the tables of commands, flags and exit codes.
package enum HelpText {
    /// The text for one command, or for the whole program; ends with a newline.
    package static func text(for command: ProgramCommand?) -> String {
        switch command {
        case nil: program
        case .run: run
        case .checkConfig: checkConfig
        case .profile: profile
        case .doctor: doctor
        case .version: version
        case .help: help
        }
    }

    private static var program: String {
        """
        edge-agent: carries out MQTT commands on Bluetooth LE devices.

        Usage:
          edge-agent run [FLAGS]            Run the agent until SIGTERM or SIGINT.
          edge-agent check-config [FLAGS]   Check the configuration and print it.
          edge-agent profile COMMAND        Check and try profiles of devices.
          edge-agent doctor [FLAGS]         Find out what does not work, and why.
          edge-agent ctl COMMAND            Command gateways over MQTT.
          edge-agent version                Print the version.
          edge-agent completion bash|zsh    Print a script for the shell.
          edge-agent manual PAGE            Print a manual page.
          edge-agent help [COMMAND]         Print this, or the help of a command.

        `edge-agent COMMAND --help` prints the same as `edge-agent help COMMAND`.

        Start with a broker on this machine and the defaults:
          edge-agent run

        """
    }

    private static var run: String {
        """
        Run the agent: take commands from the MQTT broker, carry them out on
        Bluetooth LE devices and publish results, notifications and events.

        Usage:
          edge-agent run [FLAGS]

        No flag is needed. A flag goes before the same key of the configuration
        file, which goes before the default. A broker that is absent or refuses is
        no reason to end: the agent goes on trying.

        Flags, as --flag VALUE or --flag=VALUE:
        \(flags)

        A password is given in a file alone, never in a flag or a URL.

        The log goes to standard error, a line an event; with journald's priorities
        where journald reads it. SIGTERM and SIGINT stop the agent in order, a
        second one stops it at once.

        Exit codes:
        \(exitCodes(ExitCode.allCases.filter { ![.sampleRefused, .denied, .checkFailed].contains($0) }))

        Examples:
          edge-agent run --broker mqtt://broker.example --gateway shop-3
          edge-agent run --broker mqtts://agent@broker.example \\
              --cafile /etc/edge-agent/ca.pem \\
              --password-file /etc/edge-agent/password

        """
    }

    private static var checkConfig: String {
        """
        Check the configuration as `run` would read it, without starting anything,
        and print all of it with defaults and flags filled in, or every problem with
        its file, line and key, those of the profiles and keys that it names too.
        The output is a configuration file that means the same; a password is shown
        as ***.

        With --try: say instead what the policy would answer to a sample command,
        and which rule does so. Nothing is sent or done.

        Usage:
          edge-agent check-config [FLAGS]
          edge-agent check-config --try JSON [--as CLIENT]
              [--dev DEV | --group G | --all] [FLAGS]

        Flags, as --flag VALUE or --flag=VALUE:
        \(flags)

        Flags for a sample command:
        \(list(CommandLineFlag.sample))

        Exit codes:
        \(exitCodes([.success, .usage, .sampleRefused, .noInput, .osError, .denied, .configuration]))

        Examples:
          edge-agent check-config --config /etc/edge-agent/edge-agent.yaml
          edge-agent check-config --as nodered-1 --dev door \\
              --try '{"verb":"read","service":"180f","characteristic":"2a19"}'

        """
    }

    private static var profile: String {
        """
        Check profiles, which describe devices by data, and try them on samples.
        Nothing is sent.

        Usage:
          edge-agent profile check FILE…    Check files, and all *.yaml in folders.
          edge-agent profile list           List the built-in profiles.
          edge-agent profile show ID        Print a built-in profile, to be copied.
          edge-agent profile try PROFILE --hex HEX [--value NAME]
          edge-agent profile try PROFILE --advert PIECE… [--address ADDRESS]
              [--keys FILE]
          edge-agent profile try PROFILE --command NAME [--arg NAME=VALUE…]
              [--hex HEX]

        PROFILE is a file, or the id of a built-in profile; auto is whichever of
        these recognise the advertisement.

        Flags, as --flag VALUE or --flag=VALUE:
        \(list(CommandLineFlag.trial, more: [(head: "--help", body: "Print this")]))

        Exit codes:
        \(exitCodes([.success, .usage, .sampleRefused, .noInput, .osError, .configuration]))

        Examples:
          edge-agent profile check /etc/edge-agent/profiles
          edge-agent profile try auto --advert service:fcd2=4002ca090164
          edge-agent profile try heart-rate --hex 0048
          edge-agent profile try ./heater.yaml --command target --arg value=21.5

        """
    }

    private static var doctor: String {
        """
        Look at everything that the agent needs, each thing by itself, and say for
        each that fails what to do: configuration, clock, state directory, bus,
        bluetoothd, adapter, discovery, agent for pairings, and the broker up to its
        subscriptions. An agent that runs is not disturbed.

        Run it as the user that the agent runs as:
          sudo -u edge-agent edge-agent doctor

        Usage:
          edge-agent doctor [FLAGS]

        A line tells a check and its outcome: ok, warning, FAILED, or skipped with
        what it needs. The line below it tells how to mend it.

        Flags, as --flag VALUE or --flag=VALUE:
        \(list(CommandLineFlag.doctor))
        \(flags)

        Exit codes:
        \(exitCodes([.success, .checkFailed, .usage, .osError]))

        Examples:
          edge-agent doctor --config /etc/edge-agent/edge-agent.yaml
          edge-agent doctor --connect a1b2c3d4e5f6 --listen 20 --json

        """
    }

    private static var version: String {
        """
        Print the version of edge-agent and of the libraries that it runs with.

        Usage:
          edge-agent version

        Exit codes:
        \(exitCodes([.success, .usage, .osError]))

        Example:
          edge-agent version

        """
    }

    private static var help: String {
        """
        Print help for the program or for one command: run, check-config, profile,
        doctor, version.

        Usage:
          edge-agent help [COMMAND]

        Exit codes:
        \(exitCodes([.success, .usage, .osError]))

        Example:
          edge-agent help run

        """
    }

    private static var flags: String { list(CommandLineFlag.all, more: [(head: "--help", body: "Print this")]) }

    private static func list(_ flags: [CommandLineFlag], more: [(head: String, body: String)] = []) -> String {
        let entries = flags.map { flag in
            let head = flag.takesValue ? "\(flag.name) \(flag.placeholder)" : flag.name
            return (head: head, body: flag.summary + (flag.defaultText.map { " (default: \($0))" } ?? ""))
        }
        return list(entries + more, width: 22)
    }

    private static func exitCodes(_ codes: [ExitCode]) -> String {
        list(codes.map { (head: String($0.rawValue), body: $0.meaning) }, width: 4)
    }

    /// Two columns, the second wrapped to 80 characters a line.
    package static func list(_ entries: [(head: String, body: String)], width: Int) -> String {
        var lines: [String] = []
        for entry in entries {
            var line = "  " + entry.head + String(repeating: " ", count: max(1, width - entry.head.count))
            var isEmpty = true
            for word in entry.body.split(separator: " ") {
                if !isEmpty, line.count + word.count + 1 > 80 {
                    lines.append(line)
                    line = String(repeating: " ", count: width + 2)
                    isEmpty = true
                }
                line += (isEmpty ? "" : " ") + word
                isEmpty = false
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
