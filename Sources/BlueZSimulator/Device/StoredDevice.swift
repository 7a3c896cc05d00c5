/// What bluetoothd keeps of a device on disk, from one life to the next.
struct StoredDevice {
    let name: String?
    let alias: String?
    let appearance: UInt16?
    let services: [String]
    let isTrusted: Bool
    let isBlocked: Bool
    let isBonded: Bool
    /// Not on the disk: whether the kernel has a link.
    let isLinked: Bool

    /// What is kept of a device; nil for one that nobody has connected to.
    init?(_ device: SimulatedDevice) {
        guard !device.isTemporary else { return nil }
        name = device.name
        alias = device.alias
        appearance = device.appearance
        services = device.uuids
        isTrusted = device.isTrusted
        isBlocked = device.isBlocked
        isBonded = device.isBonded
        isLinked = device.isConnected
    }

    /// Gives a new object what was kept; the device on the air still has its half of the bond.
    func restore(_ device: SimulatedDevice) {
        device.name = name
        device.alias = alias
        device.appearance = appearance
        device.advertisedServices = services
        device.isTrusted = isTrusted
        device.isBlocked = isBlocked
        device.isPaired = isBonded
        device.isBonded = isBonded
        device.peripheral.isPaired = isBonded
    }
}
