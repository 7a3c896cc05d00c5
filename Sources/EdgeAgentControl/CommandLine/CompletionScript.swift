internal import EdgeAgent

/// Scripts that complete `edge-agent` in a shell, made of the tables that help is made of.
package enum CompletionScript {
    package enum Shell: String, CaseIterable, Sendable { case bash, zsh }

    /// The script; ends with a newline.
    package static func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        }
    }

    static var programCommands: [(name: String, summary: String)] {
        [
            ("run", "Run the agent"), ("check-config", "Check the configuration"),
            ("doctor", "Find out what does not work, and why"), ("version", "Print the version"),
            ("help", "Print help"), ("ctl", "Command gateways over MQTT"), ("completion", "Print a completion script"),
            ("manual", "Print a manual page"),
        ]
    }

    private static var control: [(ControlCommand, [ControlOption])] {
        ControlCommand.allCases.map { ($0, ControlOption.connection + $0.options + [help]) }
    }

    private static let help = ControlOption("--help", .none, "Print help")

    // MARK: bash

    private static var bash: String {
        let agentFlags = CommandLineFlag.all.map(\.name) + ["--help"]
        let sampleFlags = CommandLineFlag.sample.map(\.name)
        let doctorFlags = CommandLineFlag.doctor.map(\.name)
        let cases = control.map { command, options in
            "        \(command.rawValue)) options=\"\(options.map(\.name).joined(separator: " "))\" ;;"
        }
        return """
            # bash completion of edge-agent; made by: edge-agent completion bash
            _edge_agent() {
                local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" options="" command="" item
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(programCommands.map(\.name).joined(separator: " "))" -- "$word"))
                    return
                fi
                case "$before" in
            \(valueCases.joined(separator: "\n"))
                esac
                case "${COMP_WORDS[1]}" in
                    run) options="\(agentFlags.joined(separator: " "))" ;;
                    check-config) options="\((agentFlags + sampleFlags).joined(separator: " "))" ;;
                    doctor) options="\((agentFlags + doctorFlags).joined(separator: " "))" ;;
                    help) options="\(programCommands.map(\.name).joined(separator: " "))" ;;
                    manual) options="\(ManualPage.allCases.map(\.rawValue).joined(separator: " "))" ;;
                    completion) options="\(Shell.allCases.map(\.rawValue).joined(separator: " "))" ;;
                    ctl)
                        for item in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
                            case "$item" in
                                \(ControlCommand.allCases.map(\.rawValue).joined(separator: "|"))) command="$item"; break ;;
                            esac
                        done
                        case "$command" in
                            "") options="\(ControlCommand.allCases.map(\.rawValue).joined(separator: " ")) \
            \((ControlOption.connection + [help]).map(\.name).joined(separator: " "))" ;;
            \(cases.map { "        " + $0 }.joined(separator: "\n"))
                        esac ;;
                esac
                COMPREPLY=($(compgen -W "$options" -- "$word"))
            }
            complete -F _edge_agent edge-agent

            """
    }

    /// What follows an option: files, words, or something that nobody can complete.
    private static var valueCases: [String] {
        var files: Set<String> = []
        var texts: Set<String> = []
        var words: [String: [String]] = [:]
        for option in control.flatMap(\.1) {
            switch option.value {
            case .none: break
            case .file: files.insert(option.name)
            case .text: texts.insert(option.name)
            case .words(let list): words[option.name] = list
            }
        }
        for flag in CommandLineFlag.all + CommandLineFlag.sample + CommandLineFlag.doctor where flag.takesValue {
            if flag.placeholder == "FILE" || flag.placeholder == "DIR" {
                files.insert(flag.name)
            } else if words[flag.name] == nil {
                texts.insert(flag.name)
            }
        }
        let pattern = { (names: Set<String>) in names.sorted().joined(separator: "|") }
        let reply = #"COMPREPLY=($(compgen "#
        var lines = ["        \(pattern(files))) \(reply)-f -- \"$word\")); return ;;"]
        for (name, list) in words.sorted(by: { $0.key < $1.key }) {
            lines.append("        \(name)) \(reply)-W \"\(list.joined(separator: " "))\" -- \"$word\")); return ;;")
        }
        lines.append("        \(pattern(texts.subtracting(files).subtracting(words.keys)))) return ;;")
        return lines
    }

    // MARK: zsh

    private static var zsh: String {
        let commands = programCommands.map { "        \(entry($0.name, $0.summary))" }.joined(separator: "\n")
        let ctl = ControlCommand.allCases.map { "        \(entry($0.rawValue, $0.summary))" }.joined(separator: "\n")
        let agent = CommandLineFlag.all.map { "            \(specification($0))" }
        let doctor = CommandLineFlag.doctor.map { "            \(specification($0))" } + agent
        let cases = control.map { command, options in
            let lines = options.map { "                    \(specification($0))" }
            return """
                            \(command.rawValue))
                                _arguments \\
                \(lines.joined(separator: " \\\n")) \\
                                    '*:operand:' ;;
                """
        }
        return """
            #compdef edge-agent
            # zsh completion of edge-agent; made by: edge-agent completion zsh
            _edge_agent() {
                local -a commands controls
                commands=(
            \(commands)
                )
                controls=(
            \(ctl)
                )
                local item command=""
                if (( CURRENT == 2 )); then
                    _describe 'command' commands
                    return
                fi
                case "${words[2]}" in
                    run|check-config)
                        _arguments \\
            \(agent.joined(separator: " \\\n")) \\
                        '--help[Print help]' ;;
                    doctor)
                        _arguments \\
            \(doctor.joined(separator: " \\\n")) \\
                        '--help[Print help]' ;;
                    help) _describe 'command' commands ;;
                    manual) _values 'page' \(ManualPage.allCases.map(\.rawValue).joined(separator: " ")) ;;
                    completion) _values 'shell' \(Shell.allCases.map(\.rawValue).joined(separator: " ")) ;;
                    ctl)
                        for item in "${(@)words[3,CURRENT-1]}"; do
                            if [[ -n "${controls[(r)${item}:*]}" ]]; then command="$item"; break; fi
                        done
                        case "$command" in
                            "") _describe 'command' controls ;;
            \(cases.joined(separator: "\n"))
                        esac ;;
                esac
            }
            if [ "$funcstack[1]" = "_edge_agent" ]; then _edge_agent "$@"; else compdef _edge_agent edge-agent; fi

            """
    }

    private static func entry(_ name: String, _ summary: String) -> String { "'\(name):\(plain(summary))'" }

    private static func specification(_ flag: CommandLineFlag) -> String {
        let isFile = flag.placeholder == "FILE" || flag.placeholder == "DIR"
        let value = flag.takesValue ? ":\(flag.placeholder):\(isFile ? "_files" : "")" : ""
        return "'\(flag.name)[\(plain(flag.summary))]\(value)'"
    }

    private static func specification(_ option: ControlOption) -> String {
        let many = option.repeats ? "*" : ""
        let value: String =
            switch option.value {
            case .none: ""
            case .text(let text): ":\(text.filter { $0 != ":" }):"
            case .file: ":file:_files"
            case .words(let words): ":word:(\(words.joined(separator: " ")))"
            }
        return "'\(many)\(option.name)[\(plain(option.summary))]\(value)'"
    }

    /// A text for a single-quoted word of zsh between brackets.
    private static func plain(_ text: String) -> String {
        text.filter { !"'[]:`\\".contains($0) }
    }
}
