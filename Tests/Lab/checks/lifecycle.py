"""The gateway itself: its topics, bluetoothd and adapters that come and go, start and stop."""
import signal

from contract import check_stamp, require
from gateway import expect_failure


def topics(bench):
    """What is retained for everybody who comes later, and the envelope of a result."""
    gateway = bench.gateway
    status = gateway.state("status", is_="online")
    check_stamp(status, bench.GATEWAY)
    require(status["boot"] == gateway.latest[gateway.path("info")]["boot"], "boot differs")
    adapter = gateway.latest[gateway.path("adapter", "hci0")]
    require(adapter["powered"] is True and adapter["address"] == "00aa01000001", f"{adapter}")
    pong = gateway.ok("ping")
    require(isinstance(pong["version"], str) and type(pong["uptimeMs"]) is int, f"{pong}")
    require("limits" in gateway.ok("info") or "verbs" in gateway.ok("info"), "info says nothing")
    known = gateway.ok("devices")["devices"]
    require(known, "no device is known")
    return f"{len(known)} devices known"


def envelope(bench):
    """Refusals come at once, with the caller's id; MQTT 5's response topic and correlation are used."""
    gateway = bench.gateway
    gateway.fails("unknown-verb", "fly")
    gateway.fails("bad-request", "read", bench["hrm"], service=7)
    topic = gateway.path("res", gateway.client, "elsewhere", "x1")
    pending = gateway.send("ping", response_topic=topic, correlation=b"\x00\xff7")
    require(pending.result()["status"] == "ok", "ping")
    answer = [message for message in gateway.messages if message.topic == topic][-1]
    require(answer.properties.CorrelationData == b"\x00\xff7", "the correlation data differ")
    require(dict(answer.properties.UserProperty).get("status") == "ok", "the user property status is missing")
    require(answer.properties.ContentType == "application/json", "the content type differs")
    for payload in (b"", b"{", b"[]", b"\xff\xfe", b'{"id":"a","id":"b","verb":"ping"}', b"{" * 40):
        gateway.raw(payload, "cmd", gateway.client)
    gateway.ok("ping")


def restart(bench):
    """bluetoothd restarted with a link up: absent, ready, and commands work again."""
    gateway, dev = bench.gateway, bench["hrm"]
    gateway.ok("connect", dev)
    mark = gateway.mark
    bench.labctl("bluetoothd", "stop")
    gateway.state("bluetooth", is_="absent")
    gateway.fails("bluetooth-unavailable", "read", dev, service="180d", characteristic="2a38", timeoutMs=3000)
    bench.labctl("bluetoothd", "start")
    gateway.state("bluetooth", is_="ready", seconds=60)
    value = gateway.ok("read", dev, service="180d", characteristic="2a38", timeoutMs=40_000)["value"]
    require(value == {"hex": "01"}, f"{value}")
    return f"states {gateway.states('bluetooth', since=mark)}"


def restart_subscribed(bench):
    """After a restart of bluetoothd and a connect a subscription is there again, told by an event."""
    gateway, dev = bench.gateway, bench["hrm"]
    gateway.ok("subscribe", dev, service="180d", characteristic="2a37")
    mark = gateway.mark
    bench.labctl("bluetoothd", "stop")
    gateway.state("bluetooth", is_="absent")
    bench.labctl("bluetoothd", "start")
    gateway.state("bluetooth", is_="ready", seconds=60)
    gateway.ok("connect", dev, timeoutMs=40_000)
    gateway.wait(lambda message: message.topic == gateway.path("dev", dev, "event")
                 and message.body.get("event") == "subscription-restored", 60, "the restored subscription", since=mark)
    gateway.wait(lambda message: message.topic == gateway.path("dev", dev, "notify", "180d", "2a37"),
                 20, "a value after the restart")
    gateway.ok("unsubscribe", dev, service="180d", characteristic="2a37")
    gateway.ok("disconnect", dev)


def killed_daemon(bench):
    """bluetoothd killed while a read is under way: the read ends, the agent goes on."""
    gateway, dev = bench.gateway, bench["odd"]
    gateway.ok("connect", dev)
    pending = gateway.send("read", dev, service="ff50", characteristic="ff57", timeoutMs=20_000)
    gateway.pass_time(1)
    bench.kill_bluetoothd()
    bench.labctl("bluetoothd", "kill")
    body = expect_failure(pending.result(), ("bus-lost", "link-lost", "outcome-unknown", "bluetooth-unavailable",
                                             "device-removed"))
    require(pending.seconds < 10, f"the answer took {pending.seconds:.1f} s")
    bench.labctl("bluetoothd", "start")
    gateway.state("bluetooth", is_="ready", seconds=60)
    gateway.ok("read", dev, service="ff50", characteristic="ff59", timeoutMs=40_000)
    return f"{body['error']}"


def hanging_daemon(bench):
    """bluetoothd answers nothing any more: the agent asks it, connects to the bus anew, and works once it answers again."""
    gateway = bench.gateway
    places = {"hrm": ("180d", "2a38"), "odd": ("ff50", "ff59"), "wide": ("ff40", "ff41")}

    def reconnects():
        return gateway.latest[gateway.path("health")]["recoveries"]["bus-reconnect"]
    gateway.until(lambda: gateway.path("health") in gateway.latest, 30, "the health")
    before, mark = reconnects(), gateway.mark
    for key in places:
        gateway.ok("connect", bench[key])
    bench.signal_bluetoothd(signal.SIGSTOP)
    try:
        for key, (service, characteristic) in places.items():
            gateway.fails("timeout", "read", bench[key], service=service, characteristic=characteristic, timeoutMs=1000)
        gateway.state("bluetooth", is_="not-responding", seconds=120)
        gateway.until(lambda: reconnects() > before, 60, "a new connection to the bus")
    finally:
        bench.signal_bluetoothd(signal.SIGCONT)
    gateway.state("bluetooth", is_="ready", seconds=60)
    gateway.ok("read", bench["odd"], service="ff50", characteristic="ff59", timeoutMs=40_000)
    return f"states {gateway.states('bluetooth', since=mark)}"


def unplug(bench):
    """The adapter pulled out with a link up, and put back."""
    gateway, dev = bench.gateway, bench["hrm"]
    gateway.ok("connect", dev)
    mark = gateway.mark
    bench.radio("unplug", "0")
    gateway.state("bluetooth", is_="no-adapter")
    gateway.wait(lambda message: message.topic == gateway.path("adapter", "hci0") and message.body == "",
                 10, "the adapter's topic to be emptied", since=mark)
    gateway.fails("adapter-missing", "read", dev, service="180d", characteristic="2a38", timeoutMs=3000)
    bench.radio("plug", "0")
    gateway.state("bluetooth", is_="ready", seconds=60)
    gateway.ok("read", dev, service="180d", characteristic="2a38", timeoutMs=40_000)
    return f"states {gateway.states('bluetooth', since=mark)}"


def power(bench):
    """The adapter switched off with a link up, and on again, by command."""
    gateway, dev = bench.gateway, bench["hrm"]
    gateway.ok("connect", dev)
    require(gateway.ok("adapter.power", on=True)["already"] is True, "already")
    require(gateway.ok("adapter.power", on=False)["already"] is False, "already")
    gateway.state("bluetooth", is_="off")
    gateway.state("dev", dev, "link", is_="disconnected")
    gateway.fails("adapter-off", "read", dev, service="180d", characteristic="2a38", timeoutMs=3000)
    gateway.fails("adapter-off", "scan", durationMs=500)
    require(gateway.ok("adapter.power", adapter="hci0", on=True)["already"] is False, "already")
    gateway.state("bluetooth", is_="ready", seconds=30)
    gateway.ok("read", dev, service="180d", characteristic="2a38", timeoutMs=40_000)


def killed_agent(bench):
    """kill -9: the will says lost, and a new start takes everything up again."""
    gateway = bench.gateway
    first = gateway.latest[gateway.path("status")]["boot"]
    bench.stop_agent(signal.SIGKILL)
    lost = gateway.state("status", is_="lost", seconds=30)
    require(lost["boot"] == first, "the will has another boot")
    bench.start_agent()
    require(gateway.latest[gateway.path("status")]["boot"] != first, "boot is not new")
    gateway.ok("read", bench["hrm"], service="180d", characteristic="2a38", timeoutMs=40_000)
    gateway.ok("disconnect", bench["hrm"])


def stop(bench):
    """SIGTERM: offline, a clean end, and the link that it made is not left behind."""
    gateway = bench.gateway
    gateway.ok("connect", bench["public"])
    code = bench.stop_agent(signal.SIGTERM)
    require(code == 0, f"exit status {code}")
    gateway.state("status", is_="offline", seconds=5)
    gateway.pass_time(3)
    require(bench.link_state("public") != "connected", "the link is still there")
    bench.start_agent()


CHECKS = (topics, envelope, restart, restart_subscribed, killed_daemon, hanging_daemon, unplug, power, killed_agent,
          stop)
