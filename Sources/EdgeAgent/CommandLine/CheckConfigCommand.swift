internal import Profiles

/// The command `check-config`.
package enum CheckConfigCommand {
    /// The effective configuration as a YAML file whose first lines say that it is valid and where it came from.
    package static func text(_ loaded: ConfigurationLoader.Loaded) -> String {
        var source: [UInt8] = []
        _ = LogText.appendEscaped(loaded.file ?? "no file, defaults and flags alone", to: &source, limit: 512)
        return """
            # configuration is valid
            # source: \(String(decoding: source, as: UTF8.self))
            # hash: \(ConfigurationText.hash(loaded.configuration))
            \(ConfigurationText.yaml(loaded.configuration))
            """
    }

    /// What is wrong with the profiles and keys that the configuration names, each with its file and line.
    ///
    /// The agent would leave them out, and start.
    package static func profileProblems(_ configuration: Configuration) -> [String] {
        let set = ProfileSet.load(configuration.profiles)
        let missing = configuration.devices.compactMap { device in
            device.profile.flatMap { id in
                set.library[id] == nil ? "devices: \(device.address) has the profile \(id), which is not there" : nil
            }
        }
        return set.problems + missing
    }
}
