"""Subscriptions and what they bring."""
from contract import require

RATE = {"service": "180d", "characteristic": "2a37"}


def values_on(gateway, dev, service, characteristic, since):
    return gateway.on("dev", dev, "notify", service, characteristic, since=since)


def wait_for_values(gateway, dev, count, service, characteristic, since, seconds=20):
    for _ in range(count):
        if len(values_on(gateway, dev, service, characteristic, since)) >= count:
            break
        gateway.wait(lambda message: message.topic == gateway.path("dev", dev, "notify", service, characteristic),
                     seconds, f"values of {characteristic}")
    return values_on(gateway, dev, service, characteristic, since)


def notify(bench):
    """Subscribe, count without gaps, unsubscribe, silence."""
    gateway, dev = bench.gateway, bench["hrm"]
    mark = gateway.mark
    require(gateway.ok("subscribe", dev, **RATE)["already"] is False, "already")
    got = wait_for_values(gateway, dev, 6, "180d", "2a37", mark)
    require(gateway.ok("subscribe", dev, **RATE)["already"] is True, "already")
    got = values_on(gateway, dev, "180d", "2a37", mark)
    numbers = [message.body["n"] for message in got]
    require(numbers == list(range(numbers[0], numbers[0] + len(numbers))), f"n is {numbers}")
    rates = [bytes.fromhex(message.body["value"]["hex"])[1] for message in got]
    require([b - a for a, b in zip(rates, rates[1:])] in ([1] * (len(rates) - 1),), f"rates {rates}")
    for message in got:
        require(message.body["kind"] == "notify" and message.body["dropped"] == 0, f"{message.body}")
    require(gateway.ok("unsubscribe", dev, **RATE)["already"] is False, "already")
    quiet = gateway.mark
    gateway.pass_time(2)
    require(not values_on(gateway, dev, "180d", "2a37", quiet), "values after the end of the subscription")
    require(gateway.ok("unsubscribe", dev, **RATE)["already"] is True, "already")
    return f"{len(got)} values"


def notify_all_of_an_answer(bench):
    """An answer of several packets comes whole and in order."""
    gateway, dev = bench.gateway, bench["cmd"]
    mark = gateway.mark
    gateway.ok("subscribe", dev, service="ffe0", characteristic="ffe2")
    gateway.ok("write", dev, service="ffe0", characteristic="ffe1", value={"hex": "7e0200 80"}, mode="command")
    packets = [bytes.fromhex(message.body["value"]["hex"])
               for message in wait_for_values(gateway, dev, 4, "ffe0", "ffe2", mark)]
    answer = b"".join(packets)
    require([len(packet) for packet in packets] == [20, 20, 20, 16], f"{[len(p) for p in packets]}")
    require(answer[:3] == b"\x7e\x82\x48" and sum(answer[:-1]) & 0xFF == answer[-1], answer.hex())
    gateway.ok("unsubscribe", dev, service="ffe0", characteristic="ffe2")


def indicate(bench):
    """Indications are told from notifications."""
    gateway, dev = bench.gateway, bench["odd"]
    mark = gateway.mark
    gateway.ok("subscribe", dev, service="ff50", characteristic="ff51")
    gateway.ok("write", dev, service="ff50", characteristic="ff53", value={"utf8": "poke"})
    got = wait_for_values(gateway, dev, 1, "ff50", "ff51", mark)
    require(got[0].body["kind"] == "indicate", f"{got[0].body}")
    require(bytes.fromhex(got[0].body["value"]["hex"]) == b"poke", f"{got[0].body}")
    for word in ("once", "more", "again"):
        gateway.ok("write", dev, service="ff50", characteristic="ff53", value={"utf8": word})
    got = wait_for_values(gateway, dev, 4, "ff50", "ff51", mark)
    words = [bytes.fromhex(message.body["value"]["hex"]) for message in got]
    require(words == [b"poke", b"once", b"more", b"again"], f"{words}")
    require([message.body["n"] for message in got] == [1, 2, 3, 4], f"{[message.body for message in got]}")
    # What offers both notifies.
    gateway.ok("subscribe", dev, service="ff50", characteristic="ff52")
    gateway.ok("write", dev, service="ff50", characteristic="ff53", value={"utf8": "both"})
    both = wait_for_values(gateway, dev, 1, "ff50", "ff52", mark)
    require(both[0].body["kind"] == "notify" and both[0].body["value"] == {"hex": b"both".hex()}, f"{both[0].body}")
    gateway.ok("unsubscribe", dev, service="ff50", characteristic="ff52")
    gateway.ok("unsubscribe", dev, service="ff50", characteristic="ff51")
    gateway.fails("not-supported", "subscribe", dev, service="ff50", characteristic="ff53")


def resubscribe(bench):
    """After a lost link and a connect the subscription is there again, told by an event; each value comes once."""
    gateway, dev = bench.gateway, bench["hrm"]
    mark = gateway.mark
    gateway.ok("subscribe", dev, **RATE)
    wait_for_values(gateway, dev, 2, "180d", "2a37", mark)
    bench.radio("drop", "hrm")
    gateway.wait(lambda message: message.topic == gateway.path("dev", dev, "event")
                 and message.body.get("event") == "disconnected", 10, "the hang-up", since=mark)
    gateway.ok("connect", dev)
    gateway.wait(lambda message: message.topic == gateway.path("dev", dev, "event")
                 and message.body.get("event") == "subscription-restored", 40, "the restored subscription", since=mark)
    again = gateway.mark
    got = wait_for_values(gateway, dev, 5, "180d", "2a37", again)
    rates = [bytes.fromhex(message.body["value"]["hex"])[1] for message in got]
    require(len(set(rates)) == len(rates), f"values came twice: {rates}")
    gateway.ok("unsubscribe", dev, **RATE)
    gateway.ok("disconnect", dev)
    return f"events {[message.body['event'] for message in gateway.on('dev', dev, 'event', since=mark)]}"


CHECKS = (notify, notify_all_of_an_answer, indicate, resubscribe)
