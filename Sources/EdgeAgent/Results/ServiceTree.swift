package import BleCore

/// The services of a device, as a result shows them.
package struct ServiceTree: Sendable, Equatable {
    package struct Service: Sendable, Equatable {
        package var uuid: BluetoothUUID
        package var handle: UInt16
        package var isPrimary: Bool
        /// The handles of the services that it includes.
        package var includes: [UInt16]
        package var characteristics: [Characteristic]

        package init(
            uuid: BluetoothUUID,
            handle: UInt16,
            isPrimary: Bool = true,
            includes: [UInt16] = [],
            characteristics: [Characteristic] = []
        ) {
            self.uuid = uuid
            self.handle = handle
            self.isPrimary = isPrimary
            self.includes = includes
            self.characteristics = characteristics
        }
    }

    package struct Characteristic: Sendable, Equatable {
        package var uuid: BluetoothUUID
        /// The handle of the declaration.
        package var handle: UInt16
        /// The handle of the value, where BlueZ tells it.
        package var valueHandle: UInt16?
        /// What may be done with it, in BlueZ's words such as `write-without-response`.
        package var properties: [String]
        package var descriptors: [Descriptor]

        package init(
            uuid: BluetoothUUID,
            handle: UInt16,
            valueHandle: UInt16? = nil,
            properties: [String] = [],
            descriptors: [Descriptor] = []
        ) {
            self.uuid = uuid
            self.handle = handle
            self.valueHandle = valueHandle
            self.properties = properties
            self.descriptors = descriptors
        }
    }

    package struct Descriptor: Sendable, Equatable {
        package var uuid: BluetoothUUID
        package var handle: UInt16

        package init(uuid: BluetoothUUID, handle: UInt16) {
            self.uuid = uuid
            self.handle = handle
        }
    }

    package var services: [Service]

    package init(services: [Service] = []) { self.services = services }

    /// Writes the member `services`.
    func write(to writer: inout JSONWriter) {
        writer.key("services")
        writer.beginArray()
        for service in services { Self.write(service, to: &writer) }
        writer.endArray()
    }

    private static func write(_ service: Service, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("uuid", service.uuid.description)
        writer.field("handle", Int(service.handle))
        writer.field("primary", service.isPrimary)
        writer.key("includes")
        writer.beginArray()
        for handle in service.includes { writer.value(Int(handle)) }
        writer.endArray()
        writer.key("characteristics")
        writer.beginArray()
        for characteristic in service.characteristics { write(characteristic, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ characteristic: Characteristic, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("uuid", characteristic.uuid.description)
        writer.field("handle", Int(characteristic.handle))
        writer.field(ifPresent: "valueHandle", characteristic.valueHandle.map { Int($0) })
        writer.field("properties", texts: characteristic.properties)
        writer.key("descriptors")
        writer.beginArray()
        for descriptor in characteristic.descriptors {
            writer.beginObject()
            writer.field("uuid", descriptor.uuid.description)
            writer.field("handle", Int(descriptor.handle))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
