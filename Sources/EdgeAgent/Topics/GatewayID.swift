/// The name of one gateway in topics and bodies: `shop-3`.
package struct GatewayID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Takes `[a-z0-9][a-z0-9-]{0,62}`, but not `all`, which names every gateway.
    package init?(_ text: String) {
        guard NamePattern.isGateway(text) else { return nil }
        self.text = text
    }

    package var description: String { text }
}
