"""Six links at once: jobs side by side, each device its own, and the end of all of them."""
from contract import require
from gateway import expect_failure
from standing import KEEP, SLOW, UNSURE
from transactions import rules
from values import UART

SIX = ("hrm", "uart", "cmd", "long", "wide", "odd")
BIG = bytes(i * 7 & 0xFF for i in range(512))


def used(gateway):
    return gateway.latest[gateway.path("adapter", "hci0")]["links"]["used"]


def connect_all(bench, **fields):
    """Connects the six side by side; answers after how many seconds the last link stood."""
    pending = [bench.gateway.send("connect", bench[key], **fields) for key in SIX]
    for one in pending:
        body = one.result()
        require(body["status"] == "ok", f"{one.dev}: {body.get('error')}")
    for key in SIX:
        bench.gateway.state("dev", bench[key], "link", is_="resolved")
        require(bench.link_state(key) == "connected", f"{key} does not know of its link")
    require(used(bench.gateway) == len(SIX), f"{used(bench.gateway)} links are told")
    return max(one.seconds for one in pending)


def jobs_on_all(bench):
    """Commands to all six at once: (device's key, command, whether its result is right)."""
    send = bench.gateway.send
    place = {"service": "ff40", "characteristic": "ff42"}
    return (
        ("hrm", send("read", bench["hrm"], service="180d", characteristic="2a38"), {"hex": "01"}),
        ("uart", send("write", bench["uart"], value={"utf8": "hello"}, mode="command", **UART), None),
        ("cmd", send("transact", bench["cmd"], **rules(2)), None),
        ("long", send("write", bench["long"], value={"hex": BIG.hex()}, **place), None),
        ("long", send("read", bench["long"], **place), {"hex": BIG.hex()}),
        ("wide", send("read", bench["wide"], service="ff40", characteristic="ff41"), {"hex": BIG.hex()}),
        ("odd", send("read", bench["odd"], **SLOW), {"hex": b"late".hex()}))


def six_at_once(bench):
    """Six links, four rounds of jobs on each side by side: all right, none waits for the slow device; then all go idle."""
    gateway, slowest = bench.gateway, 0
    seconds = connect_all(bench)
    mark = gateway.mark
    for _ in range(4):
        for key, pending, value in jobs_on_all(bench):
            body = pending.result()
            require(body["status"] == "ok", f"{key}: {body.get('error')}")
            require(value is None or body["result"]["value"] == value, f"{key}: another value")
            if key != "odd":
                slowest = max(slowest, pending.seconds)
    require(slowest < 2.5, f"a job waited {slowest:.1f} s beside a device that takes 3 s")
    lost = [message.topic for message in gateway.messages[mark:] if message.topic.endswith("/event")]
    require(not lost, f"links came or went: {lost}")
    bench.radio("drop", "wide")
    gateway.state("dev", bench["wide"], "link", is_="disconnected")
    gateway.until(lambda: used(gateway) == 5, 5, "five links")
    for key in SIX:
        if key != "wide":
            require(gateway.latest[gateway.path("dev", bench[key], "link")]["state"] == "resolved", f"{key} went too")
    for key in SIX:
        gateway.state("dev", bench[key], "link", is_="disconnected", seconds=25)
    gateway.until(lambda: used(gateway) == 0, 5, "no link")
    health = gateway.wait(lambda message: message.topic == gateway.path("health"), 15, "health").body
    require(health["queue"]["running"] == 0 and health["links"]["used"] == 0, f"{health}")
    return f"six links after {seconds:.1f} s, the slowest quick job {slowest:.2f} s"


def six_killed(bench):
    """bluetoothd killed under six kept links with a job on each: each job has one result, all links come back."""
    gateway = bench.gateway
    connect_all(bench, link=KEEP)
    jobs = [gateway.send("read", bench["odd"], **SLOW, timeoutMs=20_000)]
    gateway.pass_time(0.5)
    mark = gateway.mark
    jobs += [pending for key, pending, _ in jobs_on_all(bench) if key != "odd"]
    bench.kill_bluetoothd()
    codes = {}
    for pending in jobs:
        body = pending.result()
        code = body.get("error", {}).get("code", "ok")
        codes[code] = codes.get(code, 0) + 1
        if body["status"] != "ok":
            expect_failure(body, ("link-lost", "device-removed", "bluetooth-unavailable", *UNSURE))
    require(codes != {"ok": len(jobs)}, "nothing was cut off")
    bench.labctl("bluetoothd", "kill")
    bench.labctl("bluetoothd", "start")
    gateway.state("bluetooth", is_="ready", seconds=60)
    up = {}
    for key in SIX:
        message = gateway.wait(lambda message: message.topic == gateway.path("dev", bench[key], "link")
                               and isinstance(message.body, dict) and message.body["state"] == "resolved", 90,
                               f"{key} to be back", since=mark)
        up[key] = message.at - gateway.messages[mark].at
    gateway.pass_time(2)
    for key in SIX:
        link = gateway.latest[gateway.path("dev", bench[key], "link")]
        require(link["state"] == "resolved" and link["owner"] == "self", f"{key}: {link}")
    require(used(gateway) == len(SIX), f"{used(gateway)} links are told")
    for key, pending, value in jobs_on_all(bench):
        body = pending.result()
        require(body["status"] == "ok", f"{key}: {body.get('error')}")
        require(value is None or body["result"]["value"] == value, f"{key}: another value")
    for key in SIX:
        gateway.ok("disconnect", bench[key], link={})
    return f"jobs {codes}, the last was back {max(up.values()):.1f} s after the jobs were sent"


CHECKS = (six_at_once, six_killed)
