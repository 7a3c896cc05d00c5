extension DeviceAnnouncement {
    /// Tells of the gateway itself: whether it is there, how it fares, and what can be done with it.
    package init(gateway topics: TopicTree, identities: HomeIdentities) {
        let health = { (template: String) in
            HomeComponent.Reading(topic: topics.health, template: "{{ \(template) }}")
        }
        // Not for the connection, which has something to show just when the gateway is away.
        let isThere = [HomeAvailability.gateway(topics)]

        var connection = HomeComponent("connection", .binarySensor, name: "Connection")
        connection.deviceClass = "connectivity"
        connection.state = HomeComponent.Reading(
            topic: topics.status,
            template: "{{ 'ON' if value_json.state == 'online' else 'OFF' }}"
        )

        var bluetooth = HomeComponent("bluetooth", .sensor, name: "Bluetooth")
        bluetooth.deviceClass = "enum"
        bluetooth.options = BluetoothMessage.allCases.map(\.rawValue)
        bluetooth.icon = "mdi:bluetooth"
        bluetooth.state = HomeComponent.Reading(topic: topics.bluetooth, template: "{{ value_json.state }}")

        var queue = HomeComponent("queue", .sensor, name: "Queue depth")
        queue.icon = "mdi:tray-full"
        queue.stateClass = .measurement
        queue.state = health("value_json.queue.queued")

        var links = HomeComponent("links", .sensor, name: "Links")
        links.icon = "mdi:bluetooth-connect"
        links.state = health("value_json.links.used")
        links.stateClass = .measurement

        var recoveries = HomeComponent("recoveries", .sensor, name: "Recoveries")
        recoveries.icon = "mdi:backup-restore"
        recoveries.stateClass = .totalIncreasing
        recoveries.state = health("value_json.recoveries.values() | sum")

        var restart = HomeComponent("restart", .button, name: "Restart")
        restart.deviceClass = "restart"
        restart.commandTopic = topics.command(client: Self.client)
        restart.payloads = .pressed(#"{"verb":"restart"}"#)

        var pairing = HomeComponent("pairing", .switch, name: "Pairing window")
        pairing.icon = "mdi:bluetooth-settings"
        pairing.commandTopic = topics.command(client: Self.client)
        pairing.payloads = .switched(
            on: #"{"verb":"pair","windowMs":\#(PairingWindowRequest.longestMs)}"#,
            off: #"{"verb":"pair","windowMs":0}"#
        )
        pairing.state = health("'OFF' if value_json.pairing.windowEnds is none else 'ON'")

        var components = [connection]
        for var component in [bluetooth, queue, links, recoveries, restart, pairing] {
            component.availability = isThere
            component.category = component.platform.isOperated ? .config : .diagnostic
            components.append(component)
        }
        components[0].category = .diagnostic
        self.init(
            topic: identities.gatewayTopic,
            identity: identities.gateway,
            name: topics.gateway.text,
            components: components
        )
        manufacturer = "edge-agent"
        model = "Bluetooth gateway"
        softwareVersion = AgentVersion.current
    }

    /// The level of the topic on which Home Assistant's commands for the gateway come: policy and access list know it by
    /// this name.
    package static let client = "home-assistant"
}
