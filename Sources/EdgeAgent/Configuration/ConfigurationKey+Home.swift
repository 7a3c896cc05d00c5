extension ConfigurationKey {
    /// What devices are, and when their values go out.
    static let profiles: [ConfigurationKey] = [
        file(
            "profiles.directory",
            \.profiles.directory,
            flag: "--profiles",
            defaultInWords: "`/etc/edge-agent/profiles` if it is there",
            "The directory of profiles beside the built-in ones"
        ),
        file(
            "profiles.bindKeysFile",
            \.profiles.bindKeysFile,
            "The file of keys of devices whose advertisements are encrypted"
        ).hidden(),
        duration(
            "values.minIntervalMs",
            \.values.minimumInterval,
            0...3_600_000,
            .milliseconds,
            "The least time between two states of one device"
        ).remotely(.atOnce),
        duration(
            "values.repeatSeconds",
            \.values.repetition,
            0...86_400,
            .seconds,
            "After how long a state that has not changed goes out again; 0: never"
        ).remotely(.atOnce),
    ]

    /// What Home Assistant is told.
    static let homeAssistant: [ConfigurationKey] = [
        boolean(
            "homeAssistant.enabled",
            \.homeAssistant.isEnabled,
            "Whether Home Assistant is told of the gateway and its devices"
        ).remotely(.restart),
        text(
            "homeAssistant.discoveryPrefix",
            \.homeAssistant.discoveryPrefix,
            expected: "levels of A-Z, a-z, 0-9, _ and - joined by /, at most 64 characters",
            range: "levels of `[A-Za-z0-9_-]+` joined by `/`, at most 64 characters",
            accepts: ConfigurationPattern.isPrefix,
            "The first levels of the topics that Home Assistant discovers devices on"
        ),
        optionalText(
            "homeAssistant.node",
            \.homeAssistant.node,
            expected: "1 to 64 of A-Z, a-z, 0-9, _ and -",
            range: "`[A-Za-z0-9_-]{1,64}`",
            defaultInWords: "the gateway's name",
            accepts: { NamePattern.isCallerName($0) },
            "Stands for the gateway in those topics and in the ids of entities"
        ),
        text(
            "homeAssistant.birthTopic",
            \.homeAssistant.birthTopic,
            expected: "a topic without wildcards, at most 256 bytes",
            range: "a topic without wildcards, at most 256 bytes",
            accepts: ConfigurationPattern.isTopic,
            "Where Home Assistant says that it has started"
        ),
    ]
}
