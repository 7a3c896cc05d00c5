/// The kinds of entity of Home Assistant that a device may have.
package enum HomePlatform: String, CaseIterable, Sendable {
    case sensor
    case binarySensor = "binary_sensor"
    case event, `switch`, number, select, button, text, light

    /// Whether it sends something to the device.
    package var isOperated: Bool {
        switch self {
        case .sensor, .binarySensor, .event: false
        case .switch, .number, .select, .button, .text, .light: true
        }
    }

    /// Whether it shows something of the device.
    package var isShown: Bool { self != .button }

    /// The classes that it knows; empty: it has none.
    package var deviceClasses: Set<String> {
        switch self {
        case .sensor: Set(HomeUnits.sensorClasses.keys)
        case .number: Set(HomeUnits.sensorClasses.keys).subtracting(["date", "enum", "timestamp"])
        case .binarySensor:
            [
                "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door", "gas",
                "heat", "light", "lock", "moisture", "motion", "moving", "occupancy", "opening", "plug", "power",
                "presence", "problem", "running", "safety", "smoke", "sound", "tamper", "update", "vibration", "window",
            ]
        case .event: ["button", "doorbell", "motion"]
        case .switch: ["outlet", "switch"]
        case .button: ["identify", "restart", "update"]
        case .select, .text, .light: []
        }
    }
}

/// Where an entity stands on the page of its device.
package enum HomeCategory: String, CaseIterable, Sendable {
    case diagnostic, config
}

/// How the values of a sensor are added up over time.
package enum HomeStateClass: String, CaseIterable, Sendable {
    case measurement, total
    case totalIncreasing = "total_increasing"
}
