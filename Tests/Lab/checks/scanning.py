"""Scans, and what was heard."""
from contract import require


def by_name(devices):
    return {device["name"]: device for device in devices}


def scan(bench):
    """One scan finds every kind of advertisement, with its data in the contract's form."""
    result = bench.gateway.ok("scan", durationMs=3000)
    require(result["truncated"] is False, "a short list is truncated")
    found = {device["dev"]: device for device in result["devices"]}
    missing = [key for key, device in bench.devices.items() if device.dev not in found]
    require(not set(missing) - {"stealth"}, f"not found: {missing}")
    device = {key: found[bench[key]] for key in bench.devices if key not in missing}
    heart = device["hrm"]
    require(heart["name"] == bench.devices["hrm"].name, f"name {heart['name']!r}")
    require({"180d", "180f"} <= set(heart["uuids"]), f"uuids {heart['uuids']}")
    require(heart["rssi"] == -52 and heart["addressType"] == "random", f"{heart}")
    require(heart["address"] == bench["hrm"] and heart["adapter"] == "hci0", f"{heart}")
    require(heart["txPower"] is None and device["scanrsp"]["txPower"] == 4, "txPower")
    require(type(heart["signals"]) is int and heart["signals"] > 0 and heart["first"] <= heart["last"], f"{heart}")
    require(device["public"]["addressType"] == "public", "the public address has another type")
    require(device["cmd"]["manufacturer"] == {"ffff": b"cmd1".hex()}, f"{device['cmd']['manufacturer']}")
    require(device["ibeacon"]["manufacturer"]["004c"].startswith("0215"), f"{device['ibeacon']}")
    require(device["bthome"]["serviceData"]["fcd2"].startswith("40"), f"{device['bthome']}")
    require(device["eddy"]["serviceData"]["feaa"].startswith("10"), f"{device['eddy']}")
    require(device["noname"]["name"] is None, f"a device without a name is called {device['noname']['name']!r}")
    require(device["scanrsp"]["name"] == bench.devices["scanrsp"].name, "the name in the scan response is missing")
    return f"{len(found)} devices"


def scan_filter(bench):
    """Each filter lets the right devices through, and nothing that BlueZ only remembers."""
    def names(**conditions):
        return set(by_name(bench.gateway.ok("scan", durationMs=1500, **conditions)["devices"]))
    heart, wide = bench.devices["hrm"].name, {bench.devices[key].name for key in ("long", "wide")}
    require(names(services=["180D"]) == {heart}, "services")
    require(names(services=["ff40"]) == wide, "services")
    require(names(name=heart) == {heart}, "name")
    require(names(namePrefix="Lab W") == {bench.devices["wide"].name}, "namePrefix")
    require(names(addresses=[bench["hrm"]]) == {heart}, "addresses")
    require(heart in names(rssiMin=-56) and bench.devices["mute"].name not in names(rssiMin=-56), "rssiMin")
    bench.radio("hide", "hrm")
    try:
        require(heart not in names(), "a device that does not advertise is a result")
    finally:
        bench.radio("show", "hrm")


def scan_session(bench):
    """A lasting scan reports in its topic until it is stopped, beside a scan of another caller."""
    gateway = bench.gateway
    mark = gateway.mark
    started = gateway.ok("scan.start", session="watch", services=["180d"], emit="all")
    require(started == {"session": "watch", "already": False}, f"{started}")
    gateway.state("scan", "watch", "state", is_="started")
    gateway.wait(lambda message: message.topic == gateway.path("scan", "watch"), 20, "a report", since=mark)
    require(gateway.ok("scan.start", session="watch", services=["180d"], emit="all")["already"] is True, "already")
    gateway.ok("scan", durationMs=1000)
    for message in gateway.on("scan", "watch", since=mark):
        for device in message.body["devices"]:
            require(device["dev"] == bench["hrm"], f"the filter let {device['dev']} through")
    require(gateway.ok("scan.stop", session="watch")["session"] == "watch", "session")
    stopped = gateway.state("scan", "watch", "state", is_="stopped")
    quiet = gateway.mark
    gateway.pass_time(1)
    require(not gateway.on("scan", "watch", since=quiet), "reports after the stop")
    return f"{stopped['signals']} signals, {stopped['published']} published"


def rssi(bench):
    """The strength last heard, and not-in-range for what was never heard."""
    gateway = bench.gateway
    bench.radio("rssi", "wide", "-88")
    try:
        gateway.ok("scan", durationMs=1500)
        heard = gateway.ok("rssi", bench["wide"])
        require(heard["rssi"] == -88 and heard["source"] == "advertisement", f"{heard}")
        require(type(heard["ageMs"]) is int and 0 <= heard["ageMs"] < 10_000, f"{heard}")
    finally:
        bench.radio("rssi", "wide", "-62")
    gateway.fails("not-in-range", "rssi", "c0ffee00ffff")
    return f"{heard}"


CHECKS = (scan, scan_filter, scan_session, rssi)
