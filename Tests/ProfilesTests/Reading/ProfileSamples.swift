/// Profiles for tests.
enum ProfileSamples {
    /// A profile with every key that there is.
    static let full = """
        profile: acme-heater
        title: ACME heater
        manufacturer: ACME
        model: H1
        match:
          - name: ["Heater *", "H?"]
            services: [ffe0]
            manufacturer: [{id: "0499", prefix: "05 01", mask: "ff 0f", length: [6, 8-]}, any]
            serviceData: [fcd2, {uuid: 181a, prefix: aa, length: 3-4}]
            addresses: ["a4:c1:38", c0]
          - {manufacturer: "0499"}
        fallback: true
        encryption: bthome2
        counter: {value: packet, bits: 16}
        intervalMs: 60000
        shared: true
        link: {policy: keep, idleMs: 5000, maxAttempts: 3, rssiMin: -90}
        sources:
          - manufacturer: "0499"
            prefix: "05"
            length: 6-30
            when: [{offset: 1, bit: 0}, {offset: 2, type: u16le, is: [1, 3-5]}, {bytes: 6-30}]
            address: {offset: 2, reversed: true}
            checksum: {kind: crc16-modbus, order: little, from: 1, at: 4}
            fields:
              - skip: 1
              - {skip: 2, when: {bit: 1, is: 0}}
              - {name: packet, type: u16be, state: false}
              - name: temperature
                offset: 5
                type: u24be
                bit: 0
                bits: 23
                sign: 22
                divide: 1000
                modulo: 500
                scale: 0.1
                add: -40
                unit: "°C"
                none: [65535, 0x7fff]
                map: {65534: null}
                plus: [{offset: 3, type: u8, scale: 0.01, none: 255}]
                min: -40
                max: 85.5
                needs: packet
                when: {bit: 3}
                display: {component: sensor, name: Temperature, deviceClass: temperature, stateClass: measurement,
                  category: diagnostic, icon: "mdi:thermometer", precision: 1, enabled: false}
              - {name: light, type: u8, curve: {top: 65535, steps: 254}, required: true, display: none}
              - {name: series, type: u8, repeat: true}
              - objects:
                  header: id
                  ordered: true
                  table:
                    0x01: {name: battery, type: u8, repeat: true}
                    0x3a: {name: button, type: u8, map: {1: press, 2: hold}, none: 0, event: true}
                    60:
                      - skip: 1
                      - {name: dial, type: u8, map: {1: left}, event: {details: [{name: steps, offset: 2, type: u8}]}}
                    0x53: {name: note, type: utf8}
          - serviceData: fcd2
            fields:
              - {name: seen, type: u32le, format: time}
              - {name: id, type: hex, length: 16, format: uuid}
          - name: true
            prefix: "48"
            fields: [{name: label, type: utf8}]
          - characteristic: {service: ffe0, uuid: ffe1, notify: true, atConnect: true, everyMs: 60000}
            fields:
              - {name: target, type: u8, display: {component: number, min: 5, max: 30, step: 0.5}}
              - {name: mode, type: u8, map: {0: off, 1: heat}, display: {component: select}}
              - {name: level, type: u8, display: {component: light, brightness: target, brightnessScale: 100}}
          - characteristic: {handle: 12, notify: true}
            fields: [{name: raw, type: hex}]
        commands:
          - name: set-target
            title: Set the target
            args:
              - {name: target, type: u8, scale: 0.5, add: 5, unit: "°C", min: 5, max: 30, step: 0.5}
              - {name: mode, type: u8, map: {0: off, 1: heat}, default: heat}
              - {name: label, type: utf8, length: 4, default: abc}
            write: {service: ffe0, uuid: ffe1, mode: request}
            notify: {uuid: ffe2}
            frame: "aa {length} 01 {target} {mode}{label}"
            length: {type: u8, adjust: 2}
            chunk: {first: 20, then: 100}
            gapMs: 10
            accept: {prefix: aa, match: {offset: 1, hex: "81"}, minBytes: 3, on: first}
            take: {offset: 1, length: 9}
            complete: {length: {offset: 1, type: u8, adjust: 2}}
            fail: {prefix: aaee}
            checksum: {kind: sum8, order: big, from: 1, send: true, verify: true}
            packetTimeoutMs: 5000
            timeoutMs: 30000
            parse: [{name: target, offset: 3, type: u8, scale: 0.5, add: 5}]
            idempotent: true
            readOnly: false
            sets: target
          - name: version
            read: {service: 180a, uuid: 2a26}
            parse: [{name: version, type: utf8}]
            readOnly: true
          - name: restart
            write: {handle: 14}
            frame: "ff"
            chunk: {size: 20}
            display: {component: button, name: Restart, category: config}
        """
}
