"""Devices that hang up, go silent or never answer."""
from contract import require
from gateway import expect_failure


def quitter(bench):
    """A device that hangs up is seen to; the next read connects again."""
    gateway, dev = bench.gateway, bench["quitter"]
    mark = gateway.mark
    gateway.ok("connect", dev)
    gateway.state("dev", dev, "link", is_=("connected", "resolved"))
    gateway.wait(lambda message: message.topic == gateway.path("dev", dev, "event")
                 and message.body.get("event") == "disconnected", 10, "the hang-up", since=mark)
    gateway.state("dev", dev, "link", is_="disconnected")
    value = gateway.ok("read", dev, service="ff30", characteristic="ff31")["value"]["hex"]
    require(bytes.fromhex(value) == b"still here", value)
    return f"reason {gateway.latest[gateway.path('dev', dev, 'event')].get('reason')!r}"


def hang_up_in_answer(bench):
    """A device that hangs up half way through its answer."""
    gateway, dev = bench.gateway, bench["cmd"]
    mark = gateway.mark
    gateway.ok("subscribe", dev, service="ffe0", characteristic="ffe2")
    gateway.ok("write", dev, service="ffe0", characteristic="ffe1", value={"hex": "7e060084"}, mode="request")
    gateway.wait(lambda message: message.topic == gateway.path("dev", dev, "event")
                 and message.body.get("event") == "disconnected", 10, "the hang-up", since=mark)
    gateway.ok("unsubscribe", dev, service="ffe0", characteristic="ffe2")
    gateway.ok("disconnect", dev)


def vanish(bench):
    """The link is lost in the middle of a read: told at once, and the device is usable when it is back."""
    gateway, dev = bench.gateway, bench["odd"]
    gateway.ok("connect", dev)
    pending = gateway.send("read", dev, service="ff50", characteristic="ff57", timeoutMs=20_000)
    gateway.pass_time(1)
    bench.radio("vanish", "odd")
    try:
        expect_failure(pending.result(), "link-lost")
        require(pending.seconds < 5, f"the answer took {pending.seconds:.1f} s")
        gateway.state("dev", dev, "link", is_="disconnected")
        gone = gateway.send("read", dev, service="ff50", characteristic="ff59", timeoutMs=6000)
        failure = expect_failure(gone.result(), ("connect-timeout", "not-in-range", "connect-failed"))
        require(gone.seconds < 8, f"the answer took {gone.seconds:.1f} s")
    finally:
        bench.radio("show", "odd")
    gateway.ok("read", dev, service="ff50", characteristic="ff59", timeoutMs=30_000)
    return f"link-lost after {pending.seconds:.2f} s, then {failure['error']['code']} after {gone.seconds:.2f} s"


def meanwhile(pending, seconds):
    """A job of another device that must not have to wait."""
    body = pending.result()
    require(body["status"] == "ok", f"another device failed: {body.get('error')}")
    require(pending.seconds < seconds, f"another device waited {pending.seconds:.1f} s")


def mute(bench):
    """A silent device fails within its time-out and holds up nobody else."""
    gateway = bench.gateway
    gateway.ok("connect", bench["hrm"])
    gateway.ok("scan", durationMs=1500)         # bluetoothd forgets a device 30 s after it was heard
    pending = gateway.send("connect", bench["mute"], timeoutMs=8000)
    gateway.pass_time(0.5)
    other = gateway.send("read", bench["hrm"], service="180d", characteristic="2a38")
    meanwhile(other, 2)
    body = expect_failure(pending.result(), "connect-timeout")
    require(7 < pending.seconds < 10, f"the answer took {pending.seconds:.1f} s")
    gateway.ok("read", bench["public"], service="180f", characteristic="2a19")
    return f"after {pending.seconds:.2f} s: {body['error']}"


def flaky(bench):
    """A device that loses each link at once is tried until the time is up."""
    gateway = bench.gateway
    gateway.ok("scan", durationMs=1500)
    pending = gateway.send("connect", bench["flaky"], timeoutMs=6000)
    body = expect_failure(pending.result(), ("connect-timeout", "discover-timeout"))
    require(body["error"].get("dbus"), "the last error is not named")
    require(pending.seconds < 8, f"the answer took {pending.seconds:.1f} s")
    return f"after {pending.seconds:.2f} s: {body['error']}"


def never(bench):
    """A read that is never answered ends at its time-out; afterwards the device works again."""
    gateway, dev = bench.gateway, bench["odd"]
    gateway.ok("connect", dev)
    pending = gateway.send("read", dev, service="ff50", characteristic="ff58", timeoutMs=3000)
    expect_failure(pending.result(), "timeout")
    require(2.5 < pending.seconds < 5, f"the answer took {pending.seconds:.1f} s")
    other = gateway.send("read", bench["hrm"], service="180d", characteristic="2a38")
    meanwhile(other, 5)
    # The device stays busy until the unanswered call has settled: ATT gives up after 30 s.
    after = gateway.send("read", dev, service="ff50", characteristic="ff59", timeoutMs=60_000)
    body = after.result(120)
    require(body["status"] == "ok", f"the device does not work afterwards: {body.get('error')}")
    gateway.ok("disconnect", dev)
    return f"timeout after {pending.seconds:.2f} s, the next read after {after.seconds:.1f} s"


CHECKS = (quitter, hang_up_in_answer, vanish, mute, flaky, never)
