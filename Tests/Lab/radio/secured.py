"""Devices that want a paired link."""
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
