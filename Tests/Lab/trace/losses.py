#!/usr/bin/env python3
"""Loses links, the adapter and bluetoothd in each way there is, with four LE devices, and records it.

    losses.py [options] FILE

FILE becomes the recording as record.py writes it. The devices, by the name that they advertise:

    Lab Heart   belt     heart rate, see session.py
    Lab Cmd     second   FFE0, see session.py
    Lab Mute    silent   is never reached
    Lab Flaky   flaky    loses each link at once

The options are commands for what happens to them; {} stands for the device. What the steps do
whose name begins with "aside" is no part of the session: there the lab shifts the numbers of
its adapters with a second one.
"""
import asyncio
import collections

from dbus_fast import Variant

from client import ADAPTER, DEVICE, Client, drive, options_parser
from record import PROPERTIES

COMMANDS = ("drop", "vanish", "show", "unplug", "plug", "replug", "aside-plug", "aside-unplug", "stop", "kill", "start")


class Losses(Client):
    """The session; each loss finds the belt linked and notifying."""
    NAMES = {"belt": "Lab Heart", "second": "Lab Cmd", "silent": "Lab Mute", "flaky": "Lab Flaky"}

    def __init__(self, bus, options):
        super().__init__(bus, options)
        self.devices = {}

    def steps(self):
        begin = ("find", self.find_again), ("connect", self.connect), ("notify", self.notify)
        unheard = ("connect", self.connect), ("notify", self.notify)
        return self.numbered(
            ("discover", self.discover),
            ("connect-silent", self.connect_fails("silent")), ("find", self.find_again),
            ("connect-flaky", self.connect_fails("flaky")), ("find", self.find_again),
            ("connect-cancelled", self.connect_cancelled("silent")), ("cancelled", self.unreached), *begin,
            ("drop", self.lose("drop")), ("read-dropped", self.read_fails), ("connect-dropped", self.connect),
            ("resumes", self.resumes),
            ("vanish", self.lose("vanish")), ("connect-vanished", self.connect_cancelled("belt")),
            ("show", self.run_command("show")), *begin,
            ("power-off", self.power_off), ("read-off", self.read_fails), ("power-on", self.power_on),
            ("find", self.find_again), ("connect-on", self.connect), ("resumes", self.resumes),
            ("unplug", self.unplug), ("read-unplugged", self.read_fails), ("discover-unplugged", self.discover_fails),
            ("plug", self.plug("plug")), ("objects-plugged", self.objects), ("read-plugged", self.read_fails),
            ("connect-plugged", self.connect), ("notify-plugged", self.notify),
            ("unplug-again", self.unplug), ("aside-in", self.run_command("aside-plug")),
            ("replug", self.replug), ("aside-out", self.run_command("aside-unplug")),
            ("objects-renumbered", self.objects), ("connect-renumbered", self.connect),
            ("notify-renumbered", self.notify),
            ("kill", self.end("kill")), ("start", self.start),
            ("objects-started", self.objects), ("read-started", self.read_fails), ("find", self.find_again), *unheard,
            ("stop", self.end("stop")), ("start-again", self.start), *unheard, ("disconnect", self.disconnect))

    @staticmethod
    def numbered(*steps):
        """Each step under a name of its own, so that each place is compared by itself."""
        counts = collections.Counter()
        for name, step in steps:
            counts[name] += 1
            yield (name if counts[name] == 1 else f"{name}-{counts[name]}"), step

    # Steps.

    def find(self):
        self.devices = {label: self.device(name, None) for label, name in self.NAMES.items()}
        return all(self.devices.values())

    async def mark_devices(self):
        for label, path in self.devices.items():
            await self.mark("Device", label, path)

    async def discover(self):
        await self.set_filter()
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(self.find, "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        await self.mark_devices()
        await self.stop_discovery()

    async def find_again(self):
        await self.set_filter()
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(lambda: all(self.get(path, DEVICE, "RSSI") for path in self.devices.values()), "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        await self.stop_discovery()

    def connect_fails(self, label):
        async def step():
            await self.call(self.devices[label], DEVICE, "Connect", fails=True)
        return step

    def connect_cancelled(self, label):
        """Its own end takes bluetoothd 4 s with a silent device, 40 s with one that is not there."""
        async def step():
            pending = asyncio.ensure_future(self.call(self.devices[label], DEVICE, "Connect", fails=True))
            await asyncio.sleep(self.SETTLE_SECONDS)
            await self.try_call(self.devices[label], DEVICE, "Disconnect")
            await pending
        return step

    async def unreached(self):
        """The kernel's attempt goes on after the answer."""
        await self.until(lambda: not self.tree.get(self.devices["silent"], {}).get(DEVICE), "the device's end")

    async def connect(self):
        await self.connect_to(self.devices["belt"])

    async def disconnect(self):
        await self.disconnect_from(self.devices["belt"])

    async def notify(self):
        self.rate = self.by_uuid(self.devices["belt"], "2a37")
        self.held = self.by_uuid(self.devices["belt"], "2a38")
        await self.call(self.rate, "org.bluez.GattCharacteristic1", "StartNotify")
        await self.resumes()

    async def resumes(self):
        enough = self.notified.get(self.rate, 0) + 3
        await self.until(lambda: self.notified.get(self.rate, 0) >= enough, "three notifications")

    def run_command(self, name):
        async def step():
            await self.command(getattr(self.options, name.replace("-", "_")).replace("{}", "hrm"))
            await asyncio.sleep(1)
        return step

    def lose(self, name):
        async def step():
            await self.run_command(name)()
            await self.linkless()
        return step

    async def linkless(self):
        await self.until(lambda: not self.get(self.devices["belt"], DEVICE, "Connected"), "the end of the link")

    async def read_fails(self):
        await self.read(self.held, fails=True)

    async def discover_fails(self):
        await self.call(self.adapter, ADAPTER, "StartDiscovery", fails=True)

    async def _power(self, on):
        await self.call(self.adapter, PROPERTIES, "Set", "ssv", ADAPTER, "Powered", Variant("b", on))
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Powered") is on, "the adapter's power")

    async def power_off(self):
        await self._power(False)

    async def power_on(self):
        await self._power(True)

    async def unplug(self):
        await self.run_command("unplug")()
        await self.until(lambda: not self.tree.get(self.adapter, {}).get(ADAPTER), "the adapter's end")

    def plug(self, name):
        async def step():
            await self.run_command(name)()
            await self.until(lambda: self.get(self.adapter, ADAPTER, "Powered"), "the adapter's power")
        return step

    async def replug(self):
        """Under another number: all paths are others."""
        self.adapter = "/org/bluez/hci1"
        self.devices = {label: path.replace("hci0", "hci1") for label, path in self.devices.items()}
        await self.mark_devices()
        await self.plug("replug")()

    def end(self, name):
        async def step():
            await self.command(getattr(self.options, name))
            await self.until(lambda: not self.has_owner, "the loss of the name")
        return step

    async def start(self):
        await self.command(self.options.start)
        await self.until(lambda: self.has_owner, "an owner of the name")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Powered"), "the adapter's power")
        # The kernel ends the link 2 s after a kill.
        await self.linkless()


def main():
    parser = options_parser(__doc__)
    for name in COMMANDS:
        parser.add_argument(f"--{name}", metavar="COMMAND", required=True)
    options = parser.parse_args()
    asyncio.run(drive(Losses, parser, options))


if __name__ == "__main__":
    main()
