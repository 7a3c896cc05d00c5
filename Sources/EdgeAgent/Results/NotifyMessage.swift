/// What a device sent by itself, or what was read of it in turn: one value or several.
package struct NotifyMessage: Sendable, Equatable {
    package enum Kind: String, CaseIterable, Sendable {
        case notify, indicate
        /// Read in turn, because the characteristic cannot notify.
        case read
    }

    package enum Content: Sendable, Equatable {
        case value([UInt8])
        /// In the order of their arrival.
        case values([[UInt8]])
    }

    package var device: DeviceTarget
    package var content: Content
    /// Counts the values of this subscription; of several it is the last one's.
    package var count: Int64
    package var kind: Kind
    /// How many values were dropped since the last message, because they came faster than they could go out.
    package var dropped: Int

    package init(device: DeviceTarget, content: Content, count: Int64, kind: Kind, dropped: Int = 0) {
        self.device = device
        self.content = content
        self.count = count
        self.kind = kind
        self.dropped = dropped
    }

    package init(device: DeviceTarget, value: [UInt8], count: Int64, kind: Kind, dropped: Int = 0) {
        self.init(device: device, content: .value(value), count: count, kind: kind, dropped: dropped)
    }

    /// How many values it carries.
    package var values: Int { if case .values(let values) = content { values.count } else { 1 } }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 288 + capacity)
        writer.beginObject()
        switch content {
        case .value(let value): writer.field("value", binary: value)
        case .values(let values):
            writer.key("values")
            writer.beginArray()
            for value in values { writer.binary(value) }
            writer.endArray()
        }
        writer.field("n", count)
        writer.field("kind", kind.rawValue)
        writer.field("dropped", dropped)
        device.write(to: &writer)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private var capacity: Int {
        switch content {
        case .value(let value): 2 * value.count
        case .values(let values): values.reduce(0) { $0 + 16 + 2 * $1.count }
        }
    }
}
