"""The simulated devices around the gateway, as a scenario, and a profile for one of them."""
LAMP, METER, BUTTON = "C0:5A:00:00:00:51", "C0:5A:00:00:00:52", "C0:5A:00:00:00:53"


def plain(address):
    """An address as topics write it."""
    return address.replace(":", "").lower()


SCENARIO = {
    "devices": [
        {
            "address": LAMP,
            "advertise": {"name": "Lamp", "services": ["fff0"], "intervalMs": 100},
            "services": [{"uuid": "fff0", "characteristics": [
                {"uuid": "fff1", "flags": ["read", "write"], "value": "00", "limit": 1},
                {"uuid": "fff2", "flags": ["read", "write"], "value": "14", "limit": 1},
                {"uuid": "fff3", "flags": ["read", "write"], "value": "00", "limit": 1},
                {"uuid": "fff4", "flags": ["read", "write"], "value": "6465736b", "limit": 20},
                {"uuid": "fff5", "flags": ["write"], "limit": 1},
            ]}],
        },
        # BTHome 2: packet id, battery, temperature, motion.
        {"address": METER, "advertise": {"name": "Meter", "intervalMs": 100, "serviceData": {
            "fcd2": [{"hex": "40 00"}, {"counter": {"bytes": 1, "every": 5}}, {"hex": "01 5f 02 ca 09 21 01"}]}}},
        # BTHome 2: packet id, button.
        {"address": BUTTON, "advertise": {"name": "Button", "intervalMs": 100, "serviceData": {
            "fcd2": [{"hex": "44 00"}, {"counter": {"bytes": 1, "every": 10}}, {"hex": "3a 01"}]}}},
    ],
    "timeline": [{"steps": [{"advertise": {"device": BUTTON, "enabled": False}}]}],
}

PROFILE = """
profile: check-lamp
title: Desk lamp
manufacturer: Nobody
model: L1
match: {name: Lamp, services: fff0}
sources:
  - characteristic: {service: fff0, uuid: fff1, atConnect: true}
    fields:
      - {name: power, type: bool, display: {component: switch, name: Power, deviceClass: switch}}
  - characteristic: {service: fff0, uuid: fff2, atConnect: true}
    fields:
      - {name: level, type: u8, unit: "%", display: {component: number, name: Level, min: 0, max: 100, step: 1}}
  - characteristic: {service: fff0, uuid: fff3, atConnect: true}
    fields:
      - {name: mode, type: u8, map: {0: eco, 1: normal, 2: boost}, display: {component: select, name: Mode}}
  - characteristic: {service: fff0, uuid: fff4, atConnect: true}
    fields:
      - {name: label, type: utf8, display: {component: text, name: Label, max: 20}}
commands:
  - name: power
    write: {service: fff0, uuid: fff1}
    frame: "{on}"
    args: [{name: on, type: bool}]
    sets: power
    idempotent: true
  - name: level
    write: {service: fff0, uuid: fff2}
    frame: "{level}"
    args: [{name: level, type: u8, min: 0, max: 100}]
    sets: level
    idempotent: true
  - name: mode
    write: {service: fff0, uuid: fff3}
    frame: "{mode}"
    args: [{name: mode, type: u8, map: {0: eco, 1: normal, 2: boost}}]
    sets: mode
    idempotent: true
  - name: label
    write: {service: fff0, uuid: fff4}
    frame: "{text}"
    args: [{name: text, type: utf8}]
    sets: label
    idempotent: true
  - name: identify
    title: Identify
    write: {service: fff0, uuid: fff5}
    frame: "01"
    display: {component: button, deviceClass: identify}
"""
