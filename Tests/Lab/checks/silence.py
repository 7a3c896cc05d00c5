"""Kept links to devices that are silent or lose each link: the tries go on with gaps, end where they shall, disturb nobody."""
from contract import require
from faults import meanwhile

HEART = {"service": "180d", "characteristic": "2a38"}


def tries(gateway, dev, since):
    """What the link's topic told of each try that came next: its number and the gap before it."""
    gaps = {}
    for message in gateway.on("dev", dev, "link", since=since):
        body = message.body if isinstance(message.body, dict) else {}
        if body.get("state") == "disconnected" and body.get("nextTryMs"):
            # What is told again meanwhile is the rest of it.
            gaps[body["attempt"]] = max(body["nextTryMs"], gaps.get(body["attempt"], 0))
    return gaps


def require_growing(gaps):
    """Each gap is longer than the one before, by about the factor two."""
    require(len(gaps) >= 3, f"hardly any tries: {gaps}")
    values = [gaps[number] for number in sorted(gaps)]
    require(all(1.2 < later / earlier < 3.4 for earlier, later in zip(values, values[1:])), f"gaps {gaps}")


def lasting(bench, key, fault):
    """A kept device with a fault from the start: tried again and again while others work, up once it is well."""
    gateway, dev = bench.gateway, bench[key]
    gateway.ok("scan", durationMs=1500)
    mark = gateway.mark
    # There is no link whose making could succeed: what is said of links comes with a `disconnect`.
    gateway.ok("disconnect", dev, link={"policy": "keep"})
    first = gateway.send("connect", dev, timeoutMs=5000)
    require(first.result()["error"]["code"] == "connect-timeout", "it was reached")
    gateway.until(lambda: len(tries(gateway, dev, mark)) >= 3, 200, f"three tries: {tries(gateway, dev, mark)}")
    other = gateway.send("read", bench["hrm"], **HEART)
    meanwhile(other, 5)
    require_growing(tries(gateway, dev, mark))
    require(gateway.states("dev", dev, "link", since=mark).count("connected") == 0, "a link was told that was none")
    bench.radio("fault", key, "none")
    try:
        link = gateway.state("dev", dev, "link", is_="resolved", seconds=90)
        require(link["owner"] == "self", f"{link}")
        require(gateway.latest[gateway.path("dev", dev, "avail")] == "online", "it is not online")
    finally:
        bench.radio("fault", key, fault)
    gateway.ok("disconnect", dev, link={})
    return f"gaps {tries(gateway, dev, mark)}"


def kept_silent(bench):
    """A silent device whose link is to stand."""
    return lasting(bench, "mute", "mute")


def kept_flaky(bench):
    """A device that loses each link at once, whose link is to stand."""
    return lasting(bench, "flaky", "flaky")


def given_up(bench):
    """`maxAttempts`: after so many tries in a row it is given up and said to be; a command that succeeds begins anew."""
    gateway, dev = bench.gateway, bench["hrm"]
    gateway.ok("connect", dev, link={"policy": "keep", "maxAttempts": 2})
    mark = gateway.mark
    bench.radio("fault", "hrm", "flaky")
    bench.radio("drop", "hrm")
    gateway.until(lambda: gateway.latest[gateway.path("dev", dev, "link")].get("reason") == "max-attempts", 120,
                  "the end of the tries")
    link, over = gateway.latest[gateway.path("dev", dev, "link")], gateway.mark
    require(link["state"] == "disconnected" and link["attempt"] == 2 and "nextTryMs" not in link, f"{link}")
    bench.radio("fault", "hrm", "none")
    gateway.pass_time(20)
    require(not gateway.on("dev", dev, "link", since=over), "something was tried afterwards")
    gateway.ok("connect", dev)
    mark = gateway.mark
    bench.radio("drop", "hrm")
    gateway.state("dev", dev, "link", is_="disconnected")
    gateway.state("dev", dev, "link", is_="resolved", seconds=20)
    gateway.ok("disconnect", dev, link={})
    require("connected" in gateway.states("dev", dev, "link", since=mark), "the link")


CHECKS = (kept_silent, kept_flaky, given_up)
