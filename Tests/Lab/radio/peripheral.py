"""What every connectable device of the lab has in common."""
import asyncio
import hashlib
import logging

from bumble import att, hci
from bumble.core import UUID
from bumble.device import AdvertisingType, Device, DeviceConfiguration
from bumble.gatt import Characteristic
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

from . import advertising
from .controllers import DeviceController

log = logging.getLogger("radio")

Properties = Characteristic.Properties
READABLE, WRITEABLE = att.Attribute.READABLE, att.Attribute.WRITEABLE


def short(number):
    return UUID.from_16_bits(number)


class GuardedCharacteristic(Characteristic):
    """Refuses what its permissions do not allow, as a device does; Bumble alone lets it pass."""

    async def read_value(self, bearer):
        if not self.permissions & READABLE:
            raise att.ATT_Error(att.ErrorCode.READ_NOT_PERMITTED, self.handle)
        return await super().read_value(bearer)

    async def write_value(self, bearer, value):
        if not self.permissions & WRITEABLE:
            raise att.ATT_Error(att.ErrorCode.WRITE_NOT_PERMITTED, self.handle)
        await super().write_value(bearer, value)


class Peripheral:
    """One connectable device; subclasses set the attributes and answer `services()`."""
    key = ""
    name = ""
    rssi = -60
    mtu = 517
    public_address = None       # default: a static random address made from the number
    advert = ()                 # fields beside the flags
    scan_response = ()
    answers = True              # False: no connection request is ever heard
    loses_each_link = False     # True: each link is lost before anything is exchanged
    pairing = None              # connection -> PairingConfig

    def __init__(self, air, number, options):
        self.options = options
        self.written = []
        self.links = 0              # that it has had so far
        self.tasks = set()
        self.visible = False
        self.restart = None
        self.radio = DeviceController(self.key, air, self.public_address)
        self.radio.rssi = self.rssi
        self.radio.answers = self.answers
        self.radio.loses_each_link = self.loses_each_link
        configuration = DeviceConfiguration()
        configuration.name = self.name
        configuration.irk = hashlib.sha256(b"identity of " + self.key.encode()).digest()[:16]
        # The two highest bits mark a static random address.
        configuration.address = hci.Address(f"C0:FF:EE:00:00:{number:02X}")
        configuration.advertising_interval_min = options.interval
        configuration.advertising_interval_max = options.interval
        self.device = Device(config=configuration, host=Host(self.radio, AsyncPipeSink(self.radio)))
        self.device.gatt_server.max_mtu = self.mtu
        if self.pairing:
            self.device.pairing_config_factory = self.pairing
        self.device.add_services(self.services())
        self.device.on(Device.EVENT_CONNECTION, self._on_connection)

    # For subclasses.

    def services(self):
        return []

    def connected(self, connection):
        """Called when a central has connected."""

    def spawn(self, coroutine):
        """Runs `coroutine` until it ends or the link does."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def notify(self, characteristic, value):
        characteristic.value = value
        await self.device.notify_subscribers(characteristic, value)

    # Steering.

    @property
    def address(self):
        return self.public_address or self.device.static_address.to_string(False)

    @property
    def state(self):
        if self.device.connections:
            return "connected"
        return "advertising" if self.radio.le_legacy_advertiser.enabled else "silent"

    async def start(self):
        await self.device.power_on()
        await self.show()

    async def show(self):
        """Advertises from now on, while it has no link."""
        self.visible = True
        if not self.device.connections:
            await self._advertise()

    async def hide(self):
        self.visible = False
        await self.device.stop_advertising()

    async def _advertise(self):
        own = hci.OwnAddressType.PUBLIC if self.public_address else hci.OwnAddressType.RANDOM
        await self.device.start_advertising(
            AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE, own_address_type=own,
            advertising_data=advertising.encode([advertising.FLAGS, *self.advert]),
            scan_response_data=advertising.encode(self.scan_response))

    async def drop(self):
        for connection in list(self.device.connections.values()):
            await connection.disconnect()

    async def vanish(self):
        await self.hide()
        self.radio.lose_links()

    async def forget(self):
        """Loses the keys of all bonds, as a device does that was reset."""
        for name, _keys in await self.device.keystore.get_all():
            await self.device.keystore.delete(name)

    def fail(self, fault):
        """From now on mute (no connection request is heard), flaky (each link is lost at once), or neither."""
        self.radio.answers = fault != "mute"
        self.radio.loses_each_link = fault == "flaky"

    def set_rssi(self, dbm):
        self.rssi = self.radio.rssi = dbm

    def _on_connection(self, connection):
        log.info("%s: connected to %s", self.key, connection.peer_address)
        self.links += 1

        def on_end(reason):
            log.info("%s: disconnected, reason 0x%02x", self.key, reason)
            for task in list(self.tasks):
                task.cancel()
            # Not Bumble's own restart: that would also bring a hidden device back.
            if self.visible:
                self.restart = asyncio.get_running_loop().create_task(self._advertise())
        connection.on(connection.EVENT_DISCONNECTION, on_end)
        self.connected(connection)

    # Makers of characteristics.

    def fixed(self, uuid, value, permissions=READABLE):
        """Readable: `value` is bytes, or a function of the connection that answers or raises."""
        held = att.AttributeValue(read=value) if callable(value) else value
        return GuardedCharacteristic(uuid, Properties.READ, permissions, held)

    def stored(self, uuid, value=b"", permissions=READABLE | WRITEABLE, limit=512):
        """Reads back what was written last; more than `limit` bytes are refused."""
        held = [value]

        def write(_connection, data):
            if len(data) > limit:
                raise att.ATT_Error(att.ErrorCode.INVALID_ATTRIBUTE_LENGTH)
            self.record(uuid, data)
            held[0] = bytes(data)
        return GuardedCharacteristic(uuid, Properties.READ | Properties.WRITE, permissions,
                                     att.AttributeValue(read=lambda _connection: held[0], write=write))

    def sink(self, uuid, write, properties=Properties.WRITE | Properties.WRITE_WITHOUT_RESPONSE):
        """Hands what is written to `write(connection, data)`, plain or a coroutine."""
        def recorded(connection, data):
            self.record(uuid, data)
            return write(connection, bytes(data))
        return GuardedCharacteristic(uuid, properties, WRITEABLE, att.AttributeValue(write=recorded))

    def source(self, uuid, properties=Properties.NOTIFY, value=b""):
        """Notifies or indicates, and is readable when its properties say so."""
        permissions = READABLE if Properties.READ in properties else Characteristic.Permissions(0)
        return GuardedCharacteristic(uuid, properties, permissions, value)

    def record(self, uuid, data):
        self.written.append((str(uuid), bytes(data)))
        log.info("%s: %s <- %s", self.key, uuid, bytes(data).hex())
