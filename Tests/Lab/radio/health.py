"""A heart-rate belt, and a battery with a public address."""
import asyncio
import struct

from bumble import att
from bumble.gatt import Service

from . import advertising
from .peripheral import Peripheral, Properties, short

CONTROL_POINT_NOT_SUPPORTED = 0x80


class HeartRateBelt(Peripheral):
    """Heart rate 180D (2A37 notify, 2A38 read, 2A39 write), battery 180F, device information 180A."""
    key, name, rssi = "hrm", "Lab Heart", -52
    advert = (advertising.name("Lab Heart"), advertising.services(0x180D, 0x180F), advertising.appearance(0x0341))

    def services(self):
        self.rate = self.source(short(0x2A37))
        self.battery = self.source(short(0x2A19), Properties.READ | Properties.NOTIFY, bytes([87]))

        def reset_energy(_connection, data):
            if data != b"\x01":
                raise att.ATT_Error(CONTROL_POINT_NOT_SUPPORTED)
        return [
            Service(short(0x180D), [
                self.rate, self.fixed(short(0x2A38), b"\x01"),
                self.sink(short(0x2A39), reset_energy, Properties.WRITE)]),
            Service(short(0x180F), [self.battery]),
            Service(short(0x180A), [
                self.fixed(short(0x2A29), b"Virtual"), self.fixed(short(0x2A24), b"Heart-1"),
                self.fixed(short(0x2A26), b"1.2.3")]),
        ]

    def connected(self, connection):
        self.spawn(self._beat())

    async def _beat(self):
        count = 0
        while True:
            await asyncio.sleep(self.options.beat)
            # Flags 0x10: an RR interval in 1/1024 s follows the rate of one byte.
            bpm = 60 + count % 40
            await self.notify(self.rate, struct.pack("<BBH", 0x10, bpm, 61440 // bpm))
            count += 1
            if count % 10 == 0:
                await self.notify(self.battery, bytes([max(1, 87 - count // 10)]))


class PublicBattery(Peripheral):
    """The only device with a public address."""
    key, name, rssi, public_address = "public", "Lab Public", -55, "00:1A:7D:DA:71:99"
    advert = (advertising.name("Lab Public"), advertising.services(0x180F))

    def services(self):
        return [Service(short(0x180F), [
            self.source(short(0x2A19), Properties.READ | Properties.NOTIFY, bytes([42]))])]
