package import BleCore

/// Where a gateway tells Home Assistant of its devices, and how they are called there.
package struct HomeIdentities: Sendable, Equatable {
    /// The first level of discovery topics: `homeassistant`.
    package var discoveryPrefix: String
    /// Stands for the gateway in discovery topics and identities.
    package var node: String

    package init(discoveryPrefix: String, node: String) {
        self.discoveryPrefix = discoveryPrefix
        self.node = node
    }

    package var gateway: String { "edge-agent_\(node)" }
    package var gatewayTopic: String { "\(discoveryPrefix)/device/\(node)/gateway/config" }

    /// What a device is called: by its address alone, so that another alias makes no other device of it.
    package func device(_ address: DeviceAddress, isShared: Bool) -> String {
        isShared ? "edge-agent_\(address.hex)" : "\(gateway)_\(address.hex)"
    }

    /// Whether a topic is one that devices are announced on: nothing else is taken away.
    package static func isDiscoveryTopic(_ topic: String) -> Bool {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count <= 40, levels.allSatisfy({ NamePattern.isIdentity($0) }), levels.last == "config" else {
            return false
        }
        return levels.dropLast(2).last == "device" && levels.count > 3
            || levels.dropLast(3).last == "device" && levels.count > 4
    }

    package func topic(_ address: DeviceAddress, isShared: Bool) -> String {
        let level = isShared ? address.hex : "\(node)/\(address.hex)"
        return "\(discoveryPrefix)/device/\(level)/config"
    }
}

extension DeviceAnnouncement {
    /// Tells of a device whose values are in its `state`.
    package init(_ device: DisplayedDevice, target: DeviceTarget, topics: TopicTree, identities: HomeIdentities) {
        let own = topics.device(target.name)
        self.init(
            topic: identities.topic(device.address, isShared: device.isShared),
            identity: identities.device(device.address, isShared: device.isShared),
            name: device.name,
            availability: [.gateway(topics), HomeAvailability(topic: own.avail)],
            components: device.values.map { HomeComponent($0, topics: own) }
        )
        manufacturer = device.manufacturer
        model = device.model
        address = "\(device.address)"
        via = identities.gateway
    }
}

extension HomeComponent {
    /// Shows a value of a device.
    init(_ value: DisplayedValue, topics: DeviceTopics) {
        self.init(value.name, value.kind.platform, name: value.title)
        if platform.isOperated { commandTopic = topics.set(value.command ?? value.name) }
        state = value.kind.reading(value.name, topics)
        deviceClass = value.deviceClass
        stateClass = value.stateClass
        unit = value.unit
        category = value.category
        icon = value.icon
        precision = value.precision
        expireAfter = value.expireAfter
        isEnabled = value.isEnabled
        switch value.kind {
        case .choice(let options):
            deviceClass = deviceClass ?? "enum"
            self.options = options
        case .event(let kinds): options = kinds
        case .select(let options): self.options = options
        case .number(let range, let step):
            self.range = range
            self.step = step
        case .text(let maximumLength): self.maximumLength = maximumLength
        case .light(let brightness?):
            self.brightness = Brightness(
                state: Reading(topic: topics.state, template: Template.value(brightness.value)),
                commandTopic: topics.set(brightness.command),
                scale: brightness.scale
            )
        case .sensor, .binarySensor, .switch, .button, .light(nil): break
        }
    }
}

extension DisplayedValue.Kind {
    fileprivate var platform: HomePlatform {
        switch self {
        case .sensor, .choice: .sensor
        case .binarySensor: .binarySensor
        case .event: .event
        case .switch: .switch
        case .number: .number
        case .select: .select
        case .button: .button
        case .text: .text
        case .light: .light
        }
    }

    fileprivate func reading(_ name: String, _ topics: DeviceTopics) -> HomeComponent.Reading? {
        switch self {
        case .button: nil
        case .sensor, .choice, .number, .select:
            HomeComponent.Reading(topic: topics.state, template: Template.value(name))
        case .binarySensor, .switch, .light: HomeComponent.Reading(topic: topics.state, template: Template.truth(name))
        case .text: HomeComponent.Reading(topic: topics.state, template: Template.text(name))
        case .event: HomeComponent.Reading(topic: topics.event, template: Template.event(name))
        }
    }
}

/// How a value is taken from a flat object; what is missing or null is unknown.
private enum Template {
    static func value(_ name: String) -> String { "{{ value_json['\(name)'] | default(none) }}" }

    static func truth(_ name: String) -> String {
        "{{ {true: 'ON', false: 'OFF'}[value_json['\(name)']] | default(none) }}"
    }

    /// An entity for text takes whatever it is given for its text.
    static func text(_ name: String) -> String { "{{ value_json['\(name)'] | default('', true) }}" }

    /// Of all events of a device those of one value.
    static func event(_ name: String) -> String {
        "{% if value_json.event == 'value' and value_json.name == '\(name)' %}"
            + "{{ dict(value_json, event_type=value_json.value) | tojson }}{% endif %}"
    }
}
