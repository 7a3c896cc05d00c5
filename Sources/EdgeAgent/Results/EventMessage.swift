package import BleCore
package import Profiles

/// Something that happened to a device.
package struct EventMessage: Sendable, Equatable {
    package enum Event: Sendable, Equatable {
        case connected(mtu: Int?)
        case disconnected(reason: String?)
        /// The device has another name now; nil when it has none.
        case name(String?)
        /// The device has other services now.
        case services
        case bond(isBonded: Bool)
        case subscriptionLost(AttributeSelector, reason: String)
        /// Values may have been missed in between.
        case subscriptionRestored(AttributeSelector)
        /// Something is done because no link comes to be, or none that is of use.
        case recovery(RecoveryStep, RecoveryFault, adapter: AdapterName?)
        /// What a profile calls an event: a button was pressed.
        case value(DecodedEvent)

        package var name: String {
            switch self {
            case .connected: "connected"
            case .disconnected: "disconnected"
            case .name: "name"
            case .services: "services"
            case .bond: "bond"
            case .subscriptionLost: "subscription-lost"
            case .subscriptionRestored: "subscription-restored"
            case .recovery: "recovery"
            case .value: "value"
            }
        }
    }

    package var device: DeviceTarget
    package var event: Event

    package init(device: DeviceTarget, event: Event) {
        self.device = device
        self.event = event
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 320)
        writer.beginObject()
        writer.field("event", event.name)
        switch event {
        case .connected(let mtu): writer.field(ifPresent: "mtu", mtu)
        case .disconnected(let reason): writer.field(ifPresent: "reason", reason)
        case .name(let name): writer.field(orNull: "name", name)
        case .services: break
        case .bond(let isBonded): writer.field("bonded", isBonded)
        case .subscriptionLost(let attribute, let reason):
            attribute.write(to: &writer)
            writer.field("reason", reason)
        case .subscriptionRestored(let attribute): attribute.write(to: &writer)
        case .recovery(let step, let fault, let adapter):
            writer.field("step", step.rawValue)
            writer.field("reason", fault.rawValue)
            writer.field(ifPresent: "adapter", adapter?.text)
        case .value(let event):
            writer.field("name", event.fullName)
            writer.field("value", event.type)
            writer.write(event.details)
        }
        device.write(to: &writer)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension AttributeSelector {
    /// Writes the members that name the attribute.
    func write(to writer: inout JSONWriter) {
        writer.field(ifPresent: "service", service?.description)
        writer.field(ifPresent: "characteristic", characteristic?.description)
        writer.field(ifPresent: "handle", handle.map { Int($0) })
        writer.field(ifPresent: "descriptor", descriptor?.description)
    }
}
