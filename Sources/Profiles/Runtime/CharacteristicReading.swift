extension ValueSource {
    /// Reads a value of the characteristic.
    ///
    /// - Parameters:
    ///   - bytes: What was read or notified.
    ///   - profile: The profile that the source is of, which describes the values.
    /// - Returns: The values; empty when the bytes are none of this source.
    package func read(_ bytes: [UInt8], of profile: Profile) -> AdvertisementReading {
        guard PacketDecoder.isFor(self, bytes) else { return AdvertisementReading() }
        var decoder = PacketDecoder(profile)
        guard decoder.read(bytes, of: self) else { return AdvertisementReading(.malformed) }
        var reading = AdvertisementReading(decoder, isNew: true)
        reading.profiles = [profile.id]
        return reading
    }
}
