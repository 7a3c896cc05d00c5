"""`transact`: framed commands, and what can go wrong in one."""
from contract import require

PLACE = {"service": "ffe0", "write": "ffe1", "notify": "ffe2"}
FRAMED = {"complete": {"length": {"offset": 2, "type": "u8", "adjust": 4}},
          "checksum": {"kind": "sum8", "send": True, "verify": True}}
STATUS = bytes(range(0x40, 0x40 + 72))


def frame(command, payload=b""):
    """A request without its sum, which the agent appends."""
    return bytes([0x7E, command, len(payload)]) + payload


def summed(data):
    return data + bytes([sum(data) & 0xFF])


def rules(command, payload=b"", **more):
    return {**PLACE, **FRAMED, "data": {"hex": frame(command, payload).hex()}, **more}


def answer_to(bench, command, payload=b"", **more):
    """Carries a command out that succeeds, and answers its result and the answer's payload."""
    result = bench.gateway.confirmed("notified", "transact", bench["cmd"], **rules(command, payload, **more))
    value = bytes.fromhex(result["value"]["hex"])
    require(value[:2] == bytes([0x7E, command | 0x80]) and value[2] == len(value) - 3, f"{result}")
    return result, value[3:]


def arrived(bench, before):
    return [data for _, data in bench.written("cmd")[before:]]


def on_notify(bench, since):
    """What came on the characteristic's topic since then."""
    return [bytes.fromhex(message.body["value"]["hex"])
            for message in bench.gateway.on("dev", bench["cmd"], "notify", "ffe0", "ffe2", since=since)]


def wait_for_notify(bench, count, since):
    bench.gateway.until(lambda: len(on_notify(bench, since)) >= count, 10, f"{count} packets")
    return on_notify(bench, since)


def transact(bench):
    """One packet there, one back; the sum is appended, checked and taken away."""
    before = len(bench.written("cmd"))
    result, payload = answer_to(bench, 1, bytes.fromhex("deadbeef"),
                                parse=[{"name": "back", "offset": 3, "type": "hex"}])
    require(payload == bytes.fromhex("efbeadde") and result["packets"] == 1, f"{result}")
    require(result["parsed"] == {"back": "efbeadde"} and "surplus" not in result, f"{result}")
    require(arrived(bench, before) == [summed(frame(1, bytes.fromhex("deadbeef")))], f"{arrived(bench, before)}")
    _, nothing = answer_to(bench, 1)
    require(nothing == b"", f"{nothing}")


def transact_values(bench):
    """An answer in four packets, and what it means."""
    parse = [{"name": "temperature", "offset": 3, "type": "i16le", "scale": 0.01, "unit": "°C"},
             {"name": "mode", "offset": 5, "type": "u8", "map": {"65": "manual", "66": "automatic"}},
             {"name": "alarm", "offset": 6, "type": "bool", "bit": 0},
             {"name": "serial", "offset": 7, "type": "hex", "length": 4},
             {"name": "big", "offset": 11, "type": "u32be"}, {"name": "gone", "offset": 3, "type": "u8", "none": 0x40},
             {"name": "text", "offset": 4, "type": "utf8", "length": 5}]
    result, payload = answer_to(bench, 2, accept={"prefix": {"hex": "7e82"}}, parse=parse)
    require(payload == STATUS and result["packets"] == 4, f"{result}")
    expected = {"temperature": 167.04, "mode": "automatic", "alarm": True, "serial": "44454647", "big": 0x48494A4B,
                "gone": None, "text": "ABCDE"}
    require(result["parsed"] == expected and result["units"] == {"temperature": "°C"}, f"{result}")
    failure = bench.gateway.fails("parse-failed", "transact", bench["cmd"],
                                  **rules(2, parse=[{"name": "far", "offset": 75, "type": "u8"}]))
    require("far" in failure["error"]["detail"], f"{failure['error']}")


def transact_pieces(bench):
    """A request in pieces arrives as one, with response and without."""
    gateway, payload = bench.gateway, bytes(range(60, 0, -1))
    request = summed(frame(1, payload))
    cuts = (({"size": 5, "gapMs": 5}, 5), ({"size": 5}, 5), ("mtu", 20), (None, 20))
    for mode in ("request", "command"):
        for chunk, size in cuts:
            before = len(bench.written("cmd"))
            result, back = answer_to(bench, 1, payload, mode=mode, **({"chunk": chunk} if chunk else {}))
            require(back == payload[::-1] and result["packets"] == 4, f"{mode} {chunk}: {result}")
            pieces = arrived(bench, before)
            require(pieces == [request[at:at + size] for at in range(0, len(request), size)], f"{mode} {chunk}: {pieces}")
    done = gateway.confirmed("response", "transact", bench["cmd"], service="ffe0", write="ffe1", mode="request",
                             data={"hex": frame(4).hex()}, checksum={"kind": "sum8", "send": True})
    require(done == {"bytes": 4, "packets": 1}, f"{done}")


def transact_ends(bench):
    """Every way to know an answer's end finds the same one."""
    gateway, dev = bench.gateway, bench["cmd"]
    whole = summed(bytes([0x7E, 0x82, 72]) + STATUS)
    request = {**PLACE, "data": {"hex": summed(frame(2)).hex()}}
    ways = ({"packets": 4}, {"bytes": 76}, {"suffix": {"hex": whole[-2:].hex()}}, {"idleMs": 400},
            {"match": {"offset": 70, "hex": whole[70:].hex()}})
    for complete in ways:
        result = gateway.confirmed("notified", "transact", dev, complete=complete, **request)
        require(bytes.fromhex(result["value"]["hex"]) == whole and result["packets"] == 4, f"{complete}: {result}")
    first = gateway.confirmed("notified", "transact", dev, **request)
    require(bytes.fromhex(first["value"]["hex"]) == whole[:20] and first["packets"] == 1, f"{first}")
    # What is left of that answer is not to be taken for the next one's.
    gateway.pass_time(0.5)
    cut = gateway.confirmed("notified", "transact", dev, complete={"bytes": 30}, **request)
    require(bytes.fromhex(cut["value"]["hex"]) == whole[:30], f"{cut}")
    require(bytes.fromhex(cut["surplus"]["hex"]) == whole[30:40], f"{cut}")
    gateway.pass_time(0.5)


def transact_failures(bench):
    """No answer, a wrong one, a refusal, a hang-up: each has its code, and the next command works."""
    gateway, dev = bench.gateway, bench["cmd"]
    answer_to(bench, 1, b"before")
    silent = gateway.send("transact", dev, **rules(4, packetTimeoutMs=700))
    body = silent.result()
    require(body["status"] == "timeout" and body["error"]["code"] == "timeout", f"{body}")
    require(body["error"]["stage"] == "operate" and body["applied"] == "maybe", f"{body}")
    require(0.6 < silent.seconds < 3, f"the end came after {silent.seconds:.1f} s")
    wrong = gateway.fails("bad-checksum", "transact", dev, **rules(5))
    require(wrong["applied"] != "no" and "result" not in wrong, f"{wrong}")
    refused = gateway.fails("response-rejected", "transact", dev, **rules(
        9, accept={"prefix": {"hex": "7e89"}}, fail={"prefix": {"hex": "7eff"}}))
    require(refused["applied"] == "maybe", f"{refused}")
    ignored = gateway.fails("timeout", "transact", dev, **rules(
        9, accept={"prefix": {"hex": "7e89"}}, packetTimeoutMs=500))
    require("0 packets" in ignored["error"]["detail"], f"{ignored['error']}")
    cut = gateway.send("transact", dev, **rules(6))
    body = cut.result()
    require(body["status"] == "failed" and body["error"]["code"] == "link-lost", f"{body}")
    require(body["applied"] == "maybe" and cut.seconds < 10, f"{cut.seconds:.1f} s, {body}")
    _, back = answer_to(bench, 1, b"after")
    require(back == b"retfa", f"{back}")
    return f"no answer told after {silent.seconds:.2f} s, the hang-up after {cut.seconds:.2f} s"


def transact_long_connection(bench):
    """With `never` the packets go to the topic that the result names, until lease or `unsubscribe` end it."""
    gateway, dev = bench.gateway, bench["cmd"]
    never = {**PLACE, "data": {"hex": frame(2).hex()}, "complete": "never", "checksum": {"kind": "sum8", "send": True}}
    echo = {"service": "ffe0", "characteristic": "ffe1", "value": {"hex": summed(frame(1, b"ab")).hex()}}
    reply = summed(bytes([0x7E, 0x81, 2]) + b"ba")
    for lease in (3000, None):
        mark = gateway.mark
        body = gateway.ok("transact", dev, **never, **({"leaseMs": lease} if lease else {}))
        held = body["subscription"]
        require(held["topic"] == gateway.path("dev", dev, "notify", "ffe0", "ffe2"), f"{body}")
        require(held["already"] is False and held.get("leaseMs") == lease, f"{body}")
        packets = wait_for_notify(bench, 4, mark)
        require(b"".join(packets)[3:-1] == STATUS, f"{packets}")
        gateway.ok("write", dev, **echo)
        require(wait_for_notify(bench, 5, mark)[4] == reply, f"{on_notify(bench, mark)}")
        if lease:
            gateway.pass_time(lease / 1000 + 0.5)
        else:
            require(gateway.ok("unsubscribe", dev, service="ffe0", characteristic="ffe2")["already"] is False, "ended")
        over = gateway.mark
        gateway.ok("write", dev, **echo)
        gateway.pass_time(1)
        require(on_notify(bench, over) == [], "packets after the end")
        require(gateway.ok("unsubscribe", dev, service="ffe0", characteristic="ffe2")["already"] is True, "not ended")


def transact_and_subscribe(bench):
    """Who has subscribed hears the packets of an answer too, and goes on hearing."""
    gateway, dev = bench.gateway, bench["cmd"]
    gateway.ok("subscribe", dev, service="ffe0", characteristic="ffe2")
    mark = gateway.mark
    answer_to(bench, 2)
    require(b"".join(wait_for_notify(bench, 4, mark))[3:-1] == STATUS, f"{on_notify(bench, mark)}")
    answer_to(bench, 1, b"more")
    packets = wait_for_notify(bench, 5, mark)
    require(packets[4] == summed(bytes([0x7E, 0x81, 4]) + b"erom") and len(packets) == 5, f"{packets}")
    gateway.ok("unsubscribe", dev, service="ffe0", characteristic="ffe2")
    gateway.ok("disconnect", dev)


CHECKS = (transact, transact_values, transact_pieces, transact_ends, transact_failures, transact_long_connection,
          transact_and_subscribe)
