/// Which devices a scan is for, and how it listens.
///
/// A device matches when it fulfils each condition that is given; within a list, one of the entries suffices.
public struct ScanRequest: Sendable, Equatable {
    /// How the adapter listens.
    public enum Mode: String, Sendable, CaseIterable {
        /// Asks each device for its scan response.
        case active
        /// Only listens. Needs bluetoothd's advertisement monitor.
        case passive
        /// Active, unless the configuration says otherwise.
        case auto
    }

    /// Services of which the device advertises at least one.
    public var services: [BluetoothUUID] = []
    /// The exact name.
    public var name: String?
    /// The start of the name.
    public var namePrefix: String?
    /// The addresses that count.
    public var addresses: [DeviceAddress] = []
    /// Company identifiers of which the device advertises data for at least one.
    public var manufacturers: [UInt16] = []
    /// The weakest signal that counts, dBm.
    public var rssiMin: Int?
    public var mode: Mode = .auto
    /// The only adapter that listens; nil: all.
    public var adapter: AdapterName?

    public init() {}

    /// Whether an adapter may listen for the request.
    func mayUse(_ name: AdapterName) -> Bool { adapter == nil || adapter == name }

    /// Whether a device fulfils every condition of the request.
    public func matches(_ advertisement: Advertisement) -> Bool {
        if let adapter, advertisement.adapter != adapter.text { return false }
        if !addresses.isEmpty, !addresses.contains(advertisement.address) { return false }
        if let rssiMin {
            guard let rssi = advertisement.rssi, rssi >= rssiMin else { return false }
        }
        if let name, advertisement.name != name { return false }
        if let namePrefix {
            guard let name = advertisement.name, name.hasPrefix(namePrefix) else { return false }
        }
        if !services.isEmpty, !services.contains(where: { offers($0, advertisement) }) { return false }
        return manufacturers.isEmpty || manufacturers.contains { advertisement.manufacturerData[$0] != nil }
    }

    private func offers(_ service: BluetoothUUID, _ advertisement: Advertisement) -> Bool {
        advertisement.services.contains(service) || advertisement.serviceData[service] != nil
    }
}
