internal import CMosquitto
internal import Glibc

/// A list of MQTT 5 properties in libmosquitto's memory, freed with the value.
struct MosquittoProperties: ~Copyable {
    private(set) var list: OpaquePointer?

    init() {}

    deinit {
        var list = list
        mosquitto_property_free_all(&list)
    }

    /// Gives the list to a call that takes it over.
    consuming func release() -> OpaquePointer? {
        let list = list
        discard self
        return list
    }

    mutating func add(_ property: mqtt5_property, byte: UInt8) throws(MQTTFailure) {
        try check(mosquitto_property_add_byte(&list, Int32(property.rawValue), byte))
    }

    mutating func add(_ property: mqtt5_property, int32: UInt32) throws(MQTTFailure) {
        try check(mosquitto_property_add_int32(&list, Int32(property.rawValue), int32))
    }

    mutating func add(_ property: mqtt5_property, string: String) throws(MQTTFailure) {
        try check(mosquitto_property_add_string(&list, Int32(property.rawValue), string))
    }

    mutating func add(_ property: mqtt5_property, binary: [UInt8]) throws(MQTTFailure) {
        // An empty list is a NULL pointer in C, which the call takes for "no value": the same on the wire.
        let code = mosquitto_property_add_binary(
            &list,
            Int32(property.rawValue),
            binary,
            UInt16(clamping: binary.count)
        )
        try check(code)
    }

    mutating func add(user property: MQTTUserProperty) throws(MQTTFailure) {
        let number = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
        try check(mosquitto_property_add_string_pair(&list, number, property.name, property.value))
    }

    private func check(_ code: Int32) throws(MQTTFailure) {
        guard code != 0 else { return }
        throw .library(operation: "mosquitto_property_add", code: code, text: String(cString: mosquitto_strerror(code)))
    }
}

/// Reads a list that libmosquitto lends to a callback.
struct MosquittoPropertyReader {
    let list: OpaquePointer?

    private static let maxUserProperties = 64
    private static let maxUserPropertyBytes = 65536

    func byte(_ property: mqtt5_property) -> UInt8? {
        var value: UInt8 = 0
        guard let list, mosquitto_property_read_byte(list, Int32(property.rawValue), &value, false) != nil else {
            return nil
        }
        return value
    }

    func int16(_ property: mqtt5_property) -> UInt16? {
        var value: UInt16 = 0
        guard let list, mosquitto_property_read_int16(list, Int32(property.rawValue), &value, false) != nil else {
            return nil
        }
        return value
    }

    func int32(_ property: mqtt5_property) -> UInt32? {
        var value: UInt32 = 0
        guard let list, mosquitto_property_read_int32(list, Int32(property.rawValue), &value, false) != nil else {
            return nil
        }
        return value
    }

    func string(_ property: mqtt5_property) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard let list, mosquitto_property_read_string(list, Int32(property.rawValue), &value, false) != nil else {
            return nil
        }
        defer { free(value) }
        return value.flatMap { String(validatingCString: $0) }
    }

    func binary(_ property: mqtt5_property) -> [UInt8]? {
        var value: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        guard let list,
            mosquitto_property_read_binary(list, Int32(property.rawValue), &value, &count, false) != nil
        else { return nil }
        defer { free(value) }
        return [UInt8](UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : Int(count)))
    }

    /// The user properties, as many as a message may reasonably have.
    func userProperties() -> [MQTTUserProperty] {
        var found: [MQTTUserProperty] = []
        var bytes = 0
        var position = list
        var skip = false
        while let start = position, found.count < Self.maxUserProperties {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            let number = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
            position = mosquitto_property_read_string_pair(start, number, &name, &value, skip)
            skip = true
            defer {
                free(name)
                free(value)
            }
            guard position != nil else { break }
            bytes += (name.map { strlen($0) } ?? 0) + (value.map { strlen($0) } ?? 0)
            guard bytes <= Self.maxUserPropertyBytes else { break }
            // An empty text may come as no text at all.
            guard let name = name.map({ String(validatingCString: $0) }) ?? "",
                let value = value.map({ String(validatingCString: $0) }) ?? ""
            else { continue }
            found.append(MQTTUserProperty(name, value))
        }
        return found
    }
}
