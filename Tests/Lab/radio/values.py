"""Devices for the corners of GATT: long values, errors, delays, equal UUIDs."""
import asyncio

from bumble import att
from bumble.gatt import Descriptor, Service

from . import advertising
from .peripheral import READABLE, WRITEABLE, GuardedCharacteristic, Peripheral, Properties, short


class LongValues(Peripheral):
    """Values of 512 bytes at an MTU of 23; FF43 takes no more than 100 bytes."""
    key, name, mtu, rssi = "long", "Lab Long", 23, -61
    advert = (advertising.name("Lab Long"), advertising.services(0xFF40))
    BIG = bytes(i * 7 & 0xFF for i in range(512))

    def services(self):
        return [Service(short(0xFF40), [
            self.fixed(short(0xFF41), self.BIG), self.stored(short(0xFF42), b"empty"),
            self.stored(short(0xFF43), limit=100)])]


class WideValues(LongValues):
    """The same at an MTU of 517."""
    key, name, mtu, rssi = "wide", "Lab Wide", 517, -62
    advert = (advertising.name("Lab Wide"), advertising.services(0xFF40))


class Odd(Peripheral):
    """Everything that a client does not expect at first.

        FF51 indicates, FF52 notifies or indicates what is written to FF53
        FF53 has a description (2901) and a presentation format (2904)
        FF54 fails with 0x85, FF55 read not permitted, FF56 insufficient authorization
        FF57 answers after 3 s, FF58 never, FF59 with an empty value
        FF5A stands three times, service FF60 (with FF61) twice
    """
    key, name, rssi = "odd", "Lab Odd", -71
    advert = (advertising.name("Lab Odd"), advertising.services(0xFF50))

    def services(self):
        self.indicated = self.source(short(0xFF51), Properties.READ | Properties.INDICATE, b"idle")
        self.both = self.source(short(0xFF52), Properties.READ | Properties.NOTIFY | Properties.INDICATE, b"idle")
        poke = GuardedCharacteristic(
            short(0xFF53), Properties.READ | Properties.WRITE, READABLE | WRITEABLE,
            att.AttributeValue(read=lambda _connection: b"poke", write=self._poke),
            [Descriptor(short(0x2901), READABLE, b"Poke me"),
             Descriptor(short(0x2904), READABLE, bytes([0x04, 0, 0, 0x27, 1, 0, 0]))])
        return [
            Service(short(0xFF50), [
                self.indicated, self.both, poke,
                self.fixed(short(0xFF54), self._fails(0x85)),
                self.fixed(short(0xFF55), self._fails(att.ErrorCode.READ_NOT_PERMITTED)),
                self.fixed(short(0xFF56), self._fails(att.ErrorCode.INSUFFICIENT_AUTHORIZATION)),
                self.fixed(short(0xFF57), self._answers_after(3, b"late")),
                self.fixed(short(0xFF58), self._answers_after(3600, b"")),
                self.fixed(short(0xFF59), b""),
                self.fixed(short(0xFF5A), b"one"), self.fixed(short(0xFF5A), b"two"),
                self.stored(short(0xFF5A), b"three")]),
            Service(short(0xFF60), [self.fixed(short(0xFF61), b"first")]),
            Service(short(0xFF60), [self.fixed(short(0xFF61), b"second")]),
        ]

    async def _poke(self, _connection, data):
        await self.notify(self.both, data)
        self.indicated.value = data
        self.spawn(self.device.indicate_subscribers(self.indicated, data))

    @staticmethod
    def _fails(code):
        def read(_connection):
            raise att.ATT_Error(code)
        return read

    def _answers_after(self, seconds, value):
        async def read(connection):
            await asyncio.sleep(seconds)
            if connection not in self.device.connections.values():
                # Its handle may belong to the next link by now, which has not asked.
                raise asyncio.CancelledError
            return value
        return read
