/// Whether and how Home Assistant is told of the gateway and its devices.
package struct HomeAssistantConfiguration: Sendable, Equatable {
    /// Off unless asked for: what is told is retained outside the agent's own tree of topics.
    package var isEnabled = false
    /// The first levels of discovery topics.
    package var discoveryPrefix = "homeassistant"
    /// Stands for the gateway in discovery topics and in the identities of entities; nil: the gateway's name.
    package var node: String?
    /// Where Home Assistant says that it has started.
    package var birthTopic = "homeassistant/status"

    /// The defaults.
    package init() {}
}

extension Configuration {
    /// How the gateway and its devices are called in Home Assistant.
    package var homeIdentities: HomeIdentities {
        HomeIdentities(discoveryPrefix: homeAssistant.discoveryPrefix, node: homeAssistant.node ?? gateway)
    }
}
