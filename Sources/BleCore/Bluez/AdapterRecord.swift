package import DBus

/// What BlueZ tells of one adapter (`org.bluez.Adapter1`).
package struct AdapterRecord {
    package let path: ObjectPath
    package let name: AdapterName
    package var address: DeviceAddress?
    package var powered = false
    package var discovering = false
    /// `off-blocked` when rfkill holds it; BlueZ tells from 5.65 on, with experimental interfaces only.
    var powerState: String?
    /// What BlueZ calls itself: `usb:v1D6Bp0246d0542` is version 5.66.
    var modalias: String?
    /// Whether passive scanning through an advertisement monitor is possible.
    var hasMonitor = false

    /// An adapter of which nothing but its place is known yet.
    package init(path: ObjectPath, name: AdapterName) {
        self.path = path
        self.name = name
    }

    mutating func apply(_ properties: MessageReader) throws(DBusFailure) {
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
