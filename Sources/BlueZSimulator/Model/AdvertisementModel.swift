/// What a device says on the air, and how often.
package struct AdvertisementModel: Equatable, Sendable {
    /// Data of one kind under one key: a company's number or a service's UUID.
    package struct Field<Key: Equatable & Sendable>: Equatable, Sendable {
        package let key: Key
        package let payload: PayloadModel

        package init(_ key: Key, _ payload: PayloadModel) {
            self.key = key
            self.payload = payload
        }
    }

    /// The flags of the advertisement; 0x06 is general discoverable, LE only; 0 is none.
    package var flags: UInt8 = 0x06
    package var name: String?
    package var services: [String] = []
    package var manufacturer: [Field<UInt16>] = []
    package var serviceData: [Field<String>] = []
    /// In dBm.
    package var txPower: Int16?
    package var appearance: UInt16?
    package var interval: Duration = .milliseconds(500)
    /// In dBm, with what it may differ from one advertisement to the next.
    package var rssi: Int16 = -60
    package var rssiSpread: Int16 = 3
    package var isConnectable = true

    package init() {}

    /// Whether the flags let an unfiltered discovery see the device.
    var isDiscoverable: Bool { flags & 0x03 != 0 }
}

/// One advertisement as a scanner receives it.
struct ReceivedAdvertisement {
    let rssi: Int16
    let manufacturer: [(company: UInt16, data: [UInt8])]
    let serviceData: [(uuid: String, data: [UInt8])]

    /// What may differ between two advertisements of one device, save for the signal strength.
    var content: [[UInt8]] { manufacturer.map(\.data) + serviceData.map(\.data) }
}
