package import BleCore

/// Devices that a lasting scan heard.
package struct ScanBatchMessage: Sendable, Equatable {
    package var session: SessionName
    package var devices: [HeardDevice]
    /// How many reports were dropped since the last message.
    package var dropped: Int
    /// How many gave way to newer ones of their devices since the last message.
    package var coalesced: Int

    package init(session: SessionName, devices: [HeardDevice], dropped: Int = 0, coalesced: Int = 0) {
        self.session = session
        self.devices = devices
        self.dropped = dropped
        self.coalesced = coalesced
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 192 + 400 * devices.count)
        writer.beginObject()
        writer.field("session", session.text)
        writer.key("devices")
        writer.beginArray()
        for device in devices { device.write(to: &writer) }
        writer.endArray()
        writer.field("dropped", dropped)
        if coalesced > 0 { writer.field("coalesced", coalesced) }
        stamp.write(to: &writer)
        writer.endObject()
        return writer.finish()
    }
}

/// The retained state of a lasting scan.
package struct ScanStateMessage: Sendable, Equatable {
    package enum State: String, CaseIterable, Sendable { case started, stopped }

    package var session: SessionName
    package var state: State
    /// Why, in a word such as `command` or `duration`.
    package var reason: String?
    package var mode: ScanRequest.Mode
    /// Reports heard, devices published, and reports dropped since the start of the scan.
    package var signals: Int64
    package var published: Int64
    package var dropped: Int64
    /// Reports that gave way to newer ones of their devices while they waited for the broker.
    package var coalesced: Int64

    package init(
        session: SessionName,
        state: State,
        reason: String? = nil,
        mode: ScanRequest.Mode,
        signals: Int64 = 0,
        published: Int64 = 0,
        dropped: Int64 = 0,
        coalesced: Int64 = 0
    ) {
        self.session = session
        self.state = state
        self.reason = reason
        self.mode = mode
        self.signals = signals
        self.published = published
        self.dropped = dropped
        self.coalesced = coalesced
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.field("session", session.text)
        writer.field("state", state.rawValue)
        writer.field(ifPresent: "reason", reason)
        writer.field("mode", mode.rawValue)
        writer.field("signals", signals)
        writer.field("published", published)
        writer.field("dropped", dropped)
        writer.field("coalesced", coalesced)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
