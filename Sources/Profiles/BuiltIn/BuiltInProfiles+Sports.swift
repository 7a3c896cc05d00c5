extension BuiltInProfiles {
    /// Sensors of bicycles and runners.
    ///
    /// Source: GATT Specification Supplement.
    static let sports = [cycling, running]

    private static let cycling = #"""
        profile: cycling-speed-cadence
        title: Cycling speed and cadence
        match:
          services: 1816
        sources:
          - characteristic: {service: 1816, uuid: 2a5b, notify: true}
            fields:
              - skip: 1
              - {name: wheel_revolutions, type: u32le, when: {bit: 0}, display: {stateClass: total_increasing}}
              - {name: wheel_time, type: u16le, scale: 0.0009765625, unit: s, when: {bit: 0}, display: none}
              - {name: crank_revolutions, type: u16le, when: {bit: 1}, display: {stateClass: total_increasing}}
              - {name: crank_time, type: u16le, scale: 0.0009765625, unit: s, when: {bit: 1}, display: none}
          - characteristic: {service: 1816, uuid: 2a5d, atConnect: true}
            fields:
              - {name: sensor_location, type: u8, display: {category: diagnostic},
                map: {0: other, 1: top of shoe, 2: in shoe, 3: hip, 4: front wheel, 5: left crank, 6: right crank,
                7: left pedal, 8: right pedal, 9: front hub, 10: rear dropout, 11: chainstay, 12: rear wheel,
                13: rear hub, 14: chest, 15: spider, 16: chain ring}}
        """#

    private static let running = #"""
        profile: running-speed-cadence
        title: Running speed and cadence
        match:
          services: 1814
        sources:
          - characteristic: {service: 1814, uuid: 2a53, notify: true}
            fields:
              - {name: running, type: bool, bit: 2, display: {deviceClass: moving}}
              - {name: speed, type: u16le, scale: 0.00390625, unit: m/s,
                display: {deviceClass: speed, stateClass: measurement, precision: 2}}
              - {name: cadence, type: u8, unit: rpm, display: {stateClass: measurement}}
              - {name: stride, type: u16le, scale: 0.01, unit: m, when: {bit: 0},
                display: {deviceClass: distance, stateClass: measurement}}
              - {name: distance, type: u32le, scale: 0.1, unit: m, when: {bit: 1},
                display: {deviceClass: distance, stateClass: total_increasing}}
        """#
}
