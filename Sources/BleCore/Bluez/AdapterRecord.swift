package import DBus

/// What BlueZ tells of one adapter (`org.bluez.Adapter1`).
///
/// As with devices, only the object tree changes a record, and never one that somebody else holds.
package final class AdapterRecord {
    package let path: ObjectPath
    package let name: AdapterName
    package private(set) var address: DeviceAddress?
    package var powered: Bool
    package private(set) var discovering: Bool
    /// `off-blocked` when rfkill holds it; BlueZ tells from 5.65 on, with experimental interfaces only.
    private(set) var powerState: String?
    /// What BlueZ calls itself: `usb:v1D6Bp0246d0542` is version 5.66.
    private(set) var modalias: String?
    /// Whether passive scanning through an advertisement monitor is possible.
    var hasMonitor: Bool

    /// An adapter of which nothing but its place is known yet.
    package init(path: ObjectPath, name: AdapterName) {
        self.path = path
        self.name = name
        powered = false
        discovering = false
        hasMonitor = false
    }

    /// A copy, to be changed.
    init(_ other: AdapterRecord) {
        path = other.path
        name = other.name
        address = other.address
        powered = other.powered
        discovering = other.discovering
        powerState = other.powerState
        modalias = other.modalias
        hasMonitor = other.hasMonitor
    }

    func apply(_ properties: MessageReader) throws(DBusFailure) {
        var properties = properties
        while properties.hasNext() {
            var property = try properties.dictionaryEntry()
            let name = try property.key()
            var value = try property.variant()
            switch name {
            case "Address": address = DeviceAddress(try value.string())
            case "Powered": powered = try value.bool()
            case "Discovering": discovering = try value.bool()
            case "PowerState": powerState = try value.string()
            case "Modalias": modalias = try value.string()
            default: break
            }
        }
    }
}
