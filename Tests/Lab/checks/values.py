"""Reads and writes."""
from contract import require

UART = {"service": "6e400001-b5a3-f393-e0a9-e50e24dcca9e", "characteristic": "6E400002B5A3F393E0A9E50E24DCCA9E"}


def read(bench):
    """Characteristics by UUID and by handle, a descriptor, an empty value, a long one."""
    gateway, dev = bench.gateway, bench["odd"]
    value = gateway.confirmed("read", "read", bench["hrm"], service="180d", characteristic="2a38")["value"]
    require(value == {"hex": "01"}, f"{value}")
    tree = gateway.ok("discover", dev)["services"]
    handles = [one["handle"] for service in tree for one in service["characteristics"] if one["uuid"] == "ff5a"]
    values = [bytes.fromhex(gateway.ok("read", dev, handle=handle)["value"]["hex"]) for handle in handles]
    require(values == [b"one", b"two", b"three"], f"{values}")
    described = gateway.ok("read", dev, service="ff50", characteristic="ff53", descriptor="2901")["value"]
    require(bytes.fromhex(described["hex"]) == b"Poke me", f"{described}")
    empty = gateway.ok("read", dev, service="ff50", characteristic="ff59")["value"]
    require(empty == {"hex": ""}, f"{empty}")
    big = bytes(i * 7 & 0xFF for i in range(512))
    for key in ("long", "wide"):
        got = gateway.ok("read", bench[key], service="ff40", characteristic="ff41")["value"]["hex"]
        require(bytes.fromhex(got) == big, f"{key}: {len(got) // 2} bytes")
    late = gateway.ok("read", dev, service="ff50", characteristic="ff57")["value"]
    require(bytes.fromhex(late["hex"]) == b"late", f"{late}")
    return f"ff5a at handles {handles}"


def read_errors(bench):
    """Each refusal has its own code."""
    gateway, dev = bench.gateway, bench["odd"]
    failure = gateway.fails("ambiguous-characteristic", "read", dev, service="ff50", characteristic="ff5a")
    gateway.fails("no-service", "read", dev, service="fff7", characteristic="ff5a")
    gateway.fails("no-characteristic", "read", dev, service="ff50", characteristic="fff8")
    gateway.fails("no-descriptor", "read", dev, service="ff50", characteristic="ff53", descriptor="fff9")
    gateway.fails("not-permitted", "read", dev, service="ff50", characteristic="ff55")
    gateway.fails("bad-request", "read", dev, service="not a uuid", characteristic="ff5a")
    return failure["error"].get("detail")


def att_error(bench):
    """The device's own error code reaches the caller."""
    gateway = bench.gateway
    failure = gateway.fails("att-error", "read", bench["odd"], service="ff50", characteristic="ff54")
    require(failure["error"].get("att") == "0x85", f"{failure['error']}")
    require(failure["error"]["stage"] == "operate", f"{failure['error']}")
    failure = gateway.fails("att-error", "write", bench["hrm"], service="180d", characteristic="2a39",
                            value={"hex": "05"})
    require(failure["error"].get("att") == "0x80", f"{failure['error']}")
    return f"{failure['error']}"


def write(bench):
    """With response: acknowledged, and it is at the device."""
    gateway = bench.gateway
    done = gateway.confirmed("response", "write", bench["hrm"], service="180d", characteristic="2a39",
                             value={"hex": "0x01"})
    require(done == {"bytes": 1, "packets": 1}, f"{done}")
    require(bench.written("hrm")[-1][1] == b"\x01", "nothing arrived")
    text = bytes(range(256)) * 2
    gateway.confirmed("response", "write", bench["long"], service="ff40", characteristic="ff42",
                      value={"hex": text.hex()})
    back = gateway.ok("read", bench["long"], service="ff40", characteristic="ff42")["value"]["hex"]
    require(bytes.fromhex(back) == text, "another value comes back")
    gateway.fails(("not-supported", "not-permitted"), "write", bench["hrm"], service="180d", characteristic="2a38",
                  value={"hex": "01"})
    gateway.fails("not-supported", "write", bench["hrm"], service="180d", characteristic="2a39",
                  value={"hex": "01"}, mode="command")


def write_command(bench):
    """Without response: handed over, not acknowledged, and it arrives."""
    gateway, dev = bench.gateway, bench["uart"]
    before = len(bench.written("uart"))
    gateway.confirmed("sent", "write", dev, value={"utf8": "hello"}, mode="command", **UART)
    gateway.pass_time(0.5)
    require(bench.written("uart")[before:][0][1] == b"hello", f"{bench.written('uart')[before:]}")
    # The longest that fits: the link's MTU less three, and no more than a value may have.
    mtu = gateway.ok("connect", dev)["mtu"] or 23
    longest = min(mtu - 3, 512)
    gateway.confirmed("sent", "write", dev, value={"hex": "41" * longest}, mode="command", **UART)
    gateway.pass_time(0.5)
    require(len(bench.written("uart")[-1][1]) == longest, "the longest value did not arrive whole")
    gateway.fails("value-too-long", "write", dev, value={"hex": "41" * (mtu - 2)}, mode="command", **UART)
    return f"mtu {mtu}"


CHECKS = (read, read_errors, att_error, write, write_command)
