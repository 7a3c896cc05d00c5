"""Devices that matter for their advertisements alone."""
import asyncio
import struct

from bumble import hci

from . import advertising
from .air import Advertisement
from .peripheral import Peripheral


class Nameless(Peripheral):
    """Connectable, with manufacturer data and no name."""
    key, rssi = "noname", -75
    advert = (advertising.manufacturer(0xFFFF, b"nameless"),)


class NameInScanResponse(Peripheral):
    """Its name is in the scan response only, with the transmit power."""
    key, name, rssi = "scanrsp", "Lab ScanRsp", -73
    advert = (advertising.manufacturer(0x02E5, b"\x01\x02\x03"),)
    scan_response = (advertising.name("Lab ScanRsp"), advertising.tx_power(4))


class Beacon:
    """Not connectable: no Bluetooth stack behind it, just advertisements.

    Subclasses answer `fields(count)`, where `count` is the number of advertisements sent.
    """
    key = ""
    name = ""
    rssi = -60
    SHORTEST_SECONDS = 0.02

    def __init__(self, air, number, options):
        self.air = air
        self.seconds = max(options.interval / 1000, self.SHORTEST_SECONDS)
        self.sender = hci.Address(f"C0:FF:EE:00:01:{number:02X}")
        self.written = []
        self.task = None

    def fields(self, count):
        raise NotImplementedError

    @property
    def address(self):
        return self.sender.to_string(False)

    @property
    def state(self):
        return "silent" if self.task is None else "advertising"

    async def start(self):
        await self.show()

    async def show(self):
        if self.task is None:
            self.task = asyncio.get_running_loop().create_task(self._advertise())

    async def hide(self):
        task, self.task = self.task, None
        if task is not None:
            task.cancel()

    async def drop(self):
        """It has no link to end."""

    async def vanish(self):
        await self.hide()

    def set_rssi(self, dbm):
        self.rssi = dbm

    async def _advertise(self):
        count = 0
        while True:
            self.air.send_advertising_pdu(None, Advertisement(
                self.sender, advertising.encode(self.fields(count)),
                connectable=False, scannable=False, rssi=self.rssi))
            count += 1
            await asyncio.sleep(self.seconds)


class IBeacon(Beacon):
    """Apple's beacon: a region, major 1, minor 2, -59 dBm at 1 m."""
    key, rssi = "ibeacon", -80
    REGION = bytes.fromhex("e2c56db5dffb48d2b060d0f5a71096e0")

    def fields(self, count):
        return [advertising.FLAGS,
                advertising.manufacturer(0x004C, b"\x02\x15" + self.REGION + b"\x00\x01\x00\x02\xc5")]


class BTHome(Beacon):
    """BTHome v2, open: packet id, temperature, humidity; a new reading every ten advertisements."""
    key, name, rssi = "bthome", "Lab BTHome", -77
    VERSION_2 = 0x40

    def fields(self, count):
        reading = count // 10
        data = struct.pack("<BBBBhBH", self.VERSION_2, 0x00, reading & 0xFF,
                           0x02, 2150 + reading % 100, 0x03, 4820)
        return [advertising.FLAGS, advertising.service_data(0xFCD2, data), advertising.name(self.name)]


class Eddystone(Beacon):
    """Eddystone-URL, https://example.com."""
    key, rssi = "eddy", -85

    def fields(self, count):
        return [advertising.FLAGS, advertising.services(0xFEAA),
                advertising.service_data(0xFEAA, b"\x10\xee\x03example\x07")]


class Stealth(Beacon):
    """Its flags say that it is not discoverable."""
    key, rssi = "stealth", -60

    def fields(self, count):
        return [advertising.HIDDEN_FLAGS, advertising.manufacturer(0xFFFF, b"stealth")]
