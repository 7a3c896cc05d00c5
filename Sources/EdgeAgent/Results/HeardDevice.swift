package import BleCore
package import Profiles

/// A device that a scan heard, with the name that it has on the wire.
package struct HeardDevice: Sendable, Equatable {
    package var name: DeviceName
    package var advertisement: Advertisement
    /// The address now on the air, when an identity key gave the advertisement's own.
    package var via: DeviceAddress?
    /// What profiles read from it; nil: it was not asked for.
    package var decoded: AdvertisementReading?

    package init(name: DeviceName, advertisement: Advertisement, via: DeviceAddress? = nil) {
        self.name = name
        self.advertisement = advertisement
        self.via = via ?? advertisement.via
    }

    /// Writes the advertisement as one object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("dev", name.description)
        writer.field("address", advertisement.address.hex)
        writer.key("addressType")
        switch advertisement.addressType {
        case .public: writer.value("public" as StaticString)
        case .random: writer.value("random" as StaticString)
        }
        if let via { writer.field("via", via.hex) }
        writer.field(orNull: "name", advertisement.name)
        writer.field(orNull: "rssi", advertisement.rssi)
        writer.field(orNull: "txPower", advertisement.txPower)
        writer.key("uuids")
        writer.beginArray()
        for uuid in advertisement.services { writer.value(uuid.description) }
        writer.endArray()
        writeManufacturerData(to: &writer)
        writeServiceData(to: &writer)
        writer.field("first", time: advertisement.firstHeard)
        writer.field("last", time: advertisement.lastHeard)
        writer.field("signals", advertisement.signals)
        writer.field("adapter", advertisement.adapter)
        if let decoded, !decoded.isEmpty {
            writer.key("decoded")
            decoded.write(to: &writer)
        }
        writer.endObject()
    }

    private func writeManufacturerData(to writer: inout JSONWriter) {
        let data = advertisement.manufacturerData
        writer.key("manufacturer")
        writer.beginObject()
        // Most devices send one entry; only more than one need an order.
        if data.count == 1, let (company, bytes) = data.first {
            writer.key(companyText(company))
            writer.hexText(bytes)
        } else {
            for company in data.keys.sorted() {
                writer.key(companyText(company))
                writer.hexText(data[company] ?? [])
            }
        }
        writer.endObject()
    }

    private func writeServiceData(to writer: inout JSONWriter) {
        let data = advertisement.serviceData
        writer.key("serviceData")
        writer.beginObject()
        if data.count == 1, let (uuid, bytes) = data.first {
            writer.key(uuid.description)
            writer.hexText(bytes)
        } else {
            for uuid in data.keys.sorted() {
                writer.key(uuid.description)
                writer.hexText(data[uuid] ?? [])
            }
        }
        writer.endObject()
    }
}

/// A company identifier as four lower-case hexadecimal digits: `004c`.
func companyText(_ company: UInt16) -> String {
    String(unsafeUninitializedCapacity: 4) { buffer in
        for place in 0..<4 {
            buffer[place] = hexDigit(UInt8(truncatingIfNeeded: company >> UInt16(12 - 4 * place) & 15))
        }
        return 4
    }
}
