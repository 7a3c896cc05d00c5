internal import DBus

/// What BlueZ tells of one adapter (`org.bluez.Adapter1`).
struct AdapterRecord {
    let path: ObjectPath
    let name: AdapterName
    var address: DeviceAddress?
    var powered = false
    var discovering = false
    /// `off-blocked` when rfkill holds it; BlueZ tells from 5.65 on, with experimental interfaces only.
    var powerState: String?
    /// Whether passive scanning through an advertisement monitor is possible.
    var hasMonitor = false

    init(path: ObjectPath, name: AdapterName) {
        self.path = path
        self.name = name
    }

    mutating func apply(_ properties: MessageReader) throws(DBusFailure) {
        var properties = properties
        while !properties.atEnd {
            var property = try properties.dictionaryEntry()
            let name = try property.key()
            var value = try property.variant()
            switch name {
            case "Address": address = DeviceAddress(try value.string())
            case "Powered": powered = try value.bool()
            case "Discovering": discovering = try value.bool()
            case "PowerState": powerState = try value.string()
            default: break
            }
        }
    }
}
