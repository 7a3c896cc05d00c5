package import BleCore

/// The retained state of a device's link.
package struct LinkMessage: Sendable, Equatable {
    package enum State: String, CaseIterable, Sendable {
        case disconnected, connecting, connected, resolved, disconnecting
    }

    /// Who made the link.
    package enum Owner: String, CaseIterable, Sendable {
        case own = "self"
        case other
    }

    package var device: DeviceTarget
    package var state: State
    /// Why it came to this state, in a word such as `remote` or `timeout`.
    package var reason: String?
    /// Since when, in milliseconds since 1970-01-01 UTC.
    package var sinceMs: Int64
    package var mtu: Int?
    /// Which attempt to connect this is, or was.
    package var attempt: Int?
    /// How long until the next attempt.
    package var nextTryMs: Int?
    package var owner: Owner?
    /// The adapter that has the link.
    package var adapter: AdapterName?

    package init(
        device: DeviceTarget,
        state: State,
        reason: String? = nil,
        sinceMs: Int64,
        mtu: Int? = nil,
        attempt: Int? = nil,
        nextTryMs: Int? = nil,
        owner: Owner? = nil,
        adapter: AdapterName? = nil
    ) {
        self.device = device
        self.state = state
        self.reason = reason
        self.sinceMs = sinceMs
        self.mtu = mtu
        self.attempt = attempt
        self.nextTryMs = nextTryMs
        self.owner = owner
        self.adapter = adapter
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 320)
        writer.beginObject()
        writer.field("state", state.rawValue)
        writer.field(ifPresent: "reason", reason)
        writer.field("since", time: sinceMs)
        writer.field(ifPresent: "mtu", mtu)
        writer.field(ifPresent: "attempt", attempt)
        writer.field(ifPresent: "nextTryMs", nextTryMs)
        if let owner { writer.field("owner", owner.rawValue) }
        writer.field(ifPresent: "adapter", adapter?.text)
        device.write(to: &writer)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension DeviceTarget {
    /// Writes the members `dev` and `address`.
    func write(to writer: inout JSONWriter) {
        writer.field("dev", name.description)
        writer.field("address", address.hex)
    }
}
