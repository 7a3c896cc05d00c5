/// One value that a device sent by itself.
package struct NotifyMessage: Sendable, Equatable {
    package enum Kind: String, CaseIterable, Sendable { case notify, indicate }

    package var device: DeviceTarget
    package var value: [UInt8]
    /// Counts the values of this subscription.
    package var count: Int64
    package var kind: Kind
    /// How many values were dropped since the last message, because they came faster than they could go out.
    package var dropped: Int

    package init(device: DeviceTarget, value: [UInt8], count: Int64, kind: Kind, dropped: Int = 0) {
        self.device = device
        self.value = value
        self.count = count
        self.kind = kind
        self.dropped = dropped
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 288 + 2 * value.count)
        writer.beginObject()
        writer.field("value", binary: value)
        writer.field("n", count)
        writer.field("kind", kind.rawValue)
        writer.field("dropped", dropped)
        device.write(to: &writer)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
