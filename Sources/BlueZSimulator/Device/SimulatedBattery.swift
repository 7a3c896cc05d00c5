internal import DBus

/// `org.bluez.Battery1`, which bluetoothd adds to a connected device that has a battery service.
final class SimulatedBattery: SimulatedInterface {
    private let percentage: UInt8

    init(_ percentage: UInt8) { self.percentage = percentage }

    var description: InterfaceDescription { Self.table }

    func value(of property: String) -> DBusValue? { property == "Percentage" ? .byte(percentage) : nil }

    func handle(_ call: IncomingCall) { call.failUnknown(objectExists: true) }

    static let table = InterfaceDescription("org.bluez.Battery1", properties: [.init("Percentage", "y")])
}
