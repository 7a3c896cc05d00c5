/// What is known of one device on the air: the last values that BlueZ reported, and when.
public struct Advertisement: Sendable, Equatable {
    /// Whether an address is a public or a random one (Bluetooth Core 5.4, Vol 6, Part B, 1.3).
    public enum AddressType: String, Sendable { case `public`, random }

    public var address: DeviceAddress
    public var addressType: AddressType
    /// The private address now on the air, when an identity key gave `address`.
    public var via: DeviceAddress?
    /// The adapter that heard it, such as `hci0`.
    public var adapter: String
    /// The advertised name; nil when BlueZ shows the address for want of one.
    public var name: String?
    /// Received signal strength of the last report, dBm.
    public var rssi: Int?
    /// Advertised transmit power, dBm.
    public var txPower: Int?
    public var services: [BluetoothUUID]
    /// Payloads by company identifier, in the order of the identifiers.
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// When this agent heard it first and last, in milliseconds since 1970-01-01 UTC.
    public var firstHeard: Int64
    public var lastHeard: Int64
    /// How many reports have arrived from it.
    public var signals: Int

    /// An advertisement of which only address and adapter are known yet.
    public init(address: DeviceAddress, adapter: String, heard: Int64) {
        self.address = address
        self.adapter = adapter
        addressType = .public
        services = []
        manufacturerData = [:]
        serviceData = [:]
        firstHeard = heard
        lastHeard = heard
        signals = 0
    }
}
