package import BleCore

/// Reads advertisements with the profiles, and knows which of their packets were there before.
///
/// Pure state: an actor confines it and tells the time. Its memory is bounded: of more devices than ``maximumDevices``
/// the one that was silent the longest is forgotten, unless it has a key.
package struct AdvertisementReader: Sendable {
    package static let maximumDevices = 4096

    package var library: ProfileLibrary
    /// Keys by device, for encrypted packets.
    package var keys: BindKeys
    private var memories: [DeviceAddress: PacketMemory] = [:]

    package init(library: ProfileLibrary, keys: BindKeys = BindKeys()) {
        self.library = library
        self.keys = keys
    }

    /// Reads an advertisement.
    ///
    /// - Parameters:
    ///   - advertisement: What was heard.
    ///   - bound: The profile that the configuration names for the device; nil: those that recognise it.
    ///   - now: A clock that does not jump.
    /// - Returns: What it tells; empty when no profile reads it.
    package mutating func read(
        _ advertisement: Advertisement,
        boundTo bound: String? = nil,
        at now: Duration
    ) -> AdvertisementReading {
        AdvertisementReading()
    }

    /// Forgets which packets of a device were there: its counters may begin anew.
    package mutating func forget(_ device: DeviceAddress) { memories[device] = nil }
}
struct PacketMemory: Sendable {}
