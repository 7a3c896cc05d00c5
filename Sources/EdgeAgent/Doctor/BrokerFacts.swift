package import MQTT

/// How far a client came with the broker.
package struct BrokerFacts: Sendable, Equatable {
    /// A subscription that the broker did not grant.
    package struct Refusal: Sendable, Equatable {
        package var filter: String
        /// What the broker said; nil: nothing.
        package var text: String?

        package init(filter: String, text: String?) {
            self.filter = filter
            self.text = text
        }
    }

    /// The version of MQTT in use; nil: there was no connection.
    package var version: String?
    /// Why there was none, or why it ended.
    package var failure: MQTTFailure?
    package var granted = 0
    package var refused: [Refusal] = []
    /// The client id that was used.
    package var clientID = ""

    package init() {}
}
