"""Connecting, discovering, disconnecting."""
import time

from contract import require
from gateway import expect_failure


def connect(bench):
    """Connect, again, disconnect, again; the link's topics follow."""
    gateway, dev = bench.gateway, bench["hrm"]
    mark = gateway.mark
    first = gateway.ok("connect", dev)
    require(first["already"] is False and first["address"] == dev, f"{first}")
    require(first["mtu"] is None or first["mtu"] >= 23, f"{first}")
    link = gateway.state("dev", dev, "link", is_=("connected", "resolved"))
    require(link.get("owner") == "self", f"{link}")
    require(gateway.ok("connect", dev)["already"] is True, "already")
    require(gateway.ok("disconnect", dev)["already"] is False, "already")
    gateway.state("dev", dev, "link", is_="disconnected")
    require(gateway.ok("disconnect", dev)["already"] is True, "already")
    events = [message.body["event"] for message in gateway.on("dev", dev, "event", since=mark)]
    require("connected" in events and "disconnected" in events, f"events {events}")
    return f"states {gateway.states('dev', dev, 'link', since=mark)}, mtu {first['mtu']}"


def connect_by_filter(bench):
    """The gateway finds the device itself."""
    gateway = bench.gateway
    body = gateway.ok("connect", match={"services": ["6e400001-b5a3-f393-e0a9-e50e24dcca9e"]})
    require(body.get("address") == bench["uart"] and body.get("dev") == bench["uart"], f"{body}")
    gateway.ok("disconnect", bench["uart"])


def connect_while_scanning(bench):
    """A lasting scan does not keep a device from being connected, and goes on afterwards."""
    gateway = bench.gateway
    gateway.ok("scan.start", session="meanwhile", emit="all")
    try:
        began = time.monotonic()
        gateway.ok("connect", bench["wide"])
        seconds = time.monotonic() - began
        gateway.wait(lambda message: message.topic == gateway.path("scan", "meanwhile"), 20, "a report afterwards")
    finally:
        gateway.ok("scan.stop", session="meanwhile")
    gateway.ok("disconnect", bench["wide"])
    return f"after {seconds:.1f} s"


def discover(bench):
    """The tree has services, characteristics with properties and handles, descriptors; what is missing is named."""
    gateway, dev = bench.gateway, bench["hrm"]
    services = {service["uuid"]: service for service in gateway.ok("discover", dev)["services"]}
    require({"180d", "180f", "180a"} <= set(services), f"{list(services)}")
    heart = {one["uuid"]: one for one in services["180d"]["characteristics"]}
    require(services["180d"]["primary"] is True, "primary")
    require(heart["2a37"]["properties"] == ["notify"] and heart["2a39"]["properties"] == ["write"], f"{heart}")
    require([one["uuid"] for one in heart["2a37"]["descriptors"]] == ["2902"], f"{heart['2a37']}")
    require(all(type(one["handle"]) is int for one in heart.values()), f"{heart}")
    only = gateway.ok("discover", dev, services=["180f"])["services"]
    require([service["uuid"] for service in only] == ["180f"], f"{only}")
    failure = gateway.fails("no-service", "discover", dev, services=["180d", "fff7"])
    require(failure["error"].get("missing") == ["fff7"], f"{failure['error']}")
    failure = gateway.fails("no-characteristic", "discover", dev, services=["180d"], characteristics=["2a37", "fff8"])
    require(failure["error"].get("missing") == ["fff8"], f"{failure['error']}")
    gateway.ok("disconnect", dev)
    return f"{len(services)} services"


def out_of_range(bench):
    """A device that is not there is searched for within the time-out, a malformed name is refused."""
    failure = bench.gateway.send("connect", "c0ffee00ffff", timeoutMs=3000)
    expect_failure(failure.result(), "not-in-range")
    require(failure.seconds < 5, f"the answer took {failure.seconds:.1f} s")
    bench.gateway.fails("unknown-device", "read", "no-such-alias", service="180d", characteristic="2a38")
    return f"after {failure.seconds:.2f} s"


def idle(bench):
    """A link on demand goes by itself when there is nothing to do (10 s by default)."""
    gateway, dev = bench.gateway, bench["public"]
    gateway.ok("read", dev, service="180f", characteristic="2a19")
    gateway.state("dev", dev, "link", is_=("connected", "resolved"))
    gateway.state("dev", dev, "link", is_="disconnected", seconds=25)


CHECKS = (connect, connect_by_filter, connect_while_scanning, discover, out_of_range, idle)
