/// Produces the successive advertisements of a device.
struct AdvertisementSource {
    private let model: AdvertisementModel
    private var random: SeededRandom
    private var manufacturer: [(UInt16, PayloadSource)]
    private var serviceData: [(String, PayloadSource)]

    init(_ model: AdvertisementModel, random: SeededRandom) {
        var random = random
        self.model = model
        manufacturer = model.manufacturer.map { ($0.key, PayloadSource($0.payload, random: random.fork())) }
        serviceData = model.serviceData.map {
            (LongUUID.text($0.key), PayloadSource($0.payload, random: random.fork()))
        }
        self.random = random
    }

    mutating func next() -> ReceivedAdvertisement {
        let spread = Int(model.rssiSpread.magnitude)
        let rssi = Int(model.rssi) + (spread > 0 ? Int.random(in: -spread...spread, using: &random) : 0)
        return ReceivedAdvertisement(
            // 0 would stand for "not heard".
            rssi: Int16(clamping: min(max(rssi, -127), -1)),
            manufacturer: manufacturer.indices.map { (manufacturer[$0].0, manufacturer[$0].1.next()) },
            serviceData: serviceData.indices.map { (serviceData[$0].0, serviceData[$0].1.next()) }
        )
    }
}
