"""Devices that want a paired link."""
import asyncio

from bumble import att
from bumble.gatt import Service
from bumble.pairing import PairingConfig, PairingDelegate

from . import advertising
from .peripheral import READABLE, WRITEABLE, Peripheral, short

PASSKEY = 123456
ENCRYPTED_READ = att.Attribute.READ_REQUIRES_ENCRYPTION
ENCRYPTED_WRITE = att.Attribute.WRITE_REQUIRES_ENCRYPTION
AUTHENTICATED_READ = att.Attribute.READ_REQUIRES_AUTHENTICATION


class Lock(Peripheral):
    """Encrypted reads and writes, paired by Just Works; FF13 alone is open to all."""
    key, name, rssi = "lock", "Lab Lock", -66
    advert = (advertising.name("Lab Lock"), advertising.services(0xFF10))

    @staticmethod
    def pairing(_connection):
        return PairingConfig(sc=True, mitm=False, bonding=True,
                             delegate=PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT))

    def services(self):
        return [Service(short(0xFF10), [
            self.fixed(short(0xFF11), b"secret", READABLE | ENCRYPTED_READ),
            self.stored(short(0xFF12), permissions=READABLE | WRITEABLE | ENCRYPTED_READ | ENCRYPTED_WRITE),
            self.fixed(short(0xFF13), b"open")])]


class ShowsPasskey(PairingDelegate):
    """A display that always shows the same number."""

    def __init__(self):
        super().__init__(PairingDelegate.DISPLAY_OUTPUT_ONLY)

    async def generate_passkey(self):
        return PASSKEY


class Vault(Peripheral):
    """Wants passkey pairing; the passkey is 123456."""
    key, name, rssi = "vault", "Lab Vault", -67
    advert = (advertising.name("Lab Vault"), advertising.services(0xFF20))

    @staticmethod
    def pairing(_connection):
        return PairingConfig(sc=True, mitm=True, bonding=True, delegate=ShowsPasskey())

    def services(self):
        return [Service(short(0xFF20), [
            self.fixed(short(0xFF21), b"gold", READABLE | ENCRYPTED_READ | AUTHENTICATED_READ)])]


class ComparesNumbers(PairingDelegate):
    """A display and a button that is always pressed for yes."""

    def __init__(self):
        super().__init__(PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT)


class Panel(Peripheral):
    """Wants both sides to compare a number, and agrees."""
    key, name, rssi = "panel", "Lab Panel", -68
    advert = (advertising.name("Lab Panel"), advertising.services(0xFF30))

    @staticmethod
    def pairing(_connection):
        return PairingConfig(sc=True, mitm=True, bonding=True, delegate=ComparesNumbers())

    def services(self):
        return [Service(short(0xFF30), [
            self.fixed(short(0xFF31), b"panel", READABLE | ENCRYPTED_READ | AUTHENTICATED_READ)])]


class TypesNumber(PairingDelegate):
    """A keyboard, on which somebody types what `labctl radio type` says."""

    def __init__(self, typed):
        super().__init__(PairingDelegate.KEYBOARD_INPUT_ONLY)
        self.typed = typed

    async def get_number(self):
        return await self.typed.get()


class Keypad(Peripheral):
    """Wants the number that the other side shows to be typed in."""
    key, name, rssi = "keypad", "Lab Keypad", -69
    advert = (advertising.name("Lab Keypad"), advertising.services(0xFF38))

    def __init__(self, air, number, options):
        self.typed = asyncio.Queue()
        super().__init__(air, number, options)

    def pairing(self, _connection):
        return PairingConfig(sc=True, mitm=True, bonding=True, delegate=TypesNumber(self.typed))

    def services(self):
        return [Service(short(0xFF38), [
            self.fixed(short(0xFF39), b"keypad", READABLE | ENCRYPTED_READ | AUTHENTICATED_READ)])]
