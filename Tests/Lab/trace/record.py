#!/usr/bin/env python3
"""Records what passes over a message bus, one JSON object a line.

    record.py [--bus ADDRESS] [--seconds S] FILE

Becomes a monitor of the bus in DBUS_SYSTEM_BUS_ADDRESS and writes until S seconds have
passed or SIGTERM or SIGINT comes. A system bus lets only root be a monitor.

Each line has `t` (seconds since the start), `type` (call, return, error, signal), `from`
and, where it is known, `to`: `bluez` (the owner of org.bluez), `bus`, or `agent` (anybody
else); then `path`, `interface`, `member`, `signature`, of an error `error` and `text`. A
return or error has the path, interface and member of its call. Properties stand as name and
signature; the values of booleans, UUID and Flags follow after "=".
"""
import argparse
import asyncio
import json
import os
import signal
import sys
import time

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

BUS, BLUEZ, AGENT = "org.freedesktop.DBus", "org.bluez", "org.bluez.Agent1"
PROPERTIES, OBJECT_MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
TYPES = {MessageType.METHOD_CALL: "call", MessageType.METHOD_RETURN: "return",
         MessageType.ERROR: "error", MessageType.SIGNAL: "signal"}


def describe(name, variant):
    """A property's signature, with its value where the value is part of the protocol's order."""
    value = variant.value
    if variant.signature == "b":
        return f"b={'true' if value else 'false'}"
    if name in ("UUID", "Flags"):
        return f"{variant.signature}={value if isinstance(value, str) else ','.join(value)}"
    return variant.signature


def describe_all(properties):
    return {name: describe(name, properties[name]) for name in sorted(properties)}


def describe_interfaces(interfaces):
    return {name: describe_all(interfaces[name]) for name in sorted(interfaces)
            if name.startswith(BLUEZ + ".")}


class Recorder:
    """A monitor on one bus that hands each message it sees to `sink`, as a dictionary."""

    def __init__(self, sink):
        self.sink = sink
        self.bus = None
        self.bluez = None
        self.began = 0.0
        self.calls = {}

    async def start(self, address):
        """Connects and becomes a monitor; raises when the bus refuses."""
        self.bus = await MessageBus(bus_address=address).connect()
        reply = await self._ask("GetNameOwner", "s", BLUEZ)
        self.bluez = reply.body[0] if reply.message_type == MessageType.METHOD_RETURN else None
        # Returning True keeps the library from answering calls that are meant for others.
        self.bus.add_message_handler(self._on_message)
        reply = await self._ask("BecomeMonitor", "asu", [], 0, interface=BUS + ".Monitoring")
        if reply.message_type == MessageType.ERROR:
            raise PermissionError(f"the bus refuses a monitor: {reply.error_name}")
        self.began = time.monotonic()

    def stop(self):
        self.bus.disconnect()

    async def _ask(self, member, signature, *body, interface=BUS):
        return await self.bus.call(Message(destination=BUS, path="/org/freedesktop/DBus", interface=interface,
                                           member=member, signature=signature, body=list(body)))

    def _role(self, name):
        if name in (self.bluez, BLUEZ):
            return "bluez"
        return "bus" if name == BUS else "agent"

    def _on_message(self, message):
        if not self.began:
            return False
        if message.member == "NameOwnerChanged" and message.body[0] == BLUEZ:
            self.bluez = message.body[2] or None
        line = {"t": round(time.monotonic() - self.began, 4), "type": TYPES[message.message_type],
                "from": self._role(message.sender)}
        if message.destination:
            line["to"] = self._role(message.destination)
        self._name(message, line)
        line["signature"] = message.signature
        self._describe_body(message, line)
        self.sink(line)
        return True

    def _name(self, message, line):
        if message.message_type in (MessageType.METHOD_CALL, MessageType.SIGNAL):
            named = message.path, message.interface, message.member
            if message.message_type == MessageType.METHOD_CALL:
                self.calls[message.sender, message.serial] = named
        else:
            named = self.calls.pop((message.destination, message.reply_serial), (None, None, None))
        line["path"], line["interface"], line["member"] = named

    @staticmethod
    def _describe_body(message, line):
        body = message.body
        if message.message_type == MessageType.ERROR:
            line["error"] = message.error_name
            line["text"] = body[0] if body and isinstance(body[0], str) else ""
        elif line["type"] == "return":
            if line["member"] == "GetManagedObjects":
                line["objects"] = {path: described for path in sorted(body[0])
                                   if (described := describe_interfaces(body[0][path]))}
        elif line["member"] == "PropertiesChanged":
            line["about"] = body[0]
            line["properties"] = describe_all(body[1])
            line["invalidated"] = sorted(body[2])
        elif line["member"] == "InterfacesAdded":
            line["object"], line["interfaces"] = body[0], describe_interfaces(body[1])
        elif line["member"] == "InterfacesRemoved":
            line["object"], line["interfaces"] = body[0], sorted(body[1])
        elif line["member"] in ("WriteValue", "ReadValue"):
            options = body[-1]
            line["options"] = {name: option.value if isinstance(option, Variant) else option
                               for name, option in sorted(options.items())}
        elif line["interface"] == AGENT and message.signature.startswith("o"):
            line["object"] = body[0]
        elif message.signature and set(message.signature) <= {"s", "o"}:
            line["arguments"] = list(body)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bus", default=os.environ.get("DBUS_SYSTEM_BUS_ADDRESS"), metavar="ADDRESS")
    parser.add_argument("--seconds", type=float, metavar="S")
    parser.add_argument("file")
    options = parser.parse_args()
    if not options.bus:
        parser.error("no bus: set DBUS_SYSTEM_BUS_ADDRESS or give --bus")
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    with open(options.file, "w", encoding="utf-8", buffering=1) as file:
        recorder = Recorder(lambda line: print(json.dumps(line), file=file))
        await recorder.start(options.bus)
        try:
            await asyncio.wait_for(ended.wait(), options.seconds)
        except asyncio.TimeoutError:
            pass
        recorder.stop()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
