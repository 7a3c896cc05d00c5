"""A client of org.bluez for the trace sessions, an agent's stand-in.

It keeps the object tree from signals, as an agent would, and drives one session step by
step; the steps are in the recording as signals of org.edgeagent.Session, in their place
among the messages.
"""
import argparse
import asyncio
import json
import os
import time

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from record import BLUEZ, BUS, OBJECT_MANAGER, Recorder

STEP_INTERFACE = "org.edgeagent.Session"
DEVICE, CHARACTERISTIC, SERVICE = (f"org.bluez.{name}" for name in
                                   ("Device1", "GattCharacteristic1", "GattService1"))
ADAPTER = "org.bluez.Adapter1"


def long_uuid(short):
    return f"0000{short}-0000-1000-8000-00805f9b34fb"


class Client:
    """A client of org.bluez that keeps the object tree from signals, as an agent would."""
    PATIENCE_SECONDS = 20
    # Longer than bluetoothd takes for what follows a step by itself.
    SETTLE_SECONDS = 0.4

    def __init__(self, bus, options):
        self.bus, self.options = bus, options
        self.adapter = f"/org/bluez/{options.adapter}"
        self.tree = {}
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

    async def command(self, line):
        """Runs a shell command, which has to succeed."""
        process = await asyncio.create_subprocess_shell(line)
        if await asyncio.wait_for(process.wait(), self.PATIENCE_SECONDS) != 0:
            raise AssertionError(f"{line!r} failed")

    # Steps that more than one session has.

    async def objects(self):
        for path, interfaces in (await self.call("/", OBJECT_MANAGER, "GetManagedObjects"))[0].items():
            self._add(path, interfaces)

    async def set_filter(self):
        await self.call(self.adapter, ADAPTER, "SetDiscoveryFilter", "a{sv}", {"Transport": Variant("s", "le")})

    async def stop_discovery(self):
        await self.call(self.adapter, ADAPTER, "StopDiscovery")
        await self.until(lambda: not self.get(self.adapter, ADAPTER, "Discovering"), "the end of the discovery")

    async def connect_to(self, device):
        await self.call(device, DEVICE, "Connect")
        # Not for Connected: bluetoothd does not always signal it.
        await self.until(lambda: self.get(device, DEVICE, "ServicesResolved"), f"the services of {device}")
        self.tree[device][DEVICE]["Connected"] = True

    async def disconnect_from(self, device):
        await self.call(device, DEVICE, "Disconnect")
        await self.until(lambda: self.get(device, DEVICE, "Connected") is False, "the end of the link")

    async def run(self):
        for rule in (f"type='signal',sender='{BLUEZ}'",
                     f"type='signal',sender='{BUS}',member='NameOwnerChanged',arg0='{BLUEZ}'"):
            await self.bus.call(Message(destination=BUS, path="/org/freedesktop/DBus", interface=BUS,
                                        member="AddMatch", signature="s", body=[rule]))
        for name, step in self.steps():
            await self.mark("Step", name)
            await step()
            await self.settle()
        await self.mark("Step", "end")

    def steps(self):
        """The session: names and coroutine functions, in order."""
        raise NotImplementedError


def options_parser(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bus", default=os.environ.get("DBUS_SYSTEM_BUS_ADDRESS"), metavar="ADDRESS")
    parser.add_argument("--adapter", default="hci0")
    parser.add_argument("file")
    return parser


async def drive(session, parser, options):
    """Runs a session of that class on the bus, recorded into a file even where it fails."""
    if not options.bus:
        parser.error("no bus: set DBUS_SYSTEM_BUS_ADDRESS or give --bus")
    lines = []
    recorder = Recorder(lines.append)
    await recorder.start(options.bus)
    bus = await MessageBus(bus_address=options.bus).connect()
    try:
        await session(bus, options).run()
        await asyncio.sleep(0.2)        # the monitor's connection may be a little behind
    finally:
        recorder.stop()
        with open(options.file, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    bus.disconnect()
