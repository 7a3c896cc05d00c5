/// The services of a device as a retained message: those that `discover` found, or that came in their place.
package struct GattMessage: Sendable, Equatable {
    package var device: DeviceTarget
    package var tree: ServiceTree

    package init(device: DeviceTarget, tree: ServiceTree) {
        self.device = device
        self.tree = tree
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + tree.services.count * 512)
        writer.beginObject()
        tree.write(to: &writer)
        device.write(to: &writer)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
