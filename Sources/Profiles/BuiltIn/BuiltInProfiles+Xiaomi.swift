extension BuiltInProfiles {
    /// Source: Xiaomi's MiBeacon protocol and object definitions, iot.mi.com.
    static let xiaomi = #"""
        profile: mibeacon
        title: Xiaomi MiBeacon
        manufacturer: Xiaomi
        match:
          serviceData: fe95
        encryption: mibeacon
        counter: {value: frame_counter}
        sources:
          - serviceData: fe95
            # Frame control: bit 3 encrypted, 4 with address, 5 with capability, 6 with objects, 12 to 15 the version.
            length: 5-
            when: {bit: 3, is: 0}
            fields:
              - {name: model, offset: 2, type: u16le, state: false, map: {0x0098: HHCCJCY01, 0x01aa: LYWSDCGQ,
                0x02df: JQJCY01YM, 0x03bc: GCLS002, 0x045b: LYWSD02, 0x055b: LYWSD03MMC, 0x0576: CGD1,
                0x0347: CGG1, 0x0387: MHO-C401, 0x06d3: MHO-C303, 0x07f6: MJYD02YL, 0x0a8d: RTCGQ02LM,
                0x098b: MCCGQ02HL, 0x0863: SJWS01LM, 0x0c3c: CGC1, 0x2832: MJWSD05MMC}}
              - skip: 4
              - {name: frame_counter, type: u8, state: false}
              - {skip: 6, when: {bit: 4}}
              # The capability stands behind the address where there is one; with inputs and outputs it has one byte more.
              - {skip: 1, when: {bit: 5}}
              - {skip: 1, when: [{bit: 5}, {bit: 4}, {offset: 11, bit: 5}]}
              - {skip: 1, when: [{bit: 5}, {bit: 4, is: 0}, {offset: 5, bit: 5}]}
              - when: {bit: 6}
                objects:
                  header: id16-length
                  table:
                    0x1001:
                      - skip: 2
                      - {name: button, type: u8, map: {0: press, 1: double_press, 2: long_press, 3: triple_press},
                        event: true}
                    0x1004: {name: temperature, type: i16le, scale: 0.1, unit: "°C", min: -100, max: 1000,
                      display: {deviceClass: temperature, stateClass: measurement}}
                    0x1006: {name: humidity, type: u16le, scale: 0.1, unit: "%", max: 100,
                      display: {deviceClass: humidity, stateClass: measurement}}
                    0x1007: {name: illuminance, type: u24le, unit: lx,
                      display: {deviceClass: illuminance, stateClass: measurement}}
                    0x1008: {name: moisture, type: u8, unit: "%", max: 100,
                      display: {deviceClass: moisture, stateClass: measurement}}
                    0x1009: {name: conductivity, type: u16le, unit: "µS/cm",
                      display: {deviceClass: conductivity, stateClass: measurement}}
                    0x100a: {name: battery, type: u8, unit: "%", max: 100,
                      display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
                    0x100d:
                      - {name: temperature, type: i16le, scale: 0.1, unit: "°C", min: -100, max: 1000}
                      - {name: humidity, type: u16le, scale: 0.1, unit: "%", max: 100}
                    0x1010: {name: formaldehyde, type: u16le, scale: 0.01, unit: "mg/m³",
                      display: {stateClass: measurement}}
                    0x1012: {name: switch, type: bool, display: {deviceClass: power}}
                    0x1013: {name: consumable, type: u8, unit: "%", max: 100, display: {stateClass: measurement}}
                    0x1014: {name: moisture_detected, type: bool, display: {deviceClass: moisture}}
                    0x1015: {name: smoke, type: bool, display: {deviceClass: smoke}}
                    0x1017: {name: idle_time, type: u32le, unit: s, display: {deviceClass: duration}}
                    0x1018: {name: light, type: bool, display: {deviceClass: light}}
                    0x1019: {name: opening, type: u8, map: {0: true, 1: false, 2: true},
                      display: {deviceClass: opening}}
                    0x0003: {name: motion, type: u8, map: {0: detected}, event: true, display: {deviceClass: motion}}
                    0x000f: {name: illuminance, type: u24le, unit: lx}
                    0x4803: {name: battery, type: u8, unit: "%", max: 100}
                    0x4a01: {name: battery_low, type: bool, display: {deviceClass: battery}}
                    0x4a08: {name: illuminance, type: f32le, unit: lx, min: 0}
                    0x4a0c: {name: button, type: u8, map: {1: press}, event: true}
                    0x4a0d: {name: button, type: u8, map: {1: double_press}, event: true}
                    0x4a0e: {name: button, type: u8, map: {1: long_press}, event: true}
                    0x4c01: {name: temperature, type: f32le, unit: "°C", min: -100, max: 1000}
                    0x4c02: {name: humidity, type: u8, unit: "%", max: 100}
                    0x4c03: {name: battery, type: u8, unit: "%", max: 100}
                    0x4c08: {name: humidity, type: f32le, unit: "%", min: 0, max: 100}
        """#
}
