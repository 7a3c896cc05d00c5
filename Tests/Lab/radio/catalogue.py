"""All devices of the lab, by key."""
from .advertisers import BTHome, Eddystone, IBeacon, Nameless, NameInScanResponse, Stealth
from .conversational import FramedCommands, Uart
from .health import HeartRateBelt, PublicBattery
from .secured import Keypad, Lock, Panel, Vault
from .unreliable import Flaky, Mute, Quitter
from .values import LongValues, Odd, WideValues

# The place in the list makes the address: C0:FF:EE:00:00:NN, of a beacon C0:FF:EE:00:01:NN.
CONNECTABLE = (HeartRateBelt, Uart, FramedCommands, Lock, Vault, Quitter, LongValues, WideValues, Odd,
               PublicBattery, Mute, Flaky, Nameless, NameInScanResponse, Panel, Keypad)
BEACONS = (IBeacon, BTHome, Eddystone, Stealth)


def build(air, options, wanted=None):
    """The devices whose keys are in `wanted` (all of them without it), by key, not yet started.

    Raises ValueError for a key that no device has.
    """
    known = {kind.key for kind in CONNECTABLE + BEACONS}
    if unknown := set(wanted or ()) - known:
        raise ValueError(f"no such device: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    return {kind.key: kind(air, number, options)
            for kinds in (CONNECTABLE, BEACONS)
            for number, kind in enumerate(kinds, 1)
            if not wanted or kind.key in wanted}
