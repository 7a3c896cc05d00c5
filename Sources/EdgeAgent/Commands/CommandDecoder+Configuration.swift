extension CommandDecoder {
    /// The decoder of a configured gateway.
    package init(_ configuration: Configuration, topics: TopicTree) {
        let devices = DeviceDirectory(configuration.devices)
        self.init(
            limits: Limits(
                maxPayloadBytes: configuration.limits.maximumPayloadBytes,
                defaultTTL: configuration.limits.defaultTTL,
                allMayChange: configuration.policy?.reachesAll ?? false
            ),
            rule: ResponseTopicRule(
                tree: topics,
                forbidden: [
                    TopicFilter(known: "\(configuration.homeAssistant.discoveryPrefix)/#"),
                    TopicFilter(known: configuration.homeAssistant.birthTopic),
                ]
            ),
            devices: devices,
            groups: GroupDirectory(configuration.groups, devices)
        )
    }
}
