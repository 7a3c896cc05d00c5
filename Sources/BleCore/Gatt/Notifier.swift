package import DBus

/// A characteristic whose values somebody wants to hear, and who.
///
/// Confined to the manager. It outlives the link: after a reconnection the subscription stands again.
package final class Notifier {
    package let address: DeviceAddress
    package let id: CharacteristicID
    package let isIndication: Bool
    /// bluetoothd holds a notify session of ours.
    ///
    /// It keeps it over a disconnection, and renews it by itself.
    var started = false
    /// `StartNotify` is out; a second one would be refused meanwhile.
    var isStarting = false
    private var holders: [String: @Sendable (GattNotification) -> Void] = [:]
    private var readsOut: Int
    /// A value that came while a read was out: perhaps only the read's own, which BlueZ announces just before the reply.
    private var held: [UInt8]?

    /// A characteristic that nobody holds yet, with so many reads of it under way.
    package init(address: DeviceAddress, id: CharacteristicID, isIndication: Bool, readsOut: Int = 0) {
        self.address = address
        self.id = id
        self.isIndication = isIndication
        self.readsOut = readsOut
    }

    package var isWanted: Bool { !holders.isEmpty }

    /// Adds or replaces a holder; false when it was there already.
    package func hold(_ name: String, _ handler: @escaping @Sendable (GattNotification) -> Void) -> Bool {
        holders.updateValue(handler, forKey: name) == nil
    }

    /// Whether that holder is there.
    package func holds(_ name: String) -> Bool { holders[name] != nil }

    /// Lets a holder go; false when it was none.
    package func release(_ name: String) -> Bool { holders.removeValue(forKey: name) != nil }

    /// A read of the characteristic goes out.
    package func readBegins() { readsOut += 1 }

    /// A read that began at an offset has been answered.
    package func readEnds(_ outcome: DBusConnection.Outcome, offset: Int = 0) {
        if readsOut > 0 { readsOut -= 1 }
        guard let value = held else { return }
        held = nil
        if case .success(let reply) = outcome {
            var reader = reply.reader()
            let read = try? reader.bytes()  // another type is no value of ours
            // BlueZ announces the whole value, and answers with what lies behind the offset.
            if let read, value.count >= offset, value.dropFirst(offset).elementsEqual(read) { return }
        }
        deliver(value)
    }

    /// A value has been announced.
    package func arrived(_ value: [UInt8]) {
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
