extension BuiltInProfiles {
    /// Thermometers of Govee.
    ///
    /// Source: what owners found out, as in github.com/Bluetooth-Devices/govee-ble.
    ///
    /// The name is what tells a model: the company id 0001 is not Govee's, and an iBeacon glued to the payload changes
    /// its length. Temperature and humidity stand in one number, whose highest bit is the sign of the temperature.
    static let govee = [goveeSmall, govee5074, goveeLarge, govee5106, govee5178, govee5179]

    private static let goveeSmall = #"""
        profile: govee-h5075
        title: Govee H5072, H5075
        manufacturer: Govee
        match:
          name: ["GVH5072_*", "GVH5075_*", "Govee_H5072_*", "Govee_H5075_*"]
          manufacturer: {id: ec88, length: [6, 31]}
        sources:
          - manufacturer: ec88
            length: [6, 31]
            fields:
              - {name: temperature, offset: 1, type: u24be, sign: 23, divide: 1000, scale: 0.1, unit: "°C", min: -40,
                max: 100, when: {offset: 4, bit: 7, is: 0},
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, offset: 1, type: u24be, bit: 0, bits: 23, modulo: 1000, scale: 0.1, unit: "%",
                max: 100, needs: temperature, when: {offset: 4, bit: 7, is: 0},
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, offset: 4, type: u8, bit: 0, bits: 7, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#

    private static let govee5074 = #"""
        profile: govee-h5074
        title: Govee H5051, H5052, H5071, H5074
        manufacturer: Govee
        match:
          name: ["GVH5051_*", "GVH5052_*", "GVH5071_*", "GVH5074_*", "Govee_H5051_*", "Govee_H5052_*",
            "Govee_H5071_*", "Govee_H5074_*"]
          manufacturer: {id: ec88, length: [7, 9, 32, 34]}
        sources:
          - manufacturer: ec88
            length: [7, 9, 32, 34]
            fields:
              - skip: 1
              - {name: temperature, type: i16le, scale: 0.01, unit: "°C", min: -40, max: 100,
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, type: u16le, scale: 0.01, unit: "%", max: 100, needs: temperature,
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, type: u8, bit: 0, bits: 7, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#

    private static let goveeLarge = #"""
        profile: govee-h5101
        title: Govee H5100 to H5105, H5108, H5110, H5174, H5177, H5179
        manufacturer: Govee
        match:
          name: ["GVH5100_*", "GVH5101_*", "GVH5102_*", "GVH5103_*", "GVH5104_*", "GVH5105_*", "GVH5108_*",
            "GVH5110_*", "GVH5174_*", "GVH5177_*", "GV5179_*", "GVH5179_*"]
          manufacturer: {id: "0001", prefix: "0101", length: [6, 31]}
        sources:
          - manufacturer: "0001"
            prefix: "0101"
            length: [6, 31]
            fields:
              - {name: temperature, offset: 2, type: u24be, sign: 23, divide: 1000, scale: 0.1, unit: "°C", min: -40,
                max: 100, when: {offset: 5, bit: 7, is: 0},
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, offset: 2, type: u24be, bit: 0, bits: 23, modulo: 1000, scale: 0.1, unit: "%",
                max: 100, needs: temperature, when: {offset: 5, bit: 7, is: 0},
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, offset: 5, type: u8, bit: 0, bits: 7, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#

    private static let govee5106 = #"""
        profile: govee-h5106
        title: Govee H5106
        manufacturer: Govee
        model: H5106
        match:
          name: "GVH5106_*"
          manufacturer: {id: "0001", prefix: "0101", length: [6, 31]}
        sources:
          - manufacturer: "0001"
            prefix: "0101"
            length: [6, 31]
            fields:
              - {name: temperature, offset: 2, type: u32be, sign: 31, divide: 1000000, scale: 0.1, unit: "°C",
                min: -40, max: 100, display: {deviceClass: temperature, stateClass: measurement}}
              # Temperature, humidity and PM2.5 have three digits each.
              - {name: humidity, offset: 2, type: u32be, bit: 0, bits: 31, divide: 1000, modulo: 1000, scale: 0.1,
                unit: "%", max: 100, needs: temperature,
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: pm25, offset: 2, type: u32be, bit: 0, bits: 31, modulo: 1000, unit: "µg/m³",
                needs: temperature, display: {deviceClass: pm25, stateClass: measurement}}
        """#

    private static let govee5178 = #"""
        profile: govee-h5178
        title: Govee H5178
        manufacturer: Govee
        model: H5178
        match:
          name: ["B5178*", "GVH5178_*"]
          manufacturer: {id: "0001", prefix: "0101", length: [9, 34]}
        sources:
          # Two sensors speak from one address.
          - manufacturer: "0001"
            prefix: "010100"
            length: [9, 34]
            fields:
              - {name: sensor, offset: 2, type: u8, map: {0: primary, 1: remote}, state: false}
              - {name: temperature, offset: 3, type: u24be, sign: 23, divide: 1000, scale: 0.1, unit: "°C", min: -40,
                max: 100, display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, offset: 3, type: u24be, bit: 0, bits: 23, modulo: 1000, scale: 0.1, unit: "%",
                max: 100, needs: temperature, display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, offset: 6, type: u8, bit: 0, bits: 7, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
          - manufacturer: "0001"
            prefix: "010101"
            length: [9, 34]
            fields:
              - {name: sensor, offset: 2, type: u8, map: {0: primary, 1: remote}, state: false}
              - {name: remote_temperature, offset: 3, type: u24be, sign: 23, divide: 1000, scale: 0.1, unit: "°C",
                min: -40, max: 100, display: {deviceClass: temperature, stateClass: measurement}}
              - {name: remote_humidity, offset: 3, type: u24be, bit: 0, bits: 23, modulo: 1000, scale: 0.1, unit: "%",
                max: 100, needs: remote_temperature, display: {deviceClass: humidity, stateClass: measurement}}
              - {name: remote_battery, offset: 6, type: u8, bit: 0, bits: 7, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#

    private static let govee5179 = #"""
        profile: govee-h5179
        title: Govee H5179
        manufacturer: Govee
        model: H5179
        match:
          name: ["Govee_H5179_*", "GV5179_*", "GVH5179_*"]
          manufacturer: {id: "8801", length: [9, 34]}
        sources:
          - manufacturer: "8801"
            length: [9, 34]
            fields:
              - skip: 4
              - {name: temperature, type: i16le, scale: 0.01, unit: "°C", min: -40, max: 100,
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, type: u16le, scale: 0.01, unit: "%", max: 100, needs: temperature,
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, type: u8, bit: 0, bits: 7, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#
}
