extension BuiltInProfiles {
    /// BTHome, in both versions.
    static let bthome = [bthome2, bthome1]

    private static let bthome2 = #"""
        profile: bthome
        title: BTHome 2
        match:
          serviceData: fcd2
        encryption: bthome2
        counter: {value: packet_id}
        sources:
          - serviceData: fcd2
            # Source: bthome.io/format. The first byte: bit 0 encrypted, bit 1 with address, bits 5 to 7 the version.
            when: [{bit: 5, bits: 3, is: 2}, {bit: 0, is: 0}]
            fields:
              - skip: 1
              - {skip: 6, when: {bit: 1}}
              - objects:
                  header: id
                  ordered: true
                  table:
                    0x00: {name: packet_id, type: u8, state: false}
                    0x01: {name: battery, type: u8, unit: "%", max: 100, repeat: true,
                      display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
                    0x02: {name: temperature, type: i16le, scale: 0.01, unit: "°C", repeat: true,
                      display: {deviceClass: temperature, stateClass: measurement}}
                    0x03: {name: humidity, type: u16le, scale: 0.01, unit: "%", max: 100, repeat: true,
                      display: {deviceClass: humidity, stateClass: measurement}}
                    0x04: {name: pressure, type: u24le, scale: 0.01, unit: "hPa", repeat: true,
                      display: {deviceClass: pressure, stateClass: measurement}}
                    0x05: {name: illuminance, type: u24le, scale: 0.01, unit: "lx", repeat: true,
                      display: {deviceClass: illuminance, stateClass: measurement}}
                    0x06: {name: mass, type: u16le, scale: 0.01, unit: "kg", repeat: true,
                      display: {deviceClass: weight, stateClass: measurement}}
                    0x07: {name: mass, type: u16le, scale: 0.01, unit: "lb", repeat: true}
                    0x08: {name: dew_point, type: i16le, scale: 0.01, unit: "°C", repeat: true,
                      display: {deviceClass: temperature, stateClass: measurement}}
                    0x09: {name: count, type: u8, repeat: true, display: {stateClass: measurement}}
                    0x0a: {name: energy, type: u24le, scale: 0.001, unit: "kWh", repeat: true,
                      display: {deviceClass: energy, stateClass: total_increasing}}
                    0x0b: {name: power, type: u24le, scale: 0.01, unit: "W", repeat: true,
                      display: {deviceClass: power, stateClass: measurement}}
                    0x0c: {name: voltage, type: u16le, scale: 0.001, unit: "V", repeat: true,
                      display: {deviceClass: voltage, stateClass: measurement}}
                    0x0d: {name: pm25, type: u16le, unit: "µg/m³", repeat: true, display: {deviceClass: pm25,
                      stateClass: measurement}}
                    0x0e: {name: pm10, type: u16le, unit: "µg/m³", repeat: true, display: {deviceClass: pm10,
                      stateClass: measurement}}
                    0x0f: {name: generic, type: bool, repeat: true}
                    0x10: {name: power_on, type: bool, repeat: true, display: {deviceClass: power}}
                    0x11: {name: opening, type: bool, repeat: true, display: {deviceClass: opening}}
                    0x12: {name: co2, type: u16le, unit: "ppm", repeat: true, display: {deviceClass: carbon_dioxide,
                      stateClass: measurement}}
                    0x13: {name: volatile_organic_compounds, type: u16le, unit: "µg/m³", repeat: true,
                      display: {deviceClass: volatile_organic_compounds, stateClass: measurement}}
                    0x14: {name: moisture, type: u16le, scale: 0.01, unit: "%", max: 100, repeat: true,
                      display: {deviceClass: moisture, stateClass: measurement}}
                    0x15: {name: battery_low, type: bool, repeat: true, display: {deviceClass: battery}}
                    0x16: {name: battery_charging, type: bool, repeat: true, display: {deviceClass: battery_charging}}
                    0x17: {name: carbon_monoxide, type: bool, repeat: true, display: {deviceClass: carbon_monoxide}}
                    0x18: {name: cold, type: bool, repeat: true, display: {deviceClass: cold}}
                    0x19: {name: connectivity, type: bool, repeat: true, display: {deviceClass: connectivity}}
                    0x1a: {name: door, type: bool, repeat: true, display: {deviceClass: door}}
                    0x1b: {name: garage_door, type: bool, repeat: true, display: {deviceClass: garage_door}}
                    0x1c: {name: gas_detected, type: bool, repeat: true, display: {deviceClass: gas}}
                    0x1d: {name: heat, type: bool, repeat: true, display: {deviceClass: heat}}
                    0x1e: {name: light, type: bool, repeat: true, display: {deviceClass: light}}
                    0x1f: {name: lock, type: bool, repeat: true, display: {deviceClass: lock}}
                    0x20: {name: moisture_detected, type: bool, repeat: true, display: {deviceClass: moisture}}
                    0x21: {name: motion, type: bool, repeat: true, display: {deviceClass: motion}}
                    0x22: {name: moving, type: bool, repeat: true, display: {deviceClass: moving}}
                    0x23: {name: occupancy, type: bool, repeat: true, display: {deviceClass: occupancy}}
                    0x24: {name: plug, type: bool, repeat: true, display: {deviceClass: plug}}
                    0x25: {name: presence, type: bool, repeat: true, display: {deviceClass: presence}}
                    0x26: {name: problem, type: bool, repeat: true, display: {deviceClass: problem}}
                    0x27: {name: running, type: bool, repeat: true, display: {deviceClass: running}}
                    0x28: {name: safety, type: bool, repeat: true, display: {deviceClass: safety}}
                    0x29: {name: smoke, type: bool, repeat: true, display: {deviceClass: smoke}}
                    0x2a: {name: sound, type: bool, repeat: true, display: {deviceClass: sound}}
                    0x2b: {name: tamper, type: bool, repeat: true, display: {deviceClass: tamper}}
                    0x2c: {name: vibration, type: bool, repeat: true, display: {deviceClass: vibration}}
                    0x2d: {name: window, type: bool, repeat: true, display: {deviceClass: window}}
                    0x2e: {name: humidity, type: u8, unit: "%", max: 100, repeat: true}
                    0x2f: {name: moisture, type: u8, unit: "%", max: 100, repeat: true}
                    0x3a: {name: button, type: u8, none: 0, event: true, map: {1: press, 2: double_press,
                      3: triple_press, 4: long_press, 5: long_double_press, 6: long_triple_press, 0x80: hold_press,
                        0xfe: hold_press}}
                    0x3c: {name: dimmer, type: u8, none: 0, map: {1: rotate_left, 2: rotate_right},
                      event: {details: [{name: steps, offset: 1, type: u8}]}}
                    0x3d: {name: count, type: u16le, repeat: true}
                    0x3e: {name: count, type: u32le, repeat: true}
                    0x3f: {name: rotation, type: i16le, scale: 0.1, unit: "°", repeat: true,
                      display: {stateClass: measurement}}
                    0x40: {name: distance, type: u16le, unit: "mm", repeat: true, display: {deviceClass: distance,
                      stateClass: measurement}}
                    0x41: {name: distance, type: u16le, scale: 0.1, unit: "m", repeat: true}
                    0x42: {name: duration, type: u24le, scale: 0.001, unit: "s", repeat: true,
                      display: {deviceClass: duration, stateClass: measurement}}
                    0x43: {name: current, type: u16le, scale: 0.001, unit: "A", repeat: true,
                      display: {deviceClass: current, stateClass: measurement}}
                    0x44: {name: speed, type: u16le, scale: 0.01, unit: "m/s", repeat: true,
                      display: {deviceClass: speed, stateClass: measurement}}
                    0x45: {name: temperature, type: i16le, scale: 0.1, unit: "°C", repeat: true}
                    0x46: {name: uv_index, type: u8, scale: 0.1, repeat: true, display: {stateClass: measurement}}
                    0x47: {name: volume, type: u16le, scale: 0.1, unit: "L", repeat: true,
                      display: {deviceClass: volume}}
                    0x48: {name: volume, type: u16le, unit: "mL", repeat: true}
                    0x49: {name: volume_flow_rate, type: u16le, scale: 0.001, unit: "m³/h", repeat: true,
                      display: {deviceClass: volume_flow_rate, stateClass: measurement}}
                    0x4a: {name: voltage, type: u16le, scale: 0.1, unit: "V", repeat: true}
                    0x4b: {name: gas, type: u24le, scale: 0.001, unit: "m³", repeat: true,
                      display: {deviceClass: gas, stateClass: total_increasing}}
                    0x4c: {name: gas, type: u32le, scale: 0.001, unit: "m³", repeat: true}
                    0x4d: {name: energy, type: u32le, scale: 0.001, unit: "kWh", repeat: true}
                    0x4e: {name: volume, type: u32le, scale: 0.001, unit: "L", repeat: true}
                    0x4f: {name: water, type: u32le, scale: 0.001, unit: "L", repeat: true,
                      display: {deviceClass: water, stateClass: total_increasing}}
                    0x50: {name: timestamp, type: u32le, format: time, display: {deviceClass: timestamp}}
                    0x51: {name: acceleration, type: u16le, scale: 0.001, unit: "m/s²", repeat: true,
                      display: {stateClass: measurement}}
                    0x52: {name: gyroscope, type: u16le, scale: 0.001, unit: "°/s", repeat: true,
                      display: {stateClass: measurement}}
                    0x53: {name: text, type: utf8, repeat: true}
                    0x54: {name: raw, type: hex, repeat: true, display: none}
                    0x55: {name: volume_storage, type: u32le, scale: 0.001, unit: "L", repeat: true,
                      display: {deviceClass: volume_storage, stateClass: measurement}}
                    0x56: {name: conductivity, type: u16le, unit: "µS/cm", repeat: true,
                      display: {deviceClass: conductivity, stateClass: measurement}}
                    0x57: {name: temperature, type: i8, unit: "°C", repeat: true}
                    0x58: {name: temperature, type: i8, scale: 0.35, unit: "°C", repeat: true}
                    0x59: {name: count, type: i8, repeat: true}
                    0x5a: {name: count, type: i16le, repeat: true}
                    0x5b: {name: count, type: i32le, repeat: true}
                    0x5c: {name: power, type: i32le, scale: 0.01, unit: "W", repeat: true}
                    0x5d: {name: current, type: i16le, scale: 0.001, unit: "A", repeat: true}
                    0x5e: {name: direction, type: u16le, scale: 0.01, unit: "°", repeat: true,
                      display: {stateClass: measurement}}
                    0x5f: {name: precipitation, type: u16le, scale: 0.1, unit: "mm", repeat: true,
                      display: {deviceClass: precipitation, stateClass: measurement}}
                    0x60: {name: channel, type: u8, repeat: true}
                    0x61: {name: rotational_speed, type: u16le, unit: "rpm", repeat: true,
                      display: {stateClass: measurement}}
                    0x62: {name: speed, type: i32le, scale: 0.000001, unit: "m/s", repeat: true}
                    0x63: {name: acceleration, type: i32le, scale: 0.000001, unit: "m/s²", repeat: true}
                    0x64: {name: light_level, type: u8, repeat: true}
                    0xf0: {name: device_type, type: u16le, state: false}
                    0xf1: {name: firmware_version, type: u32le, state: false}
                    0xf2: {name: firmware_version, type: u24le, state: false}
        """#

    private static let bthome1 = #"""
        profile: bthome-1
        title: BTHome 1
        match:
          serviceData: 181c
        counter: {value: packet_id}
        sources:
          - serviceData: 181c
            # Source: bthome.io/v1. Objects say themselves how long they are and whether their number is signed.
            fields:
              - objects:
                  header: packed
                  table:
                    0x00: {name: packet_id, type: u8, state: false}
                    0x01: {name: battery, type: u8, unit: "%", max: 100, repeat: true,
                      display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
                    0x02: {name: temperature, type: i16le, scale: 0.01, unit: "°C", repeat: true,
                      display: {deviceClass: temperature, stateClass: measurement}}
                    0x03: {name: humidity, type: u16le, scale: 0.01, unit: "%", max: 100, repeat: true,
                      display: {deviceClass: humidity, stateClass: measurement}}
                    0x04: {name: pressure, type: u24le, scale: 0.01, unit: "hPa", repeat: true,
                      display: {deviceClass: pressure, stateClass: measurement}}
                    0x05: {name: illuminance, type: u24le, scale: 0.01, unit: "lx", repeat: true,
                      display: {deviceClass: illuminance, stateClass: measurement}}
                    0x06: {name: mass, type: u16le, scale: 0.01, unit: "kg", repeat: true,
                      display: {deviceClass: weight, stateClass: measurement}}
                    0x07: {name: mass, type: u16le, scale: 0.01, unit: "lb", repeat: true}
                    0x08: {name: dew_point, type: i16le, scale: 0.01, unit: "°C", repeat: true,
                      display: {deviceClass: temperature, stateClass: measurement}}
                    0x09: {name: count, type: u8, repeat: true, display: {stateClass: measurement}}
                    0x0a: {name: energy, type: u24le, scale: 0.001, unit: "kWh", repeat: true,
                      display: {deviceClass: energy, stateClass: total_increasing}}
                    0x0b: {name: power, type: u24le, scale: 0.01, unit: "W", repeat: true,
                      display: {deviceClass: power, stateClass: measurement}}
                    0x0c: {name: voltage, type: u16le, scale: 0.001, unit: "V", repeat: true,
                      display: {deviceClass: voltage, stateClass: measurement}}
                    0x0d: {name: pm25, type: u16le, unit: "µg/m³", repeat: true, display: {deviceClass: pm25,
                      stateClass: measurement}}
                    0x0e: {name: pm10, type: u16le, unit: "µg/m³", repeat: true, display: {deviceClass: pm10,
                      stateClass: measurement}}
                    0x0f: {name: generic, type: bool, repeat: true}
                    0x10: {name: power_on, type: bool, repeat: true, display: {deviceClass: power}}
                    0x11: {name: opening, type: bool, repeat: true, display: {deviceClass: opening}}
                    0x12: {name: co2, type: u16le, unit: "ppm", repeat: true, display: {deviceClass: carbon_dioxide,
                      stateClass: measurement}}
                    0x13: {name: volatile_organic_compounds, type: u16le, unit: "µg/m³", repeat: true,
                      display: {deviceClass: volatile_organic_compounds, stateClass: measurement}}
                    0x14: {name: moisture, type: u16le, scale: 0.01, unit: "%", max: 100, repeat: true,
                      display: {deviceClass: moisture, stateClass: measurement}}
                    0x15: {name: battery_low, type: bool, repeat: true, display: {deviceClass: battery}}
                    0x16: {name: battery_charging, type: bool, repeat: true, display: {deviceClass: battery_charging}}
                    0x17: {name: carbon_monoxide, type: bool, repeat: true, display: {deviceClass: carbon_monoxide}}
                    0x18: {name: cold, type: bool, repeat: true, display: {deviceClass: cold}}
                    0x19: {name: connectivity, type: bool, repeat: true, display: {deviceClass: connectivity}}
                    0x1a: {name: door, type: bool, repeat: true, display: {deviceClass: door}}
                    0x1b: {name: garage_door, type: bool, repeat: true, display: {deviceClass: garage_door}}
                    0x1c: {name: gas_detected, type: bool, repeat: true, display: {deviceClass: gas}}
                    0x1d: {name: heat, type: bool, repeat: true, display: {deviceClass: heat}}
                    0x1e: {name: light, type: bool, repeat: true, display: {deviceClass: light}}
                    0x1f: {name: lock, type: bool, repeat: true, display: {deviceClass: lock}}
                    0x20: {name: moisture_detected, type: bool, repeat: true, display: {deviceClass: moisture}}
                    0x21: {name: motion, type: bool, repeat: true, display: {deviceClass: motion}}
                    0x22: {name: moving, type: bool, repeat: true, display: {deviceClass: moving}}
                    0x23: {name: occupancy, type: bool, repeat: true, display: {deviceClass: occupancy}}
                    0x24: {name: plug, type: bool, repeat: true, display: {deviceClass: plug}}
                    0x25: {name: presence, type: bool, repeat: true, display: {deviceClass: presence}}
                    0x26: {name: problem, type: bool, repeat: true, display: {deviceClass: problem}}
                    0x27: {name: running, type: bool, repeat: true, display: {deviceClass: running}}
                    0x28: {name: safety, type: bool, repeat: true, display: {deviceClass: safety}}
                    0x29: {name: smoke, type: bool, repeat: true, display: {deviceClass: smoke}}
                    0x2a: {name: sound, type: bool, repeat: true, display: {deviceClass: sound}}
                    0x2b: {name: tamper, type: bool, repeat: true, display: {deviceClass: tamper}}
                    0x2c: {name: vibration, type: bool, repeat: true, display: {deviceClass: vibration}}
                    0x2d: {name: window, type: bool, repeat: true, display: {deviceClass: window}}
                    0x3a: {name: button, type: u8, none: 0, event: true, map: {1: press, 2: double_press,
                      3: triple_press, 4: long_press, 5: long_double_press, 6: long_triple_press, 0x80: hold_press,
                        0xfe: hold_press}}
                    0x3c: {name: dimmer, type: u8, none: 0, map: {1: rotate_left, 2: rotate_right},
                      event: {details: [{name: steps, offset: 1, type: u8}]}}
        """#
}
