package import BleCore

/// Has a characteristic's values published.
package struct SubscribeRequest: Sendable, Equatable {
    /// Without a descriptor.
    package var attribute: AttributeSelector
    /// After this time without a renewal the subscription ends by itself.
    package var lease: Duration?
    /// Whether the subscription is to survive a restart of the agent.
    package var isDurable: Bool
    /// Whether the last message is retained.
    package var retainLast: Bool
    package var coalesce: Coalesce
    /// How often the value is read where the characteristic cannot notify.
    package var poll: Duration?

    /// The shortest span between two reads, in milliseconds.
    package static let shortestPollMs = 250
    /// The longest span between two reads, in milliseconds.
    package static let longestPollMs = 86_400_000

    package init(
        attribute: AttributeSelector,
        lease: Duration? = nil,
        isDurable: Bool = false,
        retainLast: Bool = false,
        coalesce: Coalesce = .every,
        poll: Duration? = nil
    ) {
        self.attribute = attribute
        self.lease = lease
        self.isDurable = isDurable
        self.retainLast = retainLast
        self.coalesce = coalesce
        self.poll = poll
    }
}

/// Ends a subscription.
package struct UnsubscribeRequest: Sendable, Equatable {
    /// Without a descriptor.
    package var attribute: AttributeSelector

    package init(attribute: AttributeSelector) { self.attribute = attribute }
}
