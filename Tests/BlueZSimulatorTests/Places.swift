import BlueZSimulator
import DBus
import TestSupport

/// Paths and interfaces of the usual devices.
enum Places {
    static let adapter = path("/org/bluez/hci0")
    static let thermometer = path("/org/bluez/hci0/dev_C0_5A_00_00_00_01")
    static let heart = path("/org/bluez/hci0/dev_C0_5A_00_00_00_02")
    static let framer = path("/org/bluez/hci0/dev_C0_5A_00_00_00_04")
    static let iBeacon = path("/org/bluez/hci0/dev_C0_5A_00_00_00_12")
    static let rate = path("\(heart)/service000e/char000f")
    static let location = path("\(heart)/service000e/char0012")
    static let control = path("\(heart)/service000e/char0014")
    static let frames = path("\(framer)/service000e/char000f")
    static let answers = path("\(framer)/service000e/char0011")

    static let adapterInterface = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"

    static let noOptions = DBusValue.properties([])

    static func path(_ text: String) -> ObjectPath { ObjectPath(text) ?? .root }
}

extension SimulatorClient {
    /// Scans until a device is known, and stops again.
    func find(_ device: ObjectPath) async throws {
        let start = position
        try await call(Places.adapter, Places.adapterInterface, "StartDiscovery")
        try await wait(for: "+Device1", from: device, after: start)
        try await call(Places.adapter, Places.adapterInterface, "StopDiscovery")
        try await wait(for: "Adapter1 Discovering=false", from: Places.adapter, after: start)
    }

    /// Finds a device, connects and waits for its services.
    func link(_ device: ObjectPath) async throws {
        if try await self.get(Places.adapter, Places.adapterInterface, "Powered") == .bool(true) {
            try await find(device)
        }
        try await reconnect(device)
    }

    /// Connects a device that is known and waits for its services.
    func reconnect(_ device: ObjectPath) async throws {
        let start = position
        try await call(device, Places.device, "Connect")
        try await wait(for: "Device1 ServicesResolved=true", from: device, after: start, or: "Device1 UUIDs=")
    }

    func read(_ path: ObjectPath, offset: UInt16? = nil) async throws -> DBusValue? {
        let options = DBusValue.properties(offset.map { [("offset", .uint16($0))] } ?? [])
        return try await call(path, Places.characteristic, "ReadValue", options).first
    }

    func write(_ path: ObjectPath, _ bytes: [UInt8], type: String? = nil, offset: UInt16? = nil) async throws {
        var options: [(String, DBusValue)] = type.map { [("type", .string($0))] } ?? []
        if let offset { options.append(("offset", .uint16(offset))) }
        try await call(path, Places.characteristic, "WriteValue", .bytes(bytes), .properties(options))
    }

    private func wait(for first: String, from path: ObjectPath, after start: Int, or second: String) async throws {
        try await wait(from: path, after: start) { $0.hasPrefix(first) || $0.hasPrefix(second) }
    }
}

/// The name and text of an error of bluetoothd.
func bluezError(_ name: String, _ text: String) -> DBusFailure {
    .error(name: "org.bluez.Error." + name, message: text)
}
