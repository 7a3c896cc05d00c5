/// Which devices are heard through each adapter and take no link: when there are several it is not they that are at
/// fault.
package struct ConnectTroubles: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How long a failure counts.
    package static let span = Duration.seconds(300)
    /// The most devices of one adapter that are kept.
    package static let bound = 64

    private var failing: [AdapterID: [DeviceAddress: Instant]] = [:]

    package init() {}

    /// Takes up that a device was heard and took no link.
    ///
    /// - Returns: whether it is one of several.
    package mutating func failed(_ device: DeviceAddress, on adapter: AdapterID, at now: Instant) -> Bool {
        var devices = (failing[adapter] ?? [:]).filter { now - $0.value < Self.span }
        if devices.count < Self.bound || devices[device] != nil { devices[device] = now }
        failing[adapter] = devices
        return devices.count > 1
    }

    /// Takes up that a link came to be.
    package mutating func succeeded(on adapter: AdapterID) { failing[adapter] = nil }

    /// Whether a device has failed of late.
    package func isFailing(_ device: DeviceAddress, on adapter: AdapterID) -> Bool { failing[adapter]?[device] != nil }
}
