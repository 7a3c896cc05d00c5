extension BuiltInProfiles {
    /// Xiaomi thermometers with other firmware.
    ///
    /// Source: github.com/pvvx/ATC_MiThermometer, and atc1441's before it.
    static let thermometers = [atc1441, pvvx]

    private static let atc1441 = #"""
        profile: atc1441
        title: Thermometer with ATC1441 firmware
        match:
          serviceData: {uuid: 181a, length: 13}
        sources:
          - serviceData: 181a
            length: 13
            address: {offset: 0}
            fields:
              - skip: 6
              - {name: temperature, type: i16be, scale: 0.1, unit: "°C", min: -100, max: 150,
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, type: u8, unit: "%", max: 100,
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, type: u8, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
              - {name: voltage, type: u16be, scale: 0.001, unit: V,
                display: {deviceClass: voltage, stateClass: measurement, category: diagnostic}}
              - {name: counter, type: u8, state: false}
        """#

    private static let pvvx = #"""
        profile: pvvx
        title: Thermometer with pvvx firmware
        match:
          serviceData: {uuid: 181a, length: 15}
        sources:
          - serviceData: 181a
            length: 15
            address: {offset: 0, reversed: true}
            fields:
              - skip: 6
              - {name: temperature, type: i16le, scale: 0.01, unit: "°C", min: -100, max: 150,
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, type: u16le, scale: 0.01, unit: "%", max: 100,
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: voltage, type: u16le, scale: 0.001, unit: V,
                display: {deviceClass: voltage, stateClass: measurement, category: diagnostic}}
              - {name: battery, type: u8, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
              - {name: counter, type: u8, state: false}
        """#
}
