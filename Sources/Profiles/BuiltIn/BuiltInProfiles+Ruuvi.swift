extension BuiltInProfiles {
    /// RuuviTag and Ruuvi Air.
    ///
    /// Source: docs.ruuvi.com, Bluetooth advertisements, data formats 3, 5 and 6.
    static let ruuvi = [ruuvi5, ruuvi3, ruuvi6]

    private static let ruuvi5 = #"""
        profile: ruuvi-5
        title: RuuviTag (data format 5)
        manufacturer: Ruuvi Innovations
        model: RuuviTag
        match:
          manufacturer: {id: "0499", prefix: "05", length: 24}
        sources:
          - manufacturer: "0499"
            prefix: "05"
            length: 24
            fields:
              - skip: 1
              - {name: temperature, type: i16be, scale: 0.005, unit: "°C", none: -32768,
                display: {deviceClass: temperature, stateClass: measurement, precision: 2}}
              - {name: humidity, type: u16be, scale: 0.0025, unit: "%", none: 65535,
                display: {deviceClass: humidity, stateClass: measurement, precision: 2}}
              - {name: pressure_pa, type: u16be, add: 50000, unit: Pa, none: 65535,
                display: {name: Pressure, deviceClass: pressure, stateClass: measurement}}
              - {name: acceleration_x_mg, type: i16be, unit: mg, none: -32768,
                display: {name: Acceleration X, stateClass: measurement, enabled: false}}
              - {name: acceleration_y_mg, type: i16be, unit: mg, none: -32768,
                display: {name: Acceleration Y, stateClass: measurement, enabled: false}}
              - {name: acceleration_z_mg, type: i16be, unit: mg, none: -32768,
                display: {name: Acceleration Z, stateClass: measurement, enabled: false}}
              - {name: battery_mv, offset: 13, type: u16be, bit: 5, bits: 11, add: 1600, unit: mV, none: 2047,
                display: {name: Battery voltage, deviceClass: voltage, stateClass: measurement, category: diagnostic}}
              - {name: tx_power_dbm, type: u16be, bit: 0, bits: 5, scale: 2, add: -40, unit: dBm, none: 31, state: false}
              - {name: movement_counter, type: u8, none: 255,
                display: {name: Movements, stateClass: total_increasing, icon: "mdi:run"}}
              - {name: sequence, type: u16be, none: 65535, state: false}
              - {name: mac, type: hex, length: 6, format: address, none: ffffffffffff, state: false}
        """#

    private static let ruuvi3 = #"""
        profile: ruuvi-3
        title: RuuviTag (data format 3)
        manufacturer: Ruuvi Innovations
        model: RuuviTag
        match:
          manufacturer: {id: "0499", prefix: "03", length: 14}
        sources:
          - manufacturer: "0499"
            prefix: "03"
            length: 14
            fields:
              - skip: 1
              - {name: humidity, type: u8, scale: 0.5, unit: "%",
                display: {deviceClass: humidity, stateClass: measurement}}
              # The highest bit is the sign, the next byte are hundredths.
              - {name: temperature, type: u8, sign: 7, plus: {offset: 3, type: u8, scale: 0.01}, unit: "°C",
                display: {deviceClass: temperature, stateClass: measurement}}
              - skip: 1
              - {name: pressure_pa, type: u16be, add: 50000, unit: Pa,
                display: {name: Pressure, deviceClass: pressure, stateClass: measurement}}
              - {name: acceleration_x_mg, type: i16be, unit: mg, display: none}
              - {name: acceleration_y_mg, type: i16be, unit: mg, display: none}
              - {name: acceleration_z_mg, type: i16be, unit: mg, display: none}
              - {name: battery_mv, type: u16be, unit: mV,
                display: {name: Battery voltage, deviceClass: voltage, stateClass: measurement, category: diagnostic}}
        """#

    private static let ruuvi6 = #"""
        profile: ruuvi-6
        title: Ruuvi Air (data format 6)
        manufacturer: Ruuvi Innovations
        model: Ruuvi Air
        match:
          manufacturer: {id: "0499", prefix: "06", length: 20}
        sources:
          - manufacturer: "0499"
            prefix: "06"
            length: 20
            fields:
              - skip: 1
              - {name: temperature, type: i16be, scale: 0.005, unit: "°C", none: -32768,
                display: {deviceClass: temperature, stateClass: measurement, precision: 1}}
              - {name: humidity, type: u16be, scale: 0.0025, unit: "%", none: 65535, max: 100,
                display: {deviceClass: humidity, stateClass: measurement, precision: 1}}
              - {name: pressure_pa, type: u16be, add: 50000, unit: Pa, none: 65535,
                display: {name: Pressure, deviceClass: pressure, stateClass: measurement}}
              - {name: pm_2_5, type: u16be, scale: 0.1, unit: "µg/m³", none: 65535,
                display: {name: PM2.5, deviceClass: pm25, stateClass: measurement}}
              - {name: co2, type: u16be, unit: ppm, none: 65535,
                display: {name: CO₂, deviceClass: carbon_dioxide, stateClass: measurement}}
              # Nine bits each: the lowest one is among the flags.
              - {name: voc, type: u8, scale: 2, plus: {offset: 16, type: u8, bit: 6}, max: 500,
                display: {name: VOC index, stateClass: measurement}}
              - {name: nox, type: u8, scale: 2, plus: {offset: 16, type: u8, bit: 7}, max: 500,
                display: {name: NOx index, stateClass: measurement}}
              - {name: luminosity, type: u8, curve: {top: 65535, steps: 254}, unit: lx, none: 255,
                display: {deviceClass: illuminance, stateClass: measurement}}
              - skip: 1
              - {name: sequence, type: u8, state: false}
              - {name: calibrating, type: bool, bit: 0, display: {category: diagnostic}}
        """#
}
