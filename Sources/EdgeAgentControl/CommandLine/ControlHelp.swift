internal import EdgeAgent

/// The help of `edge-agent ctl`, made of the tables of commands, options and outcomes.
package enum ControlHelp {
    /// The text for one command, or for all; ends with a newline.
    package static func text(for command: ControlCommand?) -> String {
        command.map { text(of: $0) } ?? program
    }

    private static var program: String {
        """
        Command gateways over MQTT and see what they do.

        Usage:
          edge-agent ctl [OPTIONS] COMMAND [OPERANDS] [OPTIONS]

        Commands:
        \(HelpText.list(ControlCommand.allCases.map { (head: $0.rawValue, body: $0.summary) }, width: 14))

        `edge-agent ctl COMMAND --help` tells a command's operands and options.

        Options that every command takes; also variables of the environment, or in
        the file of --config, a line each as `--gateway shop-3`. The command line
        goes before the environment, which goes before the file.
        \(connection)

        A password is given in a file alone. What a command prints goes to the
        standard output, everything else to the standard error. On a terminal a line
        tells how far a command is. A command without an answer is sent again, which
        does nothing twice. Ctrl-C cancels it; a second Ctrl-C does not wait.

        Exit codes:
        \(exitCodes)

        Examples:
          edge-agent ctl gateways --broker mqtts://me@broker.example
          edge-agent ctl read door 180f 2a19 --gateway shop-3

        """
    }

    private static func text(of command: ControlCommand) -> String {
        """
        \(command.summary).

        Usage:
          edge-agent ctl \(usage(command)) [OPTIONS]

        Options:
        \(list(command.options + [ControlOption("--help", .none, "Print this")]))

        Options of every command, see edge-agent ctl --help:
        \(HelpText.list(wrapped, width: 0))

        Exit codes:
        \(exitCodes)

        Example:
          \(command.example)

        """
    }

    /// The help of `edge-agent completion`.
    package static var completion: String {
        """
        Print a script with which a shell completes edge-agent's commands and options.

        Usage:
          edge-agent completion bash|zsh

        Examples:
          edge-agent completion bash > /etc/bash_completion.d/edge-agent
          edge-agent completion zsh > /usr/local/share/zsh/site-functions/_edge-agent

        """
    }

    /// The help of `edge-agent manual`.
    package static var manual: String {
        """
        Print a manual page in troff.

        Usage:
          edge-agent manual edge-agent.1|edge-agent.yaml.5

        Example:
          edge-agent manual edge-agent.1 | man -l -

        """
    }

    private static func usage(_ command: ControlCommand) -> String {
        command.operands.isEmpty ? command.rawValue : "\(command.rawValue) \(command.operands)"
    }

    private static var wrapped: [(head: String, body: String)] {
        [(head: "", body: ControlOption.connection.map(\.name).joined(separator: " "))]
    }

    private static var connection: String {
        HelpText.list(
            ControlOption.connection.map { option in
                let variable = option.environment.map { " [\($0)]" } ?? ""
                return (head: head(option), body: option.summary + variable)
            },
            width: 28
        )
    }

    private static func list(_ options: [ControlOption]) -> String {
        HelpText.list(
            options.map { option in
                let words =
                    isLong(option) ? ": " + option.placeholder.split(separator: "|").joined(separator: ", ") : ""
                return (head: head(option), body: option.summary + words)
            },
            width: 28
        )
    }

    private static func head(_ option: ControlOption) -> String {
        guard !option.placeholder.isEmpty else { return option.name }
        return "\(option.name) \(isLong(option) ? "WORD" : option.placeholder)"
    }

    /// Whether the words that may follow take too much room beside the name.
    private static func isLong(_ option: ControlOption) -> Bool {
        if case .words = option.value { option.placeholder.count > 24 } else { false }
    }

    private static var exitCodes: String {
        HelpText.list(ControlOutcome.allCases.map { (head: String($0.rawValue), body: $0.meaning) }, width: 5)
    }
}
