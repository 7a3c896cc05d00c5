internal import Frames
package import Profiles

/// The retained `state` of a device: the last confirmed values, flat, without a stamp.
///
/// ```json
/// {"temperature":21.5,"humidity":47,"motion":false}
/// ```
package struct StateMessage: Sendable, Equatable {
    package var values: [DecodedValue]

    package init(_ values: [DecodedValue]) { self.values = values }

    package func encode() -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + 32 * values.count)
        writer.beginObject()
        writer.write(values)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes values as members.
    mutating func write(_ values: [DecodedValue]) {
        for one in values {
            key(one.name)
            one.value.write(to: &self)
        }
    }
}

extension AdvertisementReading {
    /// Writes what a scan shows of it: the profiles, all values, what has happened, and why nothing was read.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("profiles", texts: profiles)
        writer.object("values") { $0.write(values) }
        let measured = values.filter { $0.unit != nil }
        if !measured.isEmpty {
            writer.object("units") { writer in
                for one in measured {
                    writer.key(one.name)
                    writer.value(one.unit ?? "")
                }
            }
        }
        if !events.isEmpty {
            writer.field("events", array: events) { writer, event in
                writer.beginObject()
                writer.field("name", event.fullName)
                writer.field("value", event.type)
                writer.write(event.details)
                writer.endObject()
            }
        }
        if let refusal { writer.field("refused", refusal.rawValue) }
        if !warnings.isEmpty { writer.field("warnings", texts: warnings) }
        writer.endObject()
    }
}
