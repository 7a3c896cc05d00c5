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
import asyncio

from dbus_fast import Variant

from client import ADAPTER, CHARACTERISTIC, DEVICE, Client, drive, options_parser
from record import PROPERTIES


class Session(Client):
    """The session with a belt and a second device."""

    def __init__(self, bus, options):
        super().__init__(bus, options)
        self.belt = self.second = None
        self.held = None        # a characteristic of the belt from before the restart

    def find(self):
        self.belt = self.device(self.options.belt, "180d")
        self.second = self.device(self.options.second, "ffe0")
        return self.belt and self.second

    # The session.

    def steps(self):
        return (
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
            ("connect-off", self.connect_off), ("power-on", self.power_on), *self.restart_steps())

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

    async def discover(self):
        self.find()
        if self.belt or self.second:
            raise AssertionError("a device is known before it was discovered")
        await self.set_filter()
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(self.find, "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        await self.mark("Device", "belt", self.belt)
        await self.mark("Device", "second", self.second)

    async def discover_twice(self):
        await self.call(self.adapter, ADAPTER, "StartDiscovery", fails=True)

    async def stop_discovery_twice(self):
        await self.call(self.adapter, ADAPTER, "StopDiscovery", fails=True)

    async def connect(self):
        await self.connect_to(self.belt)

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

    async def disconnect(self):
        await self.disconnect_from(self.belt)

    async def disconnect_twice(self):
        await self.try_call(self.belt, DEVICE, "Disconnect")

    async def read_disconnected(self):
        await self.read(self.by_uuid(self.belt, "2a38"), fails=True)

    async def connect_again(self):
        await self.connect()

    async def disconnect_notifying(self):
        await self.start_notify()
        await self.disconnect_from(self.belt)

    async def connect_resumes(self):
        """The subscription outlives the link: no second StartNotify."""
        await self.connect()
        await self._notifications(self.by_uuid(self.belt, "2a37"))

    async def disconnect_after(self):
        await self.stop_notify()
        await self.disconnect_from(self.belt)

    async def connect_second(self):
        await self.connect_to(self.second)

    async def write_command(self):
        path = self.characteristic(self.second, lambda properties: "write-without-response" in properties["Flags"])
        await self.write(path, b"\x00", "command")

    async def disconnect_second(self):
        await self.disconnect_from(self.second)

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
        await self.set_filter()
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(lambda: self.get(self.belt, DEVICE, "RSSI") and self.get(self.second, DEVICE, "RSSI"),
                         "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        await self.stop_discovery()

    async def stop(self):
        self.held = self.by_uuid(self.belt, "2a38")
        await self.command(self.options.stop)
        await self.until(lambda: not self.has_owner, "the loss of the name")

    async def away(self):
        await self.read(self.held, fails=True)
        await self.call(self.adapter, ADAPTER, "StartDiscovery", fails=True)

    async def start(self):
        await self.command(self.options.start)
        await self.until(lambda: self.has_owner, "an owner of the name")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Powered"), "the adapter's power")

    async def read_stale(self):
        """A path of before: the devices are there, their GATT objects are not."""
        await self.read(self.held, fails=True)

    async def read_belt(self):
        await self.read(self.by_uuid(self.belt, "2a38"))


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--belt", metavar="NAME", help="the belt (default: the first that advertises 180D)")
    parser.add_argument("--second", metavar="NAME", help="the other device (default: the first with FFE0)")
    parser.add_argument("--stop", metavar="COMMAND", help="takes bluetoothd off the bus (with --start: a restart, too)")
    parser.add_argument("--start", metavar="COMMAND", help="brings it back")
    options = parser.parse_args()
    if bool(options.stop) != bool(options.start):
        parser.error("--stop and --start go together")
    asyncio.run(drive(Session, parser, options))


if __name__ == "__main__":
    main()
