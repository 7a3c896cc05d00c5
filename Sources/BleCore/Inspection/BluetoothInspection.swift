/// How far this process has come with bus, bluetoothd and adapters, and what each of them said where it went no further.
package struct BluetoothInspection: Sendable, Equatable {
    /// An adapter, and whether it can be used.
    package struct Adapter: Sendable, Equatable {
        package var name: AdapterName
        package var address: DeviceAddress?
        package var isPowered: Bool
        /// Whether rfkill was seen to hold it.
        package var isBlocked: Bool
        /// Whether the configuration wants it used.
        package var isUsed: Bool

        package init(
            name: AdapterName,
            address: DeviceAddress? = nil,
            isPowered: Bool = true,
            isBlocked: Bool = false,
            isUsed: Bool = true
        ) {
            self.name = name
            self.address = address
            self.isPowered = isPowered
            self.isBlocked = isBlocked
            self.isUsed = isUsed
        }
    }

    /// Whether bluetoothd knows this process as one that answers prompts of pairings.
    package enum Registration: Sendable, Equatable {
        /// The configuration wants none, or bluetoothd was not asked.
        case none
        /// It was asked and has not answered.
        case underway
        case registered(PairingCapability)
        case refused(BleFailure)
    }

    /// Where the bus was looked for.
    package var bus: String
    package var isConnected = false
    package var busFault: BusFault?
    /// Whether somebody has bluetoothd's name.
    package var hasBluez = false
    /// Whether bluetoothd has told what it has.
    package var isLoaded = false
    package var treeFault: BusFault?
    /// BlueZ's version, where an adapter tells it.
    package var version: String?
    package var adapters: [Adapter] = []
    package var registration = Registration.none

    package init(bus: String) { self.bus = bus }

    /// The version in what BlueZ calls itself; nil for a name that somebody has changed.
    package static func version(inModalias text: String) -> String? {
        let prefix = "usb:v1D6Bp0246d"
        guard text.uppercased().hasPrefix(prefix.uppercased()) else { return nil }
        let digits = text.dropFirst(prefix.count)
        guard digits.count == 4, let number = UInt16(digits, radix: 16) else { return nil }
        return "\(number >> 8).\(number & 0xFF)"
    }
}
