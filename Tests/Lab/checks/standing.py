"""Links that are to stand (`keep`, a subscription): whatever ends them, they come back without a command."""
import signal

from contract import require
from gateway import expect_failure
from notifications import RATE
from transactions import rules

KEEP = {"policy": "keep"}
SLOW = {"service": "ff50", "characteristic": "ff57"}
UNSURE = ("bus-lost", "outcome-unknown")


class Standing:
    """A belt whose link is kept with a subscription, and what its topics have said since a moment."""

    def __init__(self, bench, key="hrm"):
        self.bench, self.gateway, self.key, self.dev = bench, bench.gateway, key, bench[key]
        self.values = self.gateway.path("dev", self.dev, "notify", "180d", "2a37")
        self.since = 0

    def begin(self, **subscription):
        self.gateway.ok("connect", self.dev, link=KEEP)
        self.gateway.ok("subscribe", self.dev, **RATE, **subscription)
        since = self.gateway.mark
        self.gateway.wait(lambda message: message.topic == self.values, 20, "a value", since=since)
        self.since = self.gateway.mark

    def end(self):
        self.gateway.ok("unsubscribe", self.dev, **RATE)
        self.gateway.ok("disconnect", self.dev, link={})

    def events(self):
        return [message.body for message in self.gateway.on("dev", self.dev, "event", since=self.since)]

    def words(self):
        return [event["event"] for event in self.events()]

    def link_ends(self, *reasons):
        """The end of the link is told with its reason, on the topic and as an event."""
        link = self.gateway.state("dev", self.dev, "link", is_=("disconnected", "connecting"))
        self.gateway.until(lambda: "disconnected" in self.words(), 10, "the event disconnected")
        event = next(event for event in self.events() if event["event"] == "disconnected")
        require(event.get("reason") in reasons, f"the reason of the end is {event.get('reason')!r}")
        require(link.get("owner") is None, f"a link that is none has an owner: {link}")

    def comes_back(self, seconds=60):
        """Link, subscription and values are there again, each told once; answers after how many seconds."""
        gateway = self.gateway
        began = gateway.messages[self.since].at
        gateway.until(lambda: "subscription-restored" in self.words(), seconds, f"the subscription after {self.words()}")
        link = gateway.state("dev", self.dev, "link", is_="resolved")
        require(link.get("owner") == "self" and "nextTryMs" not in link, f"{link}")
        told = next(message for message in gateway.on("dev", self.dev, "event", since=self.since)
                    if message.body["event"] == "subscription-restored")
        since = gateway.mark
        gateway.wait(lambda message: message.topic == self.values, 20, "a value afterwards", since=since)
        # What is made twice brings each value twice, and is told again.
        gateway.pass_time(2)
        rates = [message.body["value"]["hex"] for message in gateway.messages[since:] if message.topic == self.values]
        require(len(set(rates)) == len(rates) > 5, f"values came twice, or hardly any: {rates}")
        require(self.words().count("subscription-restored") <= 1, f"restored more than once: {self.words()}")
        require(gateway.latest[gateway.path("dev", self.dev, "link")]["state"] == "resolved", "the link does not stand")
        require(gateway.latest[gateway.path("dev", self.dev, "avail")] == "online", "it is not online")
        return told.at - began


def in_flight(bench):
    """A read that takes 3 s and a command that waits for its answer, each on a link of its own."""
    gateway = bench.gateway
    gateway.ok("connect", bench["odd"])
    gateway.ok("connect", bench["cmd"])
    arrived = len(bench.written("cmd"))
    pending = (gateway.send("read", bench["odd"], **SLOW, timeoutMs=20_000),
               gateway.send("transact", bench["cmd"], **rules(4, packetTimeoutMs=15_000)))
    gateway.until(lambda: len(bench.written("cmd")) > arrived, 10, "the command at the device")
    return pending


def require_ended(pending, codes):
    """Both have ended soon; what may have changed something says so."""
    read, command = pending
    body = expect_failure(read.result(), codes)
    require(read.seconds < 10, f"the read ended after {read.seconds:.1f} s")
    told = [body["error"]["code"]]
    body = expect_failure(command.result(), codes)
    require(command.seconds < 10, f"the command ended after {command.seconds:.1f} s")
    require(body["applied"] == "maybe", f"applied is {body['applied']!r} of a command that was at the device")
    return told + [body["error"]["code"]]


def usable(bench):
    """The devices of the jobs that were cut off work again."""
    value = bench.gateway.ok("read", bench["odd"], service="ff50", characteristic="ff59", timeoutMs=40_000)["value"]
    require(value == {"hex": ""}, f"{value}")
    done = bench.gateway.ok("transact", bench["cmd"], **rules(1, b"ab", timeoutMs=40_000))
    require(bytes.fromhex(done["value"]["hex"])[3:] == b"ba", f"{done}")
    for key in ("odd", "cmd"):
        bench.gateway.ok("disconnect", bench[key])


def kept_dropped(bench):
    """The device ends a kept link: it is there again after a gap, with its subscription."""
    belt = Standing(bench)
    belt.begin()
    bench.radio("drop", "hrm")
    belt.link_ends("link-lost")
    waiting = bench.gateway.latest[bench.gateway.path("dev", belt.dev, "link")]
    require(waiting.get("attempt") == 1, f"which try comes next is not told: {waiting}")
    seconds = belt.comes_back()
    require(0.5 < seconds < 5, f"it was back after {seconds:.1f} s")
    belt.end()
    return f"back after {seconds:.1f} s: {belt.words()}"


def kept_lost(bench):
    """A device out of reach: the gaps grow, it counts as gone, and its return is noticed before the next gap is over."""
    belt = Standing(bench)
    gateway = bench.gateway
    # Its gaps are learned once it is in use, while somebody listens; the controller reports each device once in 10 s.
    gateway.ok("connect", belt.dev)
    gateway.ok("disconnect", belt.dev)
    gateway.ok("scan", durationMs=45_000)
    belt.begin()
    bench.radio("vanish", "hrm")
    gone = gateway.mark
    try:
        belt.link_ends("link-lost")
        topic = gateway.path("dev", belt.dev, "link")
        gateway.until(lambda: gateway.latest[topic].get("attempt", 0) >= 4, 120, "the fourth try")
        told = [message.body for message in gateway.messages[belt.since:] if message.topic == topic]
        gaps = {body["attempt"]: body["nextTryMs"] for body in told if body.get("nextTryMs")}
        require(list(gaps) == sorted(gaps) and list(gaps.values()) == sorted(gaps.values()), f"gaps {gaps}")
        offline = gateway.wait(lambda message: message.topic == gateway.path("dev", belt.dev, "avail")
                               and message.body == "offline", 120, "the device to be offline", since=gone)
        away = offline.at - gateway.messages[gone].at
        require(55 < away, f"it was offline after {away:.1f} s")
        gateway.until(lambda: "link" in gateway.latest[gateway.path("health")]["scan"]["holders"], 120,
                      "somebody who listens for its return")
    finally:
        mark = gateway.mark
        bench.radio("show", "hrm")
    shown = gateway.wait(lambda message: message.topic == topic and message.body["state"] == "resolved", 20,
                         "the link after the return", since=mark)
    heard = gateway.messages[mark].at
    belt.comes_back()
    belt.end()
    gateway.until(lambda: gateway.latest[gateway.path("health")]["scan"]["holders"] == [], 30, "the end of listening")
    return f"gaps {gaps}, offline after {away:.0f} s, resolved {shown.at - heard:.1f} s after it was there"


def kept_restart(bench):
    """bluetoothd restarted under kept links and jobs: each job has one result, the links come back."""
    belt = Standing(bench)
    belt.begin()
    cut, mark = in_flight(bench), bench.gateway.mark
    bench.signal_bluetoothd(signal.SIGTERM)
    bench.labctl("bluetoothd", "stop")
    bench.gateway.state("bluetooth", is_="absent")
    codes = require_ended(cut, ("link-lost", "device-removed", "bluetooth-unavailable", "adapter-off", *UNSURE))
    belt.link_ends("link-lost", "device-removed", "bluetooth-unavailable", "adapter-off")
    bench.gateway.fails("bluetooth-unavailable", "connect", belt.dev, timeoutMs=3000)
    bench.labctl("bluetoothd", "start")
    bench.gateway.state("bluetooth", is_="ready", seconds=60)
    seconds = belt.comes_back()
    usable(bench)
    belt.end()
    return f"back after {seconds:.1f} s, jobs {codes}, {bench.gateway.states('bluetooth', since=mark)}"


def kept_killed(bench):
    """bluetoothd killed under kept links and jobs."""
    belt = Standing(bench)
    belt.begin()
    cut, mark = in_flight(bench), bench.gateway.mark
    bench.kill_bluetoothd()
    bench.labctl("bluetoothd", "kill")
    bench.gateway.state("bluetooth", is_="absent")
    codes = require_ended(cut, ("link-lost", "device-removed", "bluetooth-unavailable", *UNSURE))
    belt.link_ends("bluetooth-unavailable")
    bench.labctl("bluetoothd", "start")
    bench.gateway.state("bluetooth", is_="ready", seconds=60)
    seconds = belt.comes_back()
    # bluetoothd may have its name before it has its adapter.
    states = [state for state in bench.gateway.states("bluetooth", since=mark) if state != "no-adapter"]
    require(states == ["absent", "ready"], f"{states}")
    usable(bench)
    belt.end()
    return f"back after {seconds:.1f} s, jobs {codes}, {belt.words()}"


def kept_unplugged(bench):
    """The adapter pulled out under kept links and jobs, and put back."""
    belt = Standing(bench)
    gateway = bench.gateway
    belt.begin()
    cut, mark = in_flight(bench), gateway.mark
    bench.radio("unplug", "0")
    gateway.state("bluetooth", is_="no-adapter")
    codes = require_ended(cut, ("link-lost", "device-removed", "adapter-missing", *UNSURE))
    belt.link_ends("link-lost", "device-removed")
    gateway.until(lambda: gateway.latest[gateway.path("adapter", "hci0")] == "", 10, "the adapter's empty topic")
    gateway.fails("adapter-missing", "connect", belt.dev, timeoutMs=3000)
    bench.radio("plug", "0")
    gateway.state("bluetooth", is_="ready", seconds=60)
    seconds = belt.comes_back()
    require(gateway.latest[gateway.path("adapter", "hci0")]["address"] == "00aa01000001", "another adapter")
    usable(bench)
    belt.end()
    return f"back after {seconds:.1f} s, jobs {codes}, {gateway.states('bluetooth', since=mark)}"


def kept_renumbered(bench):
    """The adapter comes back under another index, and later under its own."""
    belt = Standing(bench)
    gateway = bench.gateway
    belt.begin()
    mark = gateway.mark
    try:
        bench.radio("unplug", "0")
        gateway.state("bluetooth", is_="no-adapter")
        belt.link_ends("link-lost", "device-removed")
        # The kernel gives the lowest free number.
        bench.radio("plug", "1")
        gateway.until(lambda: (gateway.latest[gateway.path("adapter", "hci0")] or {}).get("address") == "00aa01000002",
                      30, "the spare adapter as hci0")
        bench.radio("plug", "0")
        bench.radio("unplug", "1")
        gateway.until(lambda: (gateway.latest.get(gateway.path("adapter", "hci1")) or {}).get("powered"), 30,
                      "the adapter as hci1")
        require(gateway.latest[gateway.path("adapter", "hci1")]["address"] == "00aa01000001", "another adapter")
        first = belt.comes_back()
        require(gateway.latest[gateway.path("adapter", "hci1")]["links"]["used"] == 1, "the link is not counted there")
        belt.since = gateway.mark
    finally:
        bench.radio("unplug", "0")
        gateway.state("bluetooth", is_="no-adapter")
        bench.radio("plug", "0")
        gateway.state("bluetooth", is_="ready", seconds=60)
    belt.link_ends("link-lost", "device-removed")
    second = belt.comes_back()
    require(gateway.latest[gateway.path("adapter", "hci1")] == "", "hci1 is still told of")
    require(gateway.latest[gateway.path("adapter", "hci0")]["links"]["used"] == 1, "the link is not counted there")
    belt.end()
    return f"back after {first:.1f} s and {second:.1f} s, {gateway.states('bluetooth', since=mark)}"


def kept_power(bench):
    """The adapter switched off and on under kept links and jobs, by command."""
    belt = Standing(bench)
    gateway = bench.gateway
    belt.begin()
    cut, mark = in_flight(bench), gateway.mark
    gateway.ok("adapter.power", on=False)
    try:
        gateway.state("bluetooth", is_="off")
        codes = require_ended(cut, ("link-lost", "adapter-off", *UNSURE))
        belt.link_ends("link-lost")
        gateway.fails("adapter-off", "connect", belt.dev, timeoutMs=3000)
    finally:
        gateway.ok("adapter.power", on=True)
    gateway.state("bluetooth", is_="ready", seconds=30)
    seconds = belt.comes_back()
    usable(bench)
    belt.end()
    return f"back after {seconds:.1f} s, jobs {codes}, {gateway.states('bluetooth', since=mark)}"


def agent_killed_standing(bench):
    """kill -9 of the agent: the link outlives it and is its own again, subscription and `keep` hold."""
    belt = Standing(bench)
    gateway = bench.gateway
    belt.begin(durable=True)
    links, boot = bench.links_made("hrm"), bench.boot
    gateway.ok("connect", bench["cmd"])
    before = len(bench.written("cmd"))
    begun = gateway.send("transact", bench["cmd"], **rules(4, packetTimeoutMs=15_000))
    # Behind it on the same device: accepted, not begun.
    waiting = gateway.send("transact", bench["cmd"], **rules(1, b"later", timeoutMs=40_000))
    gateway.until(lambda: len(bench.written("cmd")) > before, 10, "the command at the device")
    gateway.pass_time(0.5)
    bench.stop_agent(signal.SIGKILL)
    gateway.state("status", is_="lost", seconds=30)
    require(bench.link_state("hrm") == "connected", "the link did not outlive the agent")
    bench.start_agent()
    require(bench.boot != boot, "boot is not new")
    body = expect_failure(begun.result(), "outcome-unknown")
    require(body["applied"] == "maybe", f"applied is {body['applied']!r}")
    done = waiting.result()
    require(done["status"] == "ok", f"what waited ended as {done['status']}: {done.get('error')}")
    sent = [data for _, data in bench.written("cmd")[before:]]
    require([data[1] for data in sent] == [4, 1], f"arrived at the device: {sent}")
    belt.comes_back()
    require("disconnected" not in belt.words(), f"{belt.words()}")
    require(bench.links_made("hrm") == links, "the link was made anew")
    # It is still to stand, as a command of the earlier life has said.
    belt.since = gateway.mark
    bench.radio("drop", "hrm")
    belt.link_ends("link-lost")
    belt.comes_back()
    belt.end()
    gateway.ok("disconnect", bench["cmd"])
    return f"{body['error']['code']}, then {done['status']}"


def agent_stopped_standing(bench):
    """The agent ends in good order and starts again: the link is to stand still, and the subscription is made again."""
    belt = Standing(bench)
    gateway = bench.gateway
    belt.begin(durable=True)
    code = bench.stop_agent(signal.SIGTERM)
    require(code == 0, f"exit status {code}")
    gateway.state("status", is_="offline", seconds=5)
    bench.start_agent()
    seconds = belt.comes_back()
    belt.end()
    return f"back after {seconds:.1f} s: {belt.words()}, {bench.links_made('hrm')} links"


def agent_killed_connecting(bench):
    """kill -9 of the agent while a link is made: it is the next life's own, and goes when nobody needs it."""
    gateway, dev = bench.gateway, bench["mute"]
    gateway.ok("scan", durationMs=1500)
    pending = gateway.send("connect", dev, timeoutMs=20_000)
    gateway.pass_time(1)
    bench.stop_agent(signal.SIGKILL)
    bench.radio("fault", "mute", "none")
    try:
        gateway.state("status", is_="lost", seconds=30)
        require(bench.link_state("mute") == "connected", "no link came to be")
        bench.start_agent()
        body = pending.result()
        link = gateway.state("dev", dev, "link", is_=("connected", "resolved"))
        require(link["owner"] == "self", f"{link}")
        gateway.state("dev", dev, "link", is_="disconnected", seconds=25)
        require(bench.link_state("mute") != "connected", "the link is still there")
    finally:
        bench.radio("fault", "mute", "mute")
    return f"{body['status']} {body.get('error', {}).get('code', '')}"


def kept_flapping(bench):
    """bluetoothd killed again and again, and the adapter pulled out meanwhile: in the end there is one of everything."""
    belt = Standing(bench)
    gateway = bench.gateway
    belt.begin()
    for seconds in (0.1, 1.5, 4):
        bench.labctl("bluetoothd", "kill")
        bench.labctl("bluetoothd", "start")
        gateway.pass_time(seconds)
    bench.radio("unplug", "0")
    bench.labctl("bluetoothd", "kill")
    gateway.state("bluetooth", is_="absent")
    bench.labctl("bluetoothd", "start")
    gateway.state("bluetooth", is_="no-adapter")
    belt.since = gateway.mark
    bench.radio("plug", "0")
    gateway.state("bluetooth", is_="ready", seconds=60)
    seconds = belt.comes_back()
    belt.end()
    return f"back after {seconds:.1f} s: {belt.words()}"


CHECKS = (kept_dropped, kept_lost, kept_restart, kept_killed, kept_unplugged, kept_renumbered, kept_power,
          kept_flapping, agent_killed_standing, agent_killed_connecting,
          agent_stopped_standing)
