"""The corners of GATT: long values, limits, offsets, descriptors, equal UUIDs, errors."""
from contract import require
from values import UART

BIG = bytes(i * 7 & 0xFF for i in range(512))
LONG = {"long": 23, "wide": 517}
ODD = {"service": "ff50"}


def sample(length, seed):
    """Bytes in which a lost, doubled or exchanged part shows."""
    return bytes((i * seed + (i >> 8) * 31 + seed) & 0xFF for i in range(length))


def read_bytes(gateway, dev, **fields):
    return bytes.fromhex(gateway.ok("read", dev, **fields)["value"]["hex"])


def characteristics(gateway, dev, **fields):
    """Pairs of a service's and a characteristic's entry, in the order of discovery."""
    return [(service, one) for service in gateway.ok("discover", dev, **fields)["services"]
            for one in service["characteristics"]]


def long_values(bench):
    """512 bytes both ways at the smallest and at the largest MTU, byte by byte."""
    gateway, told = bench.gateway, {}
    for key, mtu in LONG.items():
        dev, place = bench[key], {"service": "ff40", "characteristic": "ff42"}
        told[key] = gateway.ok("connect", dev)["mtu"]
        require(told[key] in (mtu, None), f"{key}: the MTU is {told[key]}")
        require(read_bytes(gateway, dev, service="ff40", characteristic="ff41") == BIG, f"{key}: read otherwise")
        for length in (512, 511, mtu - 3, mtu - 2, 1, 0):
            value = sample(min(length, 512), mtu + length)
            before = len(bench.written(key))
            done = gateway.confirmed("response", "write", dev, value={"hex": value.hex()}, **place)
            require(done == {"bytes": len(value), "packets": 1}, f"{key}: {done}")
            arrived = [data for _, data in bench.written(key)[before:]]
            require(arrived == [value], f"{key}: {length} bytes became {[len(data) for data in arrived]}")
            require(read_bytes(gateway, dev, **place) == value, f"{key}: {length} bytes do not come back")
        gateway.fails("value-too-long", "write", dev, value={"hex": "00" * 513}, **place)
    return f"MTU {told}"


def long_offsets(bench):
    """A read begins where it is told to; behind the end is an error of the device."""
    gateway = bench.gateway
    for key in LONG:
        place = {"service": "ff40", "characteristic": "ff41"}
        for offset in (1, 21, 22, 256, 511, 512):
            got = read_bytes(gateway, bench[key], offset=offset, **place)
            require(got == BIG[offset:], f"{key}: from {offset} on {len(got)} bytes")
        failure = gateway.fails("att-error", "read", bench[key], offset=513, **place)
        require(failure["error"].get("att") == "0x07", f"{failure['error']}")


def long_limits(bench):
    """More than the attribute takes is refused by the device, and changes nothing."""
    gateway = bench.gateway
    for key in LONG:
        dev, place = bench[key], {"service": "ff40", "characteristic": "ff43"}
        value = sample(100, 13)
        gateway.confirmed("response", "write", dev, value={"hex": value.hex()}, **place)
        failure = gateway.fails("att-error", "write", dev, value={"hex": "5a" * 101}, **place)
        require(failure["error"].get("att") == "0x0d" and failure["applied"] == "no", f"{key}: {failure}")
        require(read_bytes(gateway, dev, **place) == value, f"{key}: the refused value was taken")


def chunks(bench):
    """A value that is cut arrives whole and in order, in packets that the link takes."""
    gateway, dev = bench.gateway, bench["uart"]
    mtu = gateway.ok("connect", dev)["mtu"] or 23
    room, value = min(mtu - 3, 512), sample(1500, 11)
    cuts = (("mtu", [room]), ({"size": 20, "gapMs": 5}, [20]), ({"first": 20, "then": 512}, [20, room]))
    for chunk, lengths in cuts:
        before = len(bench.written("uart"))
        done = gateway.confirmed("sent", "write", dev, value={"hex": value.hex()}, mode="command", chunk=chunk, **UART)
        gateway.pass_time(1)
        packets = [data for _, data in bench.written("uart")[before:]]
        require(b"".join(packets) == value, f"{chunk}: {sum(map(len, packets))} bytes arrived, or in another order")
        sizes = [len(packet) for packet in packets]
        expected = [lengths[min(i, len(lengths) - 1)] for i in range(len(sizes) - 1)]
        require(sizes[:-1] == expected and done == {"bytes": 1500, "packets": len(sizes)}, f"{chunk}: {sizes}, {done}")
    return f"packets of {room} bytes"


def descriptors(bench):
    """Descriptors are listed and read by UUID."""
    gateway, dev = bench.gateway, bench["odd"]
    listed = {one["uuid"]: [each["uuid"] for each in one["descriptors"]]
              for service, one in characteristics(gateway, dev) if service["uuid"] == "ff50"}
    require(listed["ff53"] == ["2901", "2904"] and listed["ff51"] == ["2902"], f"{listed}")
    require(listed["ff54"] == [], f"{listed}")
    for uuid, value in (("2901", b"Poke me"), ("2904", bytes([4, 0, 0, 0x27, 1, 0, 0]))):
        got = read_bytes(gateway, dev, characteristic="ff53", descriptor=uuid, **ODD)
        require(got == value, f"{uuid}: {got}")
    rest = read_bytes(gateway, dev, characteristic="ff53", descriptor="2901", offset=5, **ODD)
    require(rest == b"me", f"{rest}")


def equal_uuids(bench):
    """What stands more than once is listed each time, refused by UUID with its handles, and right by handle."""
    gateway, dev = bench.gateway, bench["odd"]
    tree = characteristics(gateway, dev)
    named = {}
    for service, uuid, values in (("ff50", "ff5a", [b"one", b"two", None]), ("ff60", "ff61", [b"first", b"second"])):
        handles = [one["handle"] for owner, one in tree if (owner["uuid"], one["uuid"]) == (service, uuid)]
        require(len(handles) == len(values), f"{uuid} at {handles}")
        for handle, value in zip(handles, values):
            got = read_bytes(gateway, dev, handle=handle)
            require(value is None or got == value, f"{uuid} at {handle}: {got}")
        failure = gateway.fails("ambiguous-characteristic", "read", dev, service=service, characteristic=uuid)
        require(all(str(handle) in failure["error"]["detail"] for handle in handles), f"{failure['error']}")
        named[uuid] = handles
    before = len(bench.written("odd"))
    gateway.confirmed("response", "write", dev, handle=named["ff5a"][2], value={"utf8": "third"})
    require([data for _, data in bench.written("odd")[before:]] == [b"third"], "another one was written")
    require(read_bytes(gateway, dev, handle=named["ff5a"][2]) == b"third", "another value comes back")
    require(read_bytes(gateway, dev, handle=named["ff5a"][0]) == b"one", "its twin was written")
    gateway.ok("write", dev, handle=named["ff5a"][2], value={"utf8": "three"})
    gateway.fails("no-characteristic", "read", dev, handle=named["ff5a"][0], service="ff60", characteristic="ff61")
    return f"{named}"


def discover_filtered(bench):
    """A filter keeps what it names, each instance of it, and tells what is missing."""
    gateway, dev = bench.gateway, bench["odd"]
    twice = gateway.ok("discover", dev, services=["FF60"])["services"]
    require([service["uuid"] for service in twice] == ["ff60", "ff60"], f"{twice}")
    some = characteristics(gateway, dev, services=["ff50"], characteristics=["ff5a", "ff53"])
    require([one["uuid"] for _, one in some] == ["ff53", "ff5a", "ff5a", "ff5a"], f"{some}")
    failure = gateway.fails("no-service", "discover", dev, services=["ff50", "fff7", "ff60", "fff9"])
    require(failure["error"].get("missing") == ["fff7", "fff9"], f"{failure['error']}")
    failure = gateway.fails("no-characteristic", "discover", dev, services=["ff50"], characteristics=["ff5a", "fff8"])
    require(failure["error"].get("missing") == ["fff8"], f"{failure['error']}")


def gatt_errors(bench):
    """Each error of a device has its code, and the link stays."""
    gateway, dev = bench.gateway, bench["odd"]
    gateway.ok("connect", dev)
    mark = gateway.mark
    for uuid, code, att in (("ff54", "att-error", "0x85"), ("ff55", "not-permitted", None),
                            ("ff56", "not-permitted", None)):
        error = gateway.fails(code, "read", dev, characteristic=uuid, **ODD)["error"]
        require(error.get("att") == att and error["stage"] == "operate", f"{uuid}: {error}")
        failure = gateway.fails("not-supported", "write", dev, characteristic=uuid, value={"hex": "00"}, **ODD)
        require(failure["applied"] == "no", f"{uuid}: {failure}")
    gateway.fails("not-supported", "write", dev, characteristic="ff53", value={"hex": "00"}, mode="command", **ODD)
    require(gateway.ok("connect", dev)["already"] is True, "the link went")
    require(not [message for message in gateway.on("dev", dev, "event", since=mark)], "something happened")


def slow_read(bench):
    """A device that takes three seconds is waited for, and what comes after it is not mixed up."""
    gateway, dev = bench.gateway, bench["odd"]
    gateway.ok("connect", dev)
    slow = gateway.send("read", dev, characteristic="ff57", **ODD)
    quick = gateway.send("read", dev, characteristic="ff53", **ODD)
    require(bytes.fromhex(slow.result()["result"]["value"]["hex"]) == b"late", "another value")
    require(bytes.fromhex(quick.result()["result"]["value"]["hex"]) == b"poke", "another value")
    require(2.5 < slow.seconds < 6, f"the answer took {slow.seconds:.1f} s")
    failure = gateway.fails("timeout", "read", dev, characteristic="ff57", timeoutMs=1000, **ODD)
    require(failure["error"]["stage"] == "operate", f"{failure['error']}")
    require(read_bytes(gateway, dev, characteristic="ff53", **ODD) == b"poke", "the next read")
    return f"after {slow.seconds:.2f} s"


CHECKS = (long_values, long_offsets, long_limits, chunks, descriptors, equal_uuids, discover_filtered, gatt_errors,
          slow_read)
