extension BuiltInProfiles {
    /// Beacons, which are read where no other profile recognises the device.
    static let beacons = [iBeacon, eddystone]

    private static let iBeacon = #"""
        profile: ibeacon
        title: iBeacon
        match:
          manufacturer: {id: 004c, prefix: "0215", length: 23}
        fallback: true
        sources:
          # Source: Apple, Proximity Beacon Specification.
          - manufacturer: 004c
            prefix: "0215"
            length: 23
            fields:
              - skip: 2
              - {name: uuid, type: hex, length: 16, format: uuid, display: none}
              - {name: major, type: u16be, display: none}
              - {name: minor, type: u16be, display: none}
              - {name: measured_power, type: i8, unit: dBm, state: false}
        """#

    private static let eddystone = #"""
        profile: eddystone
        title: Eddystone
        match:
          serviceData: feaa
        fallback: true
        sources:
          # Source: github.com/google/eddystone. Frames take turns.
          - serviceData: feaa
            prefix: "00"
            length: [18, 20]
            fields:
              - skip: 1
              - {name: tx_power_0m, type: i8, unit: dBm, state: false}
              - {name: namespace, type: hex, length: 10, display: none}
              - {name: instance, type: hex, length: 6, display: none}
          - serviceData: feaa
            prefix: "10"
            length: 4-20
            fields:
              - skip: 1
              - {name: tx_power_0m, type: i8, unit: dBm, state: false}
              - {name: url, type: hex, format: eddystone-url, required: true, display: {icon: "mdi:link"}}
          - serviceData: feaa
            prefix: "2000"
            length: 14
            fields:
              - skip: 2
              - {name: battery_mv, type: u16be, unit: mV, none: 0,
                display: {name: Battery voltage, deviceClass: voltage, stateClass: measurement, category: diagnostic}}
              - {name: temperature, type: i16be, scale: 0.00390625, unit: "°C", none: -32768,
                display: {deviceClass: temperature, stateClass: measurement, precision: 1}}
              - {name: adv_count, type: u32be, state: false}
              - {name: uptime_s, type: u32be, scale: 0.1, unit: s, state: false}
        """#
}
