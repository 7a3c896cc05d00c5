internal import DBus

/// A characteristic whose values somebody wants to hear, and who.
///
/// Confined to the manager. It outlives the link: after a reconnection the subscription stands again.
final class Notifier {
    let address: DeviceAddress
    let id: CharacteristicID
    let isIndication: Bool
    /// bluetoothd holds a notify session of ours.
    ///
    /// It keeps it over a disconnection, and renews it by itself.
    var started = false
    private var holders: [String: @Sendable (GattNotification) -> Void] = [:]
    private var readsOut = 0
    /// A value that came while a read was out: perhaps only the read's own, which BlueZ announces just before the reply.
    private var held: [UInt8]?

    init(address: DeviceAddress, id: CharacteristicID, isIndication: Bool) {
        self.address = address
        self.id = id
        self.isIndication = isIndication
    }

    var isWanted: Bool { !holders.isEmpty }

    /// Adds or replaces a holder; false when it was there already.
    func hold(_ name: String, _ handler: @escaping @Sendable (GattNotification) -> Void) -> Bool {
        holders.updateValue(handler, forKey: name) == nil
    }

    /// Lets a holder go; false when it was none.
    func release(_ name: String) -> Bool { holders.removeValue(forKey: name) != nil }

    func readBegins() { readsOut += 1 }

    func readEnds(_ outcome: DBusConnection.Outcome) {
        readsOut -= 1
        guard let value = held else { return }
        held = nil
        if case .success(let reply) = outcome {
            var reader = reply.reader()
            if let read = try? reader.bytes(), read == value { return }  // another type is no value of ours
        }
        deliver(value)
    }

    func arrived(_ value: [UInt8]) {
        guard readsOut > 0 else {
            deliver(value)
            return
        }
        // Only the last value before the reply can be the read's own.
        if let earlier = held { deliver(earlier) }
        held = value
    }

    private func deliver(_ value: [UInt8]) {
        let notification = GattNotification(source: id, value: value, isIndication: isIndication)
        for handler in holders.values { handler(notification) }
    }
}
