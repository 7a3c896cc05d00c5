extension BuiltInProfiles {
    /// Services of the Bluetooth SIG that many devices have.
    ///
    /// Source: GATT Specification Supplement.
    static let services = [deviceInformation, battery, environment, currentTime, uart]

    private static let deviceInformation = #"""
        profile: device-information
        title: Device information
        match:
          services: 180a
        sources:
          - characteristic: {service: 180a, uuid: 2a29, atConnect: true}
            fields: [{name: manufacturer, type: utf8, display: none}]
          - characteristic: {service: 180a, uuid: 2a24, atConnect: true}
            fields: [{name: model, type: utf8, display: none}]
          - characteristic: {service: 180a, uuid: 2a25, atConnect: true}
            fields: [{name: serial_number, type: utf8, display: none}]
          - characteristic: {service: 180a, uuid: 2a27, atConnect: true}
            fields: [{name: hardware_revision, type: utf8, display: none}]
          - characteristic: {service: 180a, uuid: 2a26, atConnect: true}
            fields: [{name: firmware_revision, type: utf8, display: none}]
          - characteristic: {service: 180a, uuid: 2a28, atConnect: true}
            fields: [{name: software_revision, type: utf8, display: none}]
        """#

    private static let battery = #"""
        profile: battery
        title: Battery
        match:
          services: 180f
        sources:
          - characteristic: {service: 180f, uuid: 2a19, notify: true, atConnect: true}
            fields:
              - {name: battery, type: u8, unit: "%", max: 100,
                display: {deviceClass: battery, stateClass: measurement, category: diagnostic}}
        """#

    private static let environment = #"""
        profile: environmental-sensing
        title: Environmental sensing
        match:
          services: 181a
        sources:
          - characteristic: {service: 181a, uuid: 2a6e, notify: true, atConnect: true}
            fields:
              - {name: temperature, type: i16le, scale: 0.01, unit: "°C", none: -32768, min: -273.15,
                display: {deviceClass: temperature, stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2a6f, notify: true, atConnect: true}
            fields:
              - {name: humidity, type: u16le, scale: 0.01, unit: "%", none: 65535, max: 100,
                display: {deviceClass: humidity, stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2a6d, notify: true, atConnect: true}
            fields:
              - {name: pressure, type: u32le, scale: 0.1, unit: Pa,
                display: {deviceClass: pressure, stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2a7b, notify: true, atConnect: true}
            fields:
              - {name: dew_point, type: i8, unit: "°C", none: -128,
                display: {deviceClass: temperature, stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2a76, notify: true, atConnect: true}
            fields: [{name: uv_index, type: u8, none: 255, display: {stateClass: measurement}}]
          - characteristic: {service: 181a, uuid: 2a77, notify: true, atConnect: true}
            fields:
              - {name: irradiance, type: u16le, scale: 0.1, unit: "W/m²",
                display: {deviceClass: irradiance, stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2afb, notify: true, atConnect: true}
            fields:
              - {name: illuminance, type: u24le, scale: 0.01, unit: lx, none: 0xffffff,
                display: {deviceClass: illuminance, stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2a78, notify: true, atConnect: true}
            fields:
              - {name: rainfall, type: u16le, scale: 0.001, unit: m, display: {stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2a70, notify: true, atConnect: true}
            fields:
              - {name: wind_speed, type: u16le, scale: 0.01, unit: m/s,
                display: {deviceClass: wind_speed, stateClass: measurement}}
          - characteristic: {service: 181a, uuid: 2a71, notify: true, atConnect: true}
            fields: [{name: wind_direction, type: u16le, scale: 0.01, unit: "°", max: 360}]
          - characteristic: {service: 181a, uuid: 2b8c, notify: true, atConnect: true}
            fields:
              - {name: co2, type: u16le, unit: ppm, none: 65535, max: 65533,
                display: {deviceClass: carbon_dioxide, stateClass: measurement}}
        """#

    private static let currentTime = #"""
        profile: current-time
        title: Current time
        match:
          services: 1805
        sources:
          - characteristic: {service: 1805, uuid: 2a2b, notify: true, atConnect: true}
            length: 10
            fields:
              - {name: time, type: hex, length: 7, format: datetime, display: {category: diagnostic}}
              - {name: weekday, type: u8, none: 0, max: 7, state: false}
        commands:
          - name: set-time
            title: Set the time
            write: {service: 1805, uuid: 2a2b}
            # The last byte says why: it was set by hand.
            frame: "{year} {month} {day} {hour} {minute} {second} {weekday} 00 01"
            args:
              - {name: year, type: u16le, min: 1582, max: 9999}
              - {name: month, type: u8, min: 1, max: 12}
              - {name: day, type: u8, min: 1, max: 31}
              - {name: hour, type: u8, max: 23}
              - {name: minute, type: u8, max: 59}
              - {name: second, type: u8, max: 59, default: 0}
              - {name: weekday, type: u8, max: 7, default: 0}
        """#

    private static let uart = #"""
        profile: nordic-uart
        title: Nordic UART
        match:
          services: 6e400001-b5a3-f393-e0a9-e50e24dcca9e
        sources:
          - characteristic: {service: 6e400001-b5a3-f393-e0a9-e50e24dcca9e, uuid: 6e400003-b5a3-f393-e0a9-e50e24dcca9e,
              notify: true}
            fields: [{name: received, type: utf8, display: {icon: "mdi:console"}}]
        commands:
          - name: send
            title: Send a text
            write: {service: 6e400001-b5a3-f393-e0a9-e50e24dcca9e, uuid: 6e400002-b5a3-f393-e0a9-e50e24dcca9e}
            frame: "{text}"
            args: [{name: text, type: utf8}]
          - name: ask
            title: Send a text and wait for the answer
            write: {service: 6e400001-b5a3-f393-e0a9-e50e24dcca9e, uuid: 6e400002-b5a3-f393-e0a9-e50e24dcca9e}
            notify: {uuid: 6e400003-b5a3-f393-e0a9-e50e24dcca9e}
            frame: "{text}"
            args: [{name: text, type: utf8}]
            complete: {idleMs: 200}
            parse: [{name: answer, type: utf8}]
        """#
}
