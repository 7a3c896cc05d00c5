#!/usr/bin/env python3
"""Drives one fixed session with two LE devices through org.bluez and records it.

    session.py [options] FILE

The client is this script alone, so that the same session can be had from bluetoothd and
from a simulator. FILE becomes the recording as record.py writes it; the steps of the
session are in it as signals of org.edgeagent.Session, in their place among the messages.

The belt has heart rate 180D (2A37 notify, 2A38 read, 2A39 write, where 01 is accepted and
05 refused with an ATT error) and battery 180F (2A19); the other device has a characteristic
that can be written without response in its service FFE0.
"""
import argparse
import asyncio
import json
import os
import sys
import time

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from record import BLUEZ, BUS, OBJECT_MANAGER, PROPERTIES, Recorder

STEP_INTERFACE = "org.edgeagent.Session"
DEVICE, CHARACTERISTIC, SERVICE = (f"org.bluez.{name}" for name in
                                   ("Device1", "GattCharacteristic1", "GattService1"))
ADAPTER = "org.bluez.Adapter1"


def long_uuid(short):
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


class Session:
    """A client of org.bluez that keeps the object tree from signals, as an agent would."""
    PATIENCE_SECONDS = 20
    # Longer than bluetoothd takes for what follows a step by itself.
    SETTLE_SECONDS = 0.4

    def __init__(self, bus, options):
        self.bus, self.options = bus, options
        self.adapter = f"/org/bluez/{options.adapter}"
        self.tree = {}
        self.belt = self.second = None
        self.held = None        # a characteristic of the belt from before the restart
        self.notified = {}
        self.last_signal = 0.0
        self.has_owner = True
        bus.add_message_handler(self._on_message)

    # The tree.

    def _on_message(self, message):
        if message.message_type != MessageType.SIGNAL:
            return
        if message.interface == BUS:
            if message.member == "NameOwnerChanged" and message.body[0] == BLUEZ:
                self.has_owner = bool(message.body[2])
                if not self.has_owner:
                    self.tree.clear()
            return
        if not self._is_background(message):
            self.last_signal = time.monotonic()
        if message.member == "InterfacesAdded":
            self._add(*message.body)
        elif message.member == "InterfacesRemoved":
            for name in message.body[1]:
                self.tree.get(message.body[0], {}).pop(name, None)
        elif message.member == "PropertiesChanged":
            interface, changed, invalidated = message.body
            held = self.tree.setdefault(message.path, {}).setdefault(interface, {})
            held.update({name: variant.value for name, variant in changed.items()})
            for name in invalidated:
                held.pop(name, None)
            if "Value" in changed:
                self.notified[message.path] = self.notified.get(message.path, 0) + 1

    @staticmethod
    def _is_background(message):
        """Whether the devices cause it at times of their own, not what the session does."""
        return message.member == "PropertiesChanged" and (
            message.body[0] == "org.bluez.Battery1" or list(message.body[1]) == ["Value"])

    def _add(self, path, interfaces):
        for name, properties in interfaces.items():
            self.tree.setdefault(path, {})[name] = {key: v.value for key, v in properties.items()}

    def get(self, path, interface, name):
        return self.tree.get(path, {}).get(interface, {}).get(name)

    def device(self, name, service):
        """The device of that name, or without a name the first that advertises the service."""
        return next((path for path in sorted(self.tree) if DEVICE in self.tree[path]
                     and (self.get(path, DEVICE, "Name") == name if name
                          else long_uuid(service) in (self.get(path, DEVICE, "UUIDs") or []))), None)

    def find(self):
        self.belt = self.device(self.options.belt, "180d")
        self.second = self.device(self.options.second, "ffe0")
        return self.belt and self.second

    def characteristic(self, device, test):
        """The path of the first characteristic of `device` whose properties pass `test`."""
        for path in sorted(self.tree):
            if path.startswith(device + "/") and CHARACTERISTIC in self.tree[path]:
                if test(self.tree[path][CHARACTERISTIC]):
                    return path
        raise LookupError(f"no such characteristic on {device}")

    def by_uuid(self, device, short):
        return self.characteristic(device, lambda properties: properties["UUID"] == long_uuid(short))

    # Calls.

    async def call(self, path, interface, member, signature="", *body, fails=False):
        """The reply's body; an error that is not expected, or its absence, ends the session."""
        reply = await asyncio.wait_for(self.bus.call(Message(
            destination=BLUEZ, path=path, interface=interface, member=member,
            signature=signature, body=list(body))), self.PATIENCE_SECONDS * 2)
        if fails != (reply.message_type == MessageType.ERROR):
            raise AssertionError(f"{member} on {path}: {reply.error_name or 'no error'} {reply.body}")
        return reply.body

    async def try_call(self, path, interface, member, signature="", *body):
        """Where success and error are both worth recording."""
        await asyncio.wait_for(self.bus.call(Message(
            destination=BLUEZ, path=path, interface=interface, member=member,
            signature=signature, body=list(body))), self.PATIENCE_SECONDS * 2)

    async def read(self, path, **how):
        return await self.call(path, CHARACTERISTIC, "ReadValue", "a{sv}", {}, **how)

    async def write(self, path, data, kind, **how):
        await self.call(path, CHARACTERISTIC, "WriteValue", "aya{sv}", data, {"type": Variant("s", kind)}, **how)

    async def until(self, condition, what):
        end = time.monotonic() + self.PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"waited in vain for {what}")
            await asyncio.sleep(0.01)

    async def settle(self):
        """Until nothing has been signalled for a while: what follows belongs to the next step."""
        begun = time.monotonic()
        while (now := time.monotonic()) - max(begun, self.last_signal) < self.SETTLE_SECONDS:
            if now - begun > self.PATIENCE_SECONDS:
                raise TimeoutError("the signals do not end")
            await asyncio.sleep(0.05)

    async def mark(self, member, *words):
        await self.bus.send(Message(message_type=MessageType.SIGNAL, path="/", interface=STEP_INTERFACE,
                                    member=member, signature="s" * len(words), body=list(words)))

    # The session.

    async def run(self):
        for rule in (f"type='signal',sender='{BLUEZ}'",
                     f"type='signal',sender='{BUS}',member='NameOwnerChanged',arg0='{BLUEZ}'"):
            await self.bus.call(Message(destination=BUS, path="/org/freedesktop/DBus", interface=BUS,
                                        member="AddMatch", signature="s", body=[rule]))
        for name, step in (
                ("objects", self.objects), ("discover", self.discover), ("discover-twice", self.discover_twice),
                ("stop-discovery", self.stop_discovery), ("stop-discovery-twice", self.stop_discovery_twice),
                ("connect", self.connect), ("objects-connected", self.objects),
                ("connect-twice", self.connect_twice), ("read", self.read_values),
                ("read-refused", self.read_refused), ("write", self.write_request),
                ("att-error", self.att_error), ("write-refused", self.write_refused),
                ("start-notify", self.start_notify), ("start-notify-twice", self.start_notify_twice),
                ("stop-notify", self.stop_notify), ("stop-notify-twice", self.stop_notify_twice),
                ("disconnect", self.disconnect), ("objects-disconnected", self.objects),
                ("disconnect-twice", self.disconnect_twice),
                ("read-disconnected", self.read_disconnected), ("connect-again", self.connect_again),
                ("disconnect-notifying", self.disconnect_notifying), ("connect-resumes", self.connect_resumes),
                ("disconnect-after", self.disconnect_after),
                ("connect-second", self.connect_second), ("write-command", self.write_command),
                ("disconnect-second", self.disconnect_second), ("unknown-object", self.unknown_object),
                ("remove", self.remove), ("reconnect-second", self.connect_second),
                ("power-off", self.power_off), ("discover-off", self.discover_off),
                ("connect-off", self.connect_off), ("power-on", self.power_on), *self.restart_steps()):
            await self.mark("Step", name)
            await step()
            await self.settle()
        await self.mark("Step", "end")

    def restart_steps(self):
        """bluetoothd goes and comes back with a link and a notify session up."""
        if not self.options.stop:
            return ()
        return (("find-again", self.find_again), ("connect-before", self.connect), ("notify-before", self.start_notify),
                ("stop", self.stop), ("away", self.away), ("start", self.start), ("objects-restarted", self.objects),
                ("read-stale", self.read_stale), ("connect-unheard", self.connect_second),
                ("disconnect-unheard", self.disconnect_second),
                ("find-restarted", self.find_again), ("connect-restarted", self.connect),
                ("objects-reconnected", self.objects), ("read-restarted", self.read_belt),
                ("stop-notify-restarted", self.stop_notify_twice), ("notify-restarted", self.start_notify),
                ("disconnect-end", self.disconnect_after))

    async def objects(self):
        for path, interfaces in (await self.call("/", OBJECT_MANAGER, "GetManagedObjects"))[0].items():
            self._add(path, interfaces)

    async def discover(self):
        self.find()
        if self.belt or self.second:
            raise AssertionError("a device is known before it was discovered")
        await self.call(self.adapter, ADAPTER, "SetDiscoveryFilter", "a{sv}", {"Transport": Variant("s", "le")})
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(self.find, "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        await self.mark("Device", "belt", self.belt)
        await self.mark("Device", "second", self.second)

    async def discover_twice(self):
        await self.call(self.adapter, ADAPTER, "StartDiscovery", fails=True)

    async def stop_discovery(self):
        await self.call(self.adapter, ADAPTER, "StopDiscovery")
        await self.until(lambda: not self.get(self.adapter, ADAPTER, "Discovering"), "the end of the discovery")

    async def stop_discovery_twice(self):
        await self.call(self.adapter, ADAPTER, "StopDiscovery", fails=True)

    async def connect(self):
        await self._connect(self.belt)

    async def _connect(self, device):
        await self.call(device, DEVICE, "Connect")
        # Not for Connected: bluetoothd does not always signal it.
        await self.until(lambda: self.get(device, DEVICE, "ServicesResolved"), f"the services of {device}")

    async def connect_twice(self):
        await self.try_call(self.belt, DEVICE, "Connect")

    async def read_values(self):
        for _ in range(2):
            await self.read(self.by_uuid(self.belt, "2a38"))
        await self.read(self.by_uuid(self.belt, "2a19"))

    async def read_refused(self):
        await self.read(self.by_uuid(self.belt, "2a37"), fails=True)

    async def write_request(self):
        await self.write(self.by_uuid(self.belt, "2a39"), b"\x01", "request")

    async def att_error(self):
        await self.write(self.by_uuid(self.belt, "2a39"), b"\x05", "request", fails=True)

    async def write_refused(self):
        await self.try_call(self.by_uuid(self.belt, "2a38"), CHARACTERISTIC, "WriteValue", "aya{sv}", b"\x01", {})
        await self.try_call(self.by_uuid(self.belt, "2a39"), CHARACTERISTIC, "WriteValue", "aya{sv}", b"\x01",
                            {"type": Variant("s", "command")})

    async def start_notify(self):
        path = self.by_uuid(self.belt, "2a37")
        await self.call(path, CHARACTERISTIC, "StartNotify")
        await self._notifications(path)

    async def _notifications(self, path):
        enough = self.notified.get(path, 0) + 3
        await self.until(lambda: self.notified.get(path, 0) >= enough, "three notifications")

    async def start_notify_twice(self):
        await self.try_call(self.by_uuid(self.belt, "2a37"), CHARACTERISTIC, "StartNotify")

    async def stop_notify(self):
        await self.call(self.by_uuid(self.belt, "2a37"), CHARACTERISTIC, "StopNotify")

    async def stop_notify_twice(self):
        await self.try_call(self.by_uuid(self.belt, "2a37"), CHARACTERISTIC, "StopNotify")

    async def _disconnect(self, device):
        await self.call(device, DEVICE, "Disconnect")
        await self.until(lambda: self.get(device, DEVICE, "Connected") is False, "the end of the link")

    async def disconnect(self):
        await self._disconnect(self.belt)

    async def disconnect_twice(self):
        await self.try_call(self.belt, DEVICE, "Disconnect")

    async def read_disconnected(self):
        await self.read(self.by_uuid(self.belt, "2a38"), fails=True)

    async def connect_again(self):
        await self.connect()

    async def disconnect_notifying(self):
        await self.start_notify()
        await self._disconnect(self.belt)

    async def connect_resumes(self):
        """The subscription outlives the link: no second StartNotify."""
        await self.connect()
        await self._notifications(self.by_uuid(self.belt, "2a37"))

    async def disconnect_after(self):
        await self.stop_notify()
        await self._disconnect(self.belt)

    async def connect_second(self):
        await self._connect(self.second)

    async def write_command(self):
        path = self.characteristic(self.second, lambda properties: "write-without-response" in properties["Flags"])
        await self.write(path, b"\x00", "command")

    async def disconnect_second(self):
        await self._disconnect(self.second)

    async def unknown_object(self):
        await self.call(f"{self.adapter}/dev_00_00_00_00_00_00", DEVICE, "Connect", fails=True)

    async def remove(self):
        await self.call(self.adapter, ADAPTER, "RemoveDevice", "o", self.belt)
        await self.until(lambda: not self.tree.get(self.belt, {}).get(DEVICE), "the belt's removal")

    async def _power(self, on):
        await self.call(self.adapter, PROPERTIES, "Set", "ssv", ADAPTER, "Powered", Variant("b", on))
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Powered") is on, "the adapter's power")

    async def power_off(self):
        """With a link up."""
        await self._power(False)

    async def discover_off(self):
        await self.call(self.adapter, ADAPTER, "StartDiscovery", fails=True)

    async def connect_off(self):
        await self.call(self.second, DEVICE, "Connect", fails=True)

    async def power_on(self):
        await self._power(True)

    async def find_again(self):
        """A discovery that ends as soon as both devices were heard."""
        await self.call(self.adapter, ADAPTER, "SetDiscoveryFilter", "a{sv}", {"Transport": Variant("s", "le")})
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(lambda: self.get(self.belt, DEVICE, "RSSI") and self.get(self.second, DEVICE, "RSSI"),
                         "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        await self.stop_discovery()

    async def _command(self, line, is_there):
        process = await asyncio.create_subprocess_shell(line)
        await self.until(lambda: self.has_owner is is_there, f"what {line!r} should do")
        if await asyncio.wait_for(process.wait(), self.PATIENCE_SECONDS) != 0:
            raise AssertionError(f"{line!r} failed")

    async def stop(self):
        self.held = self.by_uuid(self.belt, "2a38")
        await self._command(self.options.stop, False)

    async def away(self):
        await self.read(self.held, fails=True)
        await self.call(self.adapter, ADAPTER, "StartDiscovery", fails=True)

    async def start(self):
        await self._command(self.options.start, True)
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Powered"), "the adapter's power")

    async def read_stale(self):
        """A path of before: the devices are there, their GATT objects are not."""
        await self.read(self.held, fails=True)

    async def read_belt(self):
        await self.read(self.by_uuid(self.belt, "2a38"))


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bus", default=os.environ.get("DBUS_SYSTEM_BUS_ADDRESS"), metavar="ADDRESS")
    parser.add_argument("--adapter", default="hci0")
    parser.add_argument("--belt", metavar="NAME", help="the belt (default: the first that advertises 180D)")
    parser.add_argument("--second", metavar="NAME", help="the other device (default: the first with FFE0)")
    parser.add_argument("--stop", metavar="COMMAND", help="takes bluetoothd off the bus (with --start: a restart, too)")
    parser.add_argument("--start", metavar="COMMAND", help="brings it back")
    parser.add_argument("file")
    options = parser.parse_args()
    if not options.bus:
        parser.error("no bus: set DBUS_SYSTEM_BUS_ADDRESS or give --bus")
    if bool(options.stop) != bool(options.start):
        parser.error("--stop and --start go together")
    lines = []
    recorder = Recorder(lines.append)
    await recorder.start(options.bus)
    bus = await MessageBus(bus_address=options.bus).connect()
    try:
        await Session(bus, options).run()
        await asyncio.sleep(0.2)        # the monitor's connection may be a little behind
    finally:
        recorder.stop()
        with open(options.file, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    bus.disconnect()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
