package import BleCore

/// By what a device is recognised; every part that is given has to hold.
package struct DeviceMatch: Sendable, Equatable {
    /// Advertised services, all of them.
    package var services: [BluetoothUUID]
    /// Names with `*` for any characters and `?` for one; one of them.
    package var names: [NameMask]
    /// Payloads by company; each of them.
    package var manufacturers: [Payload<UInt16?>]
    /// Service data by service; each of them.
    package var serviceData: [Payload<BluetoothUUID>]
    /// The first hexadecimal digits of the address, in lower case; one of them.
    package var addresses: [String]

    /// A payload that has to be there.
    package struct Payload<Key: Sendable & Equatable>: Sendable, Equatable {
        /// Whose it is; a company that is nil stands for any, and the payload then begins with its id.
        package var key: Key
        package var shape: PayloadShape

        package init(_ key: Key, _ shape: PayloadShape = PayloadShape()) {
            self.key = key
            self.shape = shape
        }
    }

    package init(
        services: [BluetoothUUID] = [],
        names: [NameMask] = [],
        manufacturers: [Payload<UInt16?>] = [],
        serviceData: [Payload<BluetoothUUID>] = [],
        addresses: [String] = []
    ) {
        self.services = services
        self.names = names
        self.manufacturers = manufacturers
        self.serviceData = serviceData
        self.addresses = addresses
    }

    /// Whether a device is meant.
    package func holds(for device: Advertisement) -> Bool {
        guard services.allSatisfy({ device.services.contains($0) }),
            addresses.isEmpty || addresses.contains(where: { device.address.hex.hasPrefix($0) })
        else { return false }
        for payload in manufacturers {
            guard let bytes = device.payload(ofCompany: payload.key), payload.shape.fits(bytes) else { return false }
        }
        for payload in serviceData {
            guard let bytes = device.serviceData[payload.key], payload.shape.fits(bytes) else { return false }
        }
        // Names last: they cost the most.
        return names.isEmpty || device.name.map { name in names.contains { $0.matches(name) } } == true
    }
}

/// What the bytes of a payload look like; every part that is given has to hold.
package struct PayloadShape: Sendable, Hashable {
    /// How they begin.
    package var prefix: [UInt8]
    /// Which bits of the beginning count; as long as `prefix`, or empty for all.
    package var mask: [UInt8]
    /// How many there may be; empty for any number.
    package var lengths: [ClosedRange<Int>]

    package init(prefix: [UInt8] = [], mask: [UInt8] = [], lengths: [ClosedRange<Int>] = []) {
        self.prefix = prefix
        self.mask = mask
        self.lengths = lengths
    }

    /// Whether bytes look like this.
    package func fits(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= prefix.count, lengths.isEmpty || lengths.contains(where: { $0.contains(bytes.count) })
        else { return false }
        return prefix.indices.allSatisfy { index in
            let bits = index < mask.count ? mask[index] : 0xFF
            return bytes[index] & bits == prefix[index] & bits
        }
    }
}

/// A name in which `*` stands for any characters, none too, and `?` for one.
package struct NameMask: Sendable, Hashable {
    package var text: String

    package init(_ text: String) { self.text = text }

    /// Whether a name fits the whole mask; letter case counts.
    package func matches(_ name: String) -> Bool {
        let mask = Array(text.unicodeScalars)
        let name = Array(name.unicodeScalars)
        var (maskPlace, namePlace) = (0, 0)
        // Where the last star stands, and how much of the name it has taken: its cost is bounded by their product.
        var star: (mask: Int, name: Int)?
        while namePlace < name.count {
            if maskPlace < mask.count, mask[maskPlace] == "*" {
                star = (maskPlace, namePlace)
                maskPlace += 1
            } else if maskPlace < mask.count, mask[maskPlace] == "?" || mask[maskPlace] == name[namePlace] {
                maskPlace += 1
                namePlace += 1
            } else if let last = star {
                star = (last.mask, last.name + 1)
                maskPlace = last.mask + 1
                namePlace = last.name + 1
            } else {
                return false
            }
        }
        return mask[maskPlace...].allSatisfy { $0 == "*" }
    }
}

extension Advertisement {
    /// The payload of a company.
    ///
    /// Without a company that of the only one, behind its id: some makers put measurements where the id belongs, so
    /// that an old one cannot be told from a new one when there are several.
    func payload(ofCompany company: UInt16?) -> [UInt8]? {
        if let company { return manufacturerData[company] }
        guard manufacturerData.count == 1, let only = manufacturerData.first else { return nil }
        return [UInt8(only.key & 255), UInt8(only.key >> 8)] + only.value
    }
}
