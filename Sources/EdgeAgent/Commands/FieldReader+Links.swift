extension FieldReader {
    /// What a command says of its device's link: `{"policy":"keep","maxAttempts":5}`; `{}` is the configuration again.
    mutating func link(ofConnect isConnect: Bool) -> LinkSettings? {
        nested("link", expected: "an object with policy, idleMs, maxAttempts or rssiMin") { reader in
            let settings = LinkSettings(
                policy: reader.choice("policy", LinkRules.Policy.self),
                idle: reader.milliseconds("idleMs", LinkSettings.idleMs),
                maxAttempts: reader.whole("maxAttempts", LinkSettings.attempts),
                rssiMin: reader.whole("rssiMin", LinkSettings.rssi)
            )
            if isConnect, settings.policy == .never {
                reader.problem("policy", "never cannot go with connect; say it with disconnect")
            }
            return settings
        }
    }
}
