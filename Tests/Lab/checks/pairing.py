"""Devices that want pairing, and bonds that do not do any more."""
import subprocess

from contract import require
from gateway import expect_failure

SECRET = {"service": "ff10", "characteristic": "ff11"}


def needs_pairing(bench):
    """A value that wants pairing is refused, while bluetoothd leaves the request without an answer."""
    gateway, dev = bench.gateway, bench["lock"]
    gateway.ok("connect", dev)
    body = gateway.send("read", dev, **SECRET).result()
    expect_failure(body, "needs-pairing")
    require(gateway.ok("read", dev, service="ff10", characteristic="ff13")["value"] == {"hex": "6f70656e"}, "open")
    gateway.ok("disconnect", dev)
    return f"{body['error']}"


def stale_bond(bench):
    """A bond that the device has lost is told from a link that is merely bad."""
    gateway, dev = bench.gateway, bench["lock"]
    gateway.ok("connect", dev)
    path = "/org/bluez/hci0/dev_" + "_".join(dev[place:place + 2] for place in range(0, 12, 2)).upper()
    # Until there is a verb for it: another program pairs, and bluetoothd asks nobody for Just Works.
    subprocess.run(["dbus-send", "--system", "--print-reply", "--dest=org.bluez", path, "org.bluez.Device1.Pair"],
                   check=True, capture_output=True)
    require(gateway.ok("read", dev, **SECRET)["value"] == {"hex": b"secret".hex()}, "bonded")
    gateway.ok("disconnect", dev)
    require(gateway.ok("read", dev, **SECRET)["value"] == {"hex": b"secret".hex()}, "bonded, on a new link")
    gateway.ok("disconnect", dev)
    bench.labctl("radio", "forget", "lock")
    body = gateway.send("read", dev, **SECRET).result()
    expect_failure(body, "stale-bond")
    return f"{body['error']}, {body['timing']}"


CHECKS = (needs_pairing, stale_bond)
