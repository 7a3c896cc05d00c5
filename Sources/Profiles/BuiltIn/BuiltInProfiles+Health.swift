extension BuiltInProfiles {
    /// Health devices of the Bluetooth SIG, with layouts that depend on flags.
    ///
    /// Source: GATT Specification Supplement.
    static let health = [heartRate, thermometer, weight, bloodPressure]

    private static let heartRate = #"""
        profile: heart-rate
        title: Heart rate
        match:
          services: 180d
        sources:
          - characteristic: {service: 180d, uuid: 2a37, notify: true}
            fields:
              - {name: contact, type: u8, bit: 1, bits: 2, map: {0: null, 1: null, 2: false, 3: true},
                display: {component: binary_sensor, name: Skin contact}}
              - {name: heart_rate, type: u8, unit: bpm, when: {bit: 0, is: 0},
                display: {stateClass: measurement, icon: "mdi:heart-pulse"}}
              - {name: heart_rate, type: u16le, unit: bpm, when: {bit: 0}}
              - {name: energy_expended, type: u16le, unit: kJ, when: {bit: 3},
                display: {deviceClass: energy, stateClass: total_increasing}}
              # Several may have gathered: the last one is the newest.
              - {name: rr_interval, type: u16le, scale: 0.0009765625, unit: s, repeat: true, when: {bit: 4},
                display: {deviceClass: duration, stateClass: measurement, enabled: false}}
          - characteristic: {service: 180d, uuid: 2a38, atConnect: true}
            fields:
              - {name: body_location, type: u8, display: {category: diagnostic},
                map: {0: other, 1: chest, 2: wrist, 3: finger, 4: hand, 5: ear lobe, 6: foot}}
        commands:
          - name: reset-energy
            title: Reset the energy
            write: {service: 180d, uuid: 2a39, mode: request}
            frame: "01"
            idempotent: true
        """#

    private static let thermometer = #"""
        profile: health-thermometer
        title: Health thermometer
        match:
          services: 1809
        sources:
          - characteristic: {service: 1809, uuid: 2a1c, notify: true}
            fields:
              - skip: 1
              - {name: body_temperature, type: float, unit: "°C", when: {bit: 0, is: 0},
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: body_temperature, type: float, unit: "°F", when: {bit: 0}}
              - {name: measured_at, type: hex, length: 7, format: datetime, when: {bit: 1}, display: none}
              - {name: measured_where, type: u8, when: {bit: 2}, display: {category: diagnostic},
                map: {1: armpit, 2: body, 3: ear, 4: finger, 5: bowels, 6: mouth, 7: rectum, 8: toe, 9: ear drum}}
          - characteristic: {service: 1809, uuid: 2a1e, notify: true}
            fields:
              - skip: 1
              - {name: intermediate_temperature, type: float, unit: "°C", when: {bit: 0, is: 0},
                display: {deviceClass: temperature, stateClass: measurement, enabled: false}}
              - {name: intermediate_temperature, type: float, unit: "°F", when: {bit: 0}}
          - characteristic: {service: 1809, uuid: 2a1d, atConnect: true}
            fields:
              - {name: measured_where, type: u8,
                map: {1: armpit, 2: body, 3: ear, 4: finger, 5: bowels, 6: mouth, 7: rectum, 8: toe, 9: ear drum}}
        """#

    private static let weight = #"""
        profile: weight-scale
        title: Weight scale
        match:
          services: 181d
        sources:
          - characteristic: {service: 181d, uuid: 2a9d, notify: true}
            fields:
              - skip: 1
              - {name: weight, type: u16le, scale: 0.005, unit: kg, none: 65535, when: {bit: 0, is: 0},
                display: {deviceClass: weight, stateClass: measurement}}
              - {name: weight, type: u16le, scale: 0.01, unit: lb, none: 65535, when: {bit: 0}}
              - {name: measured_at, type: hex, length: 7, format: datetime, when: {bit: 1}, display: none}
              - {name: user, type: u8, none: 255, when: {bit: 2}, display: none}
              - {name: bmi, type: u16le, scale: 0.1, when: {bit: 3}, display: {name: BMI, stateClass: measurement}}
              - {name: height, type: u16le, scale: 0.001, unit: m, when: [{bit: 3}, {bit: 0, is: 0}],
                display: {deviceClass: distance, enabled: false}}
              - {name: height, type: u16le, scale: 0.1, unit: in, when: [{bit: 3}, {bit: 0}]}
        """#

    private static let bloodPressure = #"""
        profile: blood-pressure
        title: Blood pressure
        match:
          services: 1810
        sources:
          - characteristic: {service: 1810, uuid: 2a35, notify: true}
            fields:
              - skip: 1
              - {name: systolic, type: sfloat, unit: mmHg, when: {bit: 0, is: 0},
                display: {deviceClass: pressure, stateClass: measurement}}
              - {name: diastolic, type: sfloat, unit: mmHg, when: {bit: 0, is: 0},
                display: {deviceClass: pressure, stateClass: measurement}}
              - {name: mean_arterial, type: sfloat, unit: mmHg, when: {bit: 0, is: 0},
                display: {deviceClass: pressure, stateClass: measurement}}
              - {name: systolic, type: sfloat, unit: kPa, when: {bit: 0}}
              - {name: diastolic, type: sfloat, unit: kPa, when: {bit: 0}}
              - {name: mean_arterial, type: sfloat, unit: kPa, when: {bit: 0}}
              - {name: measured_at, type: hex, length: 7, format: datetime, when: {bit: 1}, display: none}
              - {name: pulse, type: sfloat, unit: bpm, when: {bit: 2},
                display: {stateClass: measurement, icon: "mdi:heart-pulse"}}
              - {name: user, type: u8, none: 255, when: {bit: 3}, display: none}
              - {name: moved, type: bool, bit: 0, when: {bit: 4}, display: {category: diagnostic}}
              # The other bits are in the same two bytes.
              - {skip: 1, when: {bit: 4}}
          - characteristic: {service: 1810, uuid: 2a36, notify: true}
            fields:
              - skip: 1
              - {name: cuff_pressure, type: sfloat, unit: mmHg, when: {bit: 0, is: 0},
                display: {deviceClass: pressure, stateClass: measurement, enabled: false}}
              - {name: cuff_pressure, type: sfloat, unit: kPa, when: {bit: 0}}
        """#
}
