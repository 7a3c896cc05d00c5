#!/usr/bin/env python3
"""Turns a recorded session into what two recordings of it must have in common.

    normalise.py RECORDING >NORMALISED

Paths lose addresses and handles: `adapter`, `belt`, `belt/180d/2a37`. Times, serials and
bus names go, and so do the messages of the bus itself, but for the coming and going of
org.bluez and the errors that answer calls in its absence. What devices cause at times of their
own is dropped: battery levels, changed advertisements, all but the first notification of a
subscription. Each line has the `step` of the session and the `group` (adapter, belt, second,
root, elsewhere) within which its order counts.
"""
import json
import re
import sys

STEP_INTERFACE = "org.edgeagent.Session"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
BASE_UUID = re.compile(r"^0000([0-9a-f]{4})-0000-1000-8000-00805f9b34fb$")
BUS, BLUEZ = "org.freedesktop.DBus", "org.bluez"
# By which a simulator is told what should happen.
CONTROL = "org.bluez.Simulator1"
AGENT_PATH = "/agent"
BATTERY = "org.bluez.Battery1"
GATT_INTERFACES = ("org.bluez.GattService1", CHARACTERISTIC, "org.bluez.GattDescriptor1")
ADAPTER_PATH = re.compile(r"^/org/bluez/hci\d+$")
# What an advertisement brings in; when it changes, it changes when the device likes.
ADVERTISED = {"RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingFlags", "AdvertisingData"}


def short(uuid):
    match = BASE_UUID.match(uuid)
    return match.group(1) if match else uuid


class Names:
    """Names for object paths that do not depend on addresses and handles."""

    def __init__(self, lines):
        self.devices = {path: label for line in lines if line["interface"] == STEP_INTERFACE
                        and line["member"] == "Device" for label, path in [line["arguments"]]}
        uuids = {}
        for line in lines:
            for path, interfaces in line.get("objects", {}).items():
                self._collect(uuids, path, interfaces)
            if line["member"] == "InterfacesAdded":
                self._collect(uuids, line["object"], line["interfaces"])
        self.names = {}
        for path in sorted(uuids):
            parent = self.name(path.rpartition("/")[0])
            name = f"{parent}/{uuids[path]}"
            # A UUID that stands more than once: in the order of the handles. An adapter's other number is no other place.
            count = sum(1 for known, other in self.names.items()
                        if other.partition("#")[0] == name and known.rpartition("/")[0] == path.rpartition("/")[0])
            self.names[path] = name if count == 0 else f"{name}#{count + 1}"

    @staticmethod
    def _collect(uuids, path, interfaces):
        for interface in GATT_INTERFACES:
            if interface in interfaces:
                uuids[path] = short(interfaces[interface]["UUID"].partition("=")[2])

    def name(self, path):
        """The name of an object, or None when it is not part of the session."""
        if path in self.devices:
            return self.devices[path]
        if path in self.names:
            return self.names[path]
        if ADAPTER_PATH.match(path):
            return "adapter"
        if path in ("/", "/org/bluez", AGENT_PATH):
            return path
        return None

    @staticmethod
    def group(name):
        if name is None:
            return "elsewhere"
        return "root" if name.startswith("/") else name.partition("/")[0]


class Background:
    """Finds the signals that come at the devices' own times."""

    def __init__(self):
        self.notified = set()
        self.being_read = set()

    def forget(self):
        """org.bluez has gone or come: nothing is subscribed, no read under way."""
        self.notified.clear()
        self.being_read.clear()

    def drops(self, line):
        path, member = line["path"], line["member"]
        if member == "ReadValue":
            (self.being_read.add if line["type"] == "call" else self.being_read.discard)(path)
        if member in ("InterfacesAdded", "InterfacesRemoved"):
            return set(line["interfaces"]) == {BATTERY}
        if member != "PropertiesChanged":
            return False
        changed, about = set(line["properties"]), line["about"]
        if about == CHARACTERISTIC and line["properties"].get("Notifying") == "b=false":
            self.notified.discard(path)
        if about == CHARACTERISTIC and changed == {"Value"} and path not in self.being_read:
            first = path not in self.notified
            self.notified.add(path)
            return not first
        return about == BATTERY or bool(
            about == "org.bluez.Device1" and changed and changed <= ADVERTISED and not line["invalidated"])


def owner_change(line, step):
    """The event that org.bluez has come or gone; None for the bus's other messages."""
    if line["member"] != "NameOwnerChanged" or line["arguments"][0] != BLUEZ:
        return None
    return {"step": step, "group": "root", "type": "signal", "from": "bus", "path": BLUEZ, "interface": BUS,
            "member": "NameOwnerChanged", "signature": line["signature"],
            "state": "owned" if line["arguments"][2] else "gone"}


def is_of_bus(line):
    """Whether a message passes between the bus and a client for its own sake."""
    return (line["path"] is None or line["interface"] == BUS or line.get("to") == "bus"
            or line["from"] == "bus" and line["type"] != "error")


def normalise(lines):
    """The lines of a recording as those of a normalised one."""
    names, background = Names(lines), Background()
    step, result, last = None, [], {}
    for line in lines:
        if line["interface"] == STEP_INTERFACE:
            step = line["arguments"][0] if line["member"] == "Step" else step
            last = {} if line["member"] == "Step" else last
            continue
        # What is done aside is no part of the session.
        if step is None or step.startswith("aside"):
            continue
        if event := owner_change(line, step):
            background.forget()
            result.append(event)
        if is_of_bus(line) or line["interface"] == CONTROL or background.drops(line):
            continue
        subject = line.get("object", line["path"])
        name = names.name(subject)
        if name is None and line["type"] == "signal":
            continue                    # another device of the same adapter
        event = {"step": step, "group": names.group(name), "type": line["type"], "from": line["from"],
                 "path": name or "unknown", "interface": line["interface"], "member": line["member"],
                 "signature": line["signature"]}
        for key in ("error", "about", "properties", "invalidated", "interfaces", "options"):
            if key in line:
                event[key] = line[key]
        if isinstance(event.get("interfaces"), list):
            event["interfaces"] = [name for name in event["interfaces"] if name != BATTERY]
        # The bus library's wording is not part of the protocol; bluetoothd's is what clients parse.
        if line.get("error", "").startswith("org.bluez."):
            event["text"] = line["text"]
        if "objects" in line:
            event["objects"] = {known: interfaces for path, interfaces in line["objects"].items()
                                if (known := names.name(path))}
        if event != last.get(event["group"]):
            result.append(event)
        last[event["group"]] = event
    return result


def load(path):
    """The normalised lines of a file that holds a recording or a normalised one."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    return normalise(lines) if lines and "t" in lines[0] else lines


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for normalised in load(sys.argv[1]):
        print(json.dumps(normalised))
