package import BleCore

/// The retained state of the gateway.
package enum StatusMessage: String, CaseIterable, Sendable {
    case online, offline
    /// Only in the will: the agent went without saying so.
    case lost

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 160)
        writer.beginObject()
        writer.field("state", rawValue)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The will, which the broker sends: fixed when the agent connects.
    ///
    /// - Parameters:
    ///   - boot: The start of the agent that it is the will of.
    ///   - sinceMs: When the agent connected, in milliseconds since 1970-01-01 UTC.
    /// - Returns: The payload.
    package static func will(boot: String, sinceMs: Int64) -> [UInt8] {
        var writer = JSONWriter(capacity: 96)
        writer.beginObject()
        writer.field("state", Self.lost.rawValue)
        writer.field("boot", boot)
        writer.field("since", time: sinceMs)
        writer.endObject()
        return writer.bytes
    }
}

/// The retained state of Bluetooth on the gateway.
package enum BluetoothMessage: String, CaseIterable, Sendable {
    case ready, off, blocked
    case noAdapter = "no-adapter"
    case absent
    case notResponding = "not-responding"
    case denied

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 160)
        writer.beginObject()
        writer.field("state", rawValue)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

/// The retained state of one adapter.
package struct AdapterMessage: Sendable, Equatable {
    package var name: AdapterName
    /// Nil until BlueZ tells it.
    package var address: DeviceAddress?
    package var isPowered: Bool
    package var isDiscovering: Bool
    package var links: LinkCounts
    /// What was done last so that it works again.
    package var recovery: Recovery?

    /// One step, why it was taken, and when, in milliseconds since 1970-01-01 UTC.
    package struct Recovery: Sendable, Equatable {
        package var step: RecoveryStep
        package var fault: RecoveryFault
        package var atMs: Int64

        package init(step: RecoveryStep, fault: RecoveryFault, atMs: Int64) {
            self.step = step
            self.fault = fault
            self.atMs = atMs
        }
    }

    package init(
        name: AdapterName,
        address: DeviceAddress?,
        isPowered: Bool,
        isDiscovering: Bool,
        links: LinkCounts = LinkCounts(),
        recovery: Recovery? = nil
    ) {
        self.name = name
        self.address = address
        self.isPowered = isPowered
        self.isDiscovering = isDiscovering
        self.links = links
        self.recovery = recovery
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.field("adapter", name.text)
        writer.field(orNull: "address", address?.hex)
        writer.field("powered", isPowered)
        writer.field("discovering", isDiscovering)
        writer.key("links")
        links.write(to: &writer)
        if let recovery {
            writer.object("recovery") { writer in
                writer.field("step", recovery.step.rawValue)
                writer.field("reason", recovery.fault.rawValue)
                writer.field("at", time: recovery.atMs)
            }
        }
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

/// How many links there are, may be, and are waited for.
package struct LinkCounts: Sendable, Equatable {
    package var used: Int
    /// Nil while nobody knows.
    package var max: Int?
    package var waiting: Int

    package init(used: Int = 0, max: Int? = nil, waiting: Int = 0) {
        self.used = used
        self.max = max
        self.waiting = waiting
    }

    /// The sums of all adapters' counts; nobody knows how many there may be where one adapter does not tell it.
    package init(sum all: [LinkCounts]) {
        used = all.reduce(0) { $0 + $1.used }
        let known = all.compactMap(\.max)
        max = known.isEmpty || known.count < all.count ? nil : known.reduce(0, +)
        waiting = all.reduce(0) { $0 + $1.waiting }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("used", used)
        writer.field(orNull: "max", max)
        writer.field("waiting", waiting)
        writer.endObject()
    }
}
