/// A flag that `run` and `check-config` take.
package struct CommandLineFlag: Sendable {
    /// The name with its dashes.
    package let name: String
    /// What stands for the value in help texts; empty for a flag without one.
    package let placeholder: String
    /// What it sets, one sentence without its full stop.
    package let summary: String
    /// The default as help texts write it; nil where there is none.
    package let defaultText: String?

    /// Whether a value follows it.
    package var takesValue: Bool { !placeholder.isEmpty }

    /// The flag that names the configuration file.
    package static let config = CommandLineFlag(
        name: "--config",
        placeholder: "FILE",
        summary: "The configuration file, YAML",
        defaultText: "\(ConfigurationLoader.defaultFile) if it exists"
    )

    /// Every flag: the configuration file, then the keys that have one.
    package static let all: [CommandLineFlag] =
        [config]
        + ConfigurationKey.all.compactMap { key in
            key.flag.map { flag in
                CommandLineFlag(
                    name: flag,
                    placeholder: placeholders[flag] ?? "VALUE",
                    summary: key.summary,
                    defaultText: key.defaultText.filter { $0 != "`" }
                )
            }
        }

    private static let placeholders = [
        "--broker": "URL", "--gateway": "ID", "--prefix": "P", "--state-dir": "DIR", "--log-level": "LEVEL",
        "--mqtt-version": "V", "--password-file": "FILE", "--cafile": "FILE", "--adapter": "HCI", "--profiles": "DIR",
    ]
}
