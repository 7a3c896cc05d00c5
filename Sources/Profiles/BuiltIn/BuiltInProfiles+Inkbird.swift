extension BuiltInProfiles {
    /// Thermometers of Inkbird.
    ///
    /// Source: what owners found out, as in github.com/Bluetooth-Devices/inkbird-ble.
    static let inkbird = [inkbirdProbes, inkbirdSensor, inkbirdSensor2]

    private static let inkbirdProbes = #"""
        profile: inkbird-ibbq
        title: Inkbird iBBQ, thermometers with probes
        manufacturer: Inkbird
        match:
          manufacturer: {id: "0000", prefix: "0000", length: [10, 12, 16, 20]}
        sources:
          - manufacturer: "0000"
            prefix: "0000"
            length: [10, 12, 16, 20]
            address: {offset: 2}
            fields:
              - skip: 8
              - {name: temperature_probe_1, type: i16le, scale: 0.1, unit: "°C", none: [-10, -1], min: -50, max: 600,
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: temperature_probe_2, type: i16le, scale: 0.1, unit: "°C", none: [-10, -1], min: -50, max: 600,
                when: {bytes: "12-"}, display: {deviceClass: temperature, stateClass: measurement}}
              - {name: temperature_probe_3, type: i16le, scale: 0.1, unit: "°C", none: [-10, -1], min: -50, max: 600,
                when: {bytes: "14-"}, display: {deviceClass: temperature, stateClass: measurement}}
              - {name: temperature_probe_4, type: i16le, scale: 0.1, unit: "°C", none: [-10, -1], min: -50, max: 600,
                when: {bytes: "16-"}, display: {deviceClass: temperature, stateClass: measurement}}
              - {name: temperature_probe_5, type: i16le, scale: 0.1, unit: "°C", none: [-10, -1], min: -50, max: 600,
                when: {bytes: "18-"}, display: {deviceClass: temperature, stateClass: measurement}}
              - {name: temperature_probe_6, type: i16le, scale: 0.1, unit: "°C", none: [-10, -1], min: -50, max: 600,
                when: {bytes: "20-"}, display: {deviceClass: temperature, stateClass: measurement}}
        """#

    private static let inkbirdSensor = #"""
        profile: inkbird-ibs-th
        title: Inkbird IBS-TH
        manufacturer: Inkbird
        model: IBS-TH
        match:
          name: sps
          manufacturer: {id: any, length: 9}
        sources:
          # The company's id is the temperature.
          - manufacturer: any
            length: 9
            fields:
              - {name: temperature, type: i16le, scale: 0.01, unit: "°C", min: -40, max: 125,
                display: {deviceClass: temperature, stateClass: measurement}}
              - {name: humidity, type: u16le, scale: 0.01, unit: "%", max: 100, needs: temperature,
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, offset: 7, type: u8, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#

    private static let inkbirdSensor2 = #"""
        profile: inkbird-ibs-th2
        title: Inkbird IBS-TH2, IBS-P01B
        manufacturer: Inkbird
        model: IBS-TH2
        match:
          name: tps
          manufacturer: {id: any, length: 9}
        sources:
          - manufacturer: any
            length: 9
            fields:
              - {name: temperature, type: i16le, scale: 0.01, unit: "°C", min: -40, max: 125,
                display: {deviceClass: temperature, stateClass: measurement}}
              # Models without a sensor for it say 0.
              - {name: humidity, type: u16le, scale: 0.01, unit: "%", none: 0, max: 100, needs: temperature,
                display: {deviceClass: humidity, stateClass: measurement}}
              - {name: battery, offset: 7, type: u8, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#
}
