internal import DBus

/// A device with changing private addresses has an object of BlueZ's for each of them.
extension BluetoothManager {
    /// The one stable name of the device that an address belongs to, also where BlueZ does not know that address (any
    /// more) and an identity key tells whose it is.
    package func name(of address: DeviceAddress) -> DeviceAddress {
        let name = tree.name(of: address)
        guard name == address, tree.paths[address] == nil,
            case .identity(let key)? = resolver?.resolve(address, now: WallClock.now())
        else { return name }
        return key.address
    }

    /// Takes over from a device's objects of earlier addresses once it has a link under a new one: its subscriptions go
    /// on, and BlueZ is told to forget what it will never hear again.
    func adoptFormerObjects(of path: ObjectPath) {
        guard let record = tree.devices[path], record.advertisement.via != nil else { return }
        for former in tree.paths[record.address] ?? [] where former != path {
            guard let old = tree.devices[former], old.pathAddress != record.pathAddress, !old.connected,
                !old.paired, old.advertisement.via != nil
            else { continue }
            adoptSubscriptions(from: former, to: path)
            forgetWithoutWaiting(former, record.address)
        }
    }

    func adoptSubscriptions(from former: ObjectPath, to path: ObjectPath) {
        for (place, notifier) in notifiers where place.isWithin(former) {
            guard let new = ObjectPath(path.text + place.text.dropFirst(former.text.count)), notifiers[new] == nil,
                !notifier.isStarting
            else { continue }
            notifiers[place] = nil
            notifier.started = false
            notifiers[new] = notifier
        }
    }

    private func forgetWithoutWaiting(_ path: ObjectPath, _ address: DeviceAddress) {
        do throws(DBusFailure) {
            let message = try DBusMessage.call(BluezNames.service, path.parent, BluezNames.adapter, "RemoveDevice")
                .append { (writer) throws(DBusFailure) in try writer.append(path: path) }
            send(message, for: link(address)) { _ in }
        } catch {
            // Only BlueZ's own path goes into the call.
        }
    }
}
