"""Devices whose links fail, each in a way of its own."""
import asyncio

from bumble.gatt import Service

from . import advertising
from .peripheral import Peripheral, short


class Quitter(Peripheral):
    """Ends each link 1.5 s after it was made."""
    key, name, rssi = "quitter", "Lab Quitter", -70
    advert = (advertising.name("Lab Quitter"), advertising.services(0xFF30))
    STAYS_SECONDS = 1.5

    def services(self):
        return [Service(short(0xFF30), [self.fixed(short(0xFF31), b"still here")])]

    def connected(self, connection):
        self.spawn(self._leave(connection))

    async def _leave(self, connection):
        await asyncio.sleep(self.STAYS_SECONDS)
        await connection.disconnect()


class Mute(Peripheral):
    """Advertises as connectable and never hears a connection request."""
    key, name, rssi, answers = "mute", "Lab Mute", -90, False
    advert = (advertising.name("Lab Mute"),)


class Flaky(Peripheral):
    """Loses each link (reason 0x3e) before anything is exchanged."""
    key, name, rssi, loses_each_link = "flaky", "Lab Flaky", -93, True
    advert = (advertising.name("Lab Flaky"),)
