extension ConfigurationKey {
    /// The keys of what is done so that Bluetooth works again.
    static let recovery: [ConfigurationKey] = [
        boolean(
            "recovery.removeDevice",
            \.recovery.removeDevice,
            "Whether bluetoothd may be made to forget a device without a bond that takes no link"
        ).remotely(.atOnce),
        boolean(
            "recovery.powerCycle",
            \.recovery.powerCycle,
            "Whether an adapter that does not work, and that nothing else uses, may be switched off and on"
        ).remotely(.atOnce),
        command(
            "recovery.helper",
            \.recovery.helper,
            "A command that is run when nothing else helps: its path and its arguments"
        ).hidden(),
        duration(
            "recovery.helperMs",
            \.recovery.helperLimit,
            1000...600_000,
            .milliseconds,
            "How long that command may run"
        ),
    ]

    /// A command: an absolute path, or a list of it and its arguments.
    private static func command(_ path: String, _ place: any Place<[String]>, _ summary: String) -> ConfigurationKey {
        @Sendable func take(_ words: [String], _ configuration: inout Configuration) -> Refusal? {
            guard let program = words.first, ConfigurationPattern.isAbsolutePath(program), words.count <= 32,
                words.allSatisfy({ $0.utf8.count <= 4096 && !ConfigurationPattern.hasControlCharacters($0) })
            else { return .explained("expected \(commandForm)") }
            configuration[keyPath: place] = words
            return nil
        }
        return ConfigurationKey(
            path: path,
            summary: summary,
            expected: commandForm,
            range: "a list of an absolute path and arguments",
            unit: nil,
            defaultInWords: "none",
            flag: nil,
            form: .plain,
            read: { take([$0.text], &$1) },
            show: { configuration in
                let words = configuration[keyPath: place]
                if words.isEmpty { return nil }
                return "[" + words.map(ConfigurationText.listed).joined(separator: ", ") + "]"
            },
            copy: { $1[keyPath: place] = $0[keyPath: place] },
            readList: take
        )
    }

    private static let commandForm = "an absolute path, or a list of one and up to 31 arguments"
}
