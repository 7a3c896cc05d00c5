package import MQTT

/// A message that waits on disk for the broker: where it goes and what MQTT says of it, without its payload.
package enum StoredPublication {
    private static let version: UInt8 = 1

    /// The bytes of a message's head.
    package static func head(of publication: MQTTPublication) -> [UInt8] {
        var writer = BlobWriter()
        writer.put(version)
        writer.put(publication.topic)
        writer.put(publication.qos.rawValue)
        writer.put(UInt8(publication.retain ? 1 : 0))
        writer.put(UInt8(publication.delivery == .required ? 1 : 0))
        writer.put(publication.correlationData)
        writer.put(publication.contentType)
        writer.put(UInt8(publication.isText ? 1 : 0))
        writer.put(Int64(publication.userProperties.count))
        for property in publication.userProperties {
            writer.put(property.name)
            writer.put(property.value)
        }
        return writer.bytes
    }

    /// The message of a head and its payload.
    package static func publication(head: [UInt8], payload: [UInt8]) throws(BlobReader.Failure) -> MQTTPublication {
        var reader = BlobReader(head)
        guard try reader.byte() == version else { throw BlobReader.Failure() }
        var publication = MQTTPublication(
            topic: try reader.text(),
            payload: payload,
            qos: try reader.byte() == 0 ? .atMostOnce : .atLeastOnce,
            retain: try reader.byte() != 0,
            delivery: try reader.byte() != 0 ? .required : .ordered
        )
        publication.correlationData = try reader.optionalData()
        publication.contentType = try reader.optionalText()
        publication.isText = try reader.byte() != 0
        let count = try reader.number()
        guard (0...64).contains(count) else { throw BlobReader.Failure() }
        for _ in 0..<count {
            publication.userProperties.append(MQTTUserProperty(try reader.text(), try reader.text()))
        }
        return publication
    }
}
