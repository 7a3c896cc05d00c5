"""Commands of all kinds, drawn from the seed, each with what can be judged of it afterwards.

Each written packet begins with a mark of its own: three bytes, the command's number, the packet's. So the simulator's
log of calls tells which command wrote what, and how often.
"""
import random
import time

import scenario
import world

MARK = "c4a05e"
READ_ONLY = {"ping", "info", "scan", "devices", "jobs", "job", "config.get", "diag", "read", "rssi", "discover"}
# Each kind and how often it comes, in parts of the sum.
KINDS = {
    "write_request": 14, "write_command": 8, "write_idempotent": 9, "write_chunked": 6, "write_late": 6,
    "transact": 9, "transact_refused": 2, "transact_silent": 1,
    "sequence": 5, "sequence_reading": 2, "group_write": 4, "group_read": 2,
    "subscribe": 4, "unsubscribe": 3, "connect": 3, "disconnect": 3,
    "read": 10, "rssi": 2, "discover": 3, "refresh": 1, "scan": 2, "devices": 1, "jobs": 2, "job": 2,
    "ping": 1, "info": 1, "scan_start": 1, "scan_stop": 1, "cancel": 5, "adapter_power": 1,
}


def mark(number, part):
    return f"{MARK}{number:08x}{part:02x}"


def changes(body):
    """Whether a command changes something, by the contract's list."""
    if body["verb"] == "sequence":
        return any(changes(step) for step in body["steps"])
    if body["verb"] == "discover":
        return bool(body.get("refresh"))
    return body["verb"] not in READ_ONLY


class Made:
    """A command: its topic below the gateway's, its body without id and client, and what to expect of it."""

    def __init__(self, kind, place, number, devices=(), **body):
        self.kind, self.place, self.number, self.devices, self.body = kind, place, number, list(devices), body
        self.writes, self.values = [], []
        self.expiry_seconds = None

    def writes_packet(self, part, address, of=None, idempotent=False):
        self.writes.append({"part": part, "address": address, "of": of, "idempotent": idempotent})
        return mark(self.number, part)

    def gives(self, value, of=None):
        """An `ok` has to come with this value."""
        self.values.append({"hex": value, "of": of})


class Deck:
    """One caller's commands. Numbers are those of no other caller."""

    def __init__(self, seed, client, first, step):
        self.numbers = random.Random(f"{seed} commands of {client}")
        self.client, self.next, self.step = client, first, step

    def draw(self, own):
        """The next command; `own`: ids of this caller's commands, the latest last."""
        kind = self.numbers.choices(list(KINDS), KINDS.values())[0]
        number, self.next = self.next, self.next + self.step
        if kind in ("job", "cancel") and not own:
            kind = "ping"
        made = getattr(self, f"make_{kind}")(kind, number, own)
        if self.numbers.random() < 0.25:
            made.body["priority"] = self.numbers.choice(["urgent", "normal", "low"])
        if self.numbers.random() < 0.15:
            made.body["ack"] = True
        return made

    def device(self):
        # A few devices get many commands, so that queues form.
        hot = self.numbers.random() < 0.35
        return self.numbers.choice(scenario.ADDRESSES[:4] if hot else scenario.ADDRESSES)

    def made(self, kind, number, verb, address=None, **body):
        place = f"dev/{address}/cmd" if address else "cmd"
        made = Made(kind, place, number, [address] if address else [], verb=verb, **body)
        if address:
            made.body.setdefault("timeoutMs", self.numbers.randint(3000, 8000))
        return made

    def value(self, head):
        """Bytes that begin with a mark and go on at random, as hexadecimal text; no second mark among them."""
        return head + "".join(f"{self.numbers.randrange(0x80):02x}" for _ in range(self.numbers.randint(0, 20)))

    # Writes.

    def write(self, kind, number, **body):
        address = self.device()
        made = self.made(kind, number, "write", address, service="ff10", characteristic="ff12", **body)
        idempotent = body.get("retry", {}).get("idempotent", False)
        made.body["value"] = {"hex": self.value(made.writes_packet(0, address, idempotent=idempotent))}
        return made

    def make_write_request(self, kind, number, _own):
        return self.write(kind, number, mode="request")

    def make_write_command(self, kind, number, _own):
        return self.write(kind, number, mode="command")

    def make_write_idempotent(self, kind, number, _own):
        return self.write(kind, number, retry={"max": self.numbers.randint(1, 3), "idempotent": True})

    def make_write_late(self, kind, number, _own):
        """A write with little time to begin: of a short life, or with an end by the clock or by the broker."""
        made = self.write(kind, number)
        how = self.numbers.randrange(3)
        if how == 0:
            made.body["ttlMs"] = self.numbers.randint(20, 600)
        elif how == 1:
            made.body["expires"] = later(self.numbers.uniform(0.1, 4))
        else:
            made.expiry_seconds = self.numbers.randint(1, 4)
        return made

    def make_write_chunked(self, kind, number, _own):
        address = self.device()
        made = self.made(kind, number, "write", address, service="ff10", characteristic="ff12",
                         mode=self.numbers.choice(["request", "command"]))
        if self.numbers.random() < 0.5:
            made.body["chunk"], lengths = {"size": 20}, [20] * self.numbers.randint(2, 5)
        else:
            made.body["chunk"], lengths = {"first": 12, "then": 40, "gapMs": 5}, [12, 40, 40]
        packets = (made.writes_packet(part, address) for part in range(len(lengths)))
        made.body["value"] = {"hex": "".join(packet.ljust(2 * length, "0")
                                             for packet, length in zip(packets, lengths))}
        return made

    # Frames.

    def frame(self, kind, number, command, **body):
        address = self.device()
        made = self.made(kind, number, "transact", address, service="ffe0", write="ffe1", notify="ffe2",
                         checksum={"kind": "sum8", "send": True, "verify": True},
                         accept={"prefix": {"hex": f"7e{command | 0x80:02x}"}}, fail={"prefix": {"hex": "7eff"}},
                         complete={"length": {"offset": 2, "type": "u8", "adjust": 4}}, **body)
        payload = made.writes_packet(0, address)
        made.body["data"] = {"hex": f"7e{command:02x}{len(payload) // 2:02x}{payload}"}
        return made, bytes.fromhex(payload)

    def make_transact(self, kind, number, _own):
        """The device answers with the payload from its end to its beginning."""
        made, payload = self.frame(kind, number, 1)
        made.gives(f"7e81{len(payload):02x}{payload[::-1].hex()}")
        return made

    def make_transact_refused(self, kind, number, _own):
        return self.frame(kind, number, 9)[0]

    def make_transact_silent(self, kind, number, _own):
        return self.frame(kind, number, 4, packetTimeoutMs=700)[0]

    # Several at once.

    def make_sequence(self, kind, number, _own):
        address = self.device()
        made = self.made(kind, number, "sequence", address, timeoutMs=10000,
                         onError=self.numbers.choice(["stop", "continue"]))
        made.body["steps"] = steps = []
        for index in range(self.numbers.randint(2, 5)):
            if index and self.numbers.random() < 0.3:
                steps.append(self.reading(made, address, {"step": index}))
                continue
            idempotent = self.numbers.random() < 0.3
            packet = made.writes_packet(index, address, {"step": index}, idempotent)
            steps.append({"verb": "write", "service": "ff10", "characteristic": "ff12", "value": {"hex": packet}})
            if idempotent:
                steps[-1]["retry"] = {"max": 2, "idempotent": True}
        return made

    def make_sequence_reading(self, kind, number, _own):
        address = self.device()
        made = self.made(kind, number, "sequence", address, timeoutMs=10000)
        made.body["steps"] = [self.reading(made, address, {"step": index}) for index in range(2)]
        return made

    @staticmethod
    def reading(made, address, of=None):
        made.gives(scenario.constant(address), of)
        return {"verb": "read", "service": "ff10", "characteristic": "ff11"}

    def group(self, kind, number, verb, **body):
        name = self.numbers.choice(list(world.GROUPS))
        members = world.GROUPS[name]
        return Made(kind, f"group/{name}/cmd", number, members, verb=verb, service="ff10", timeoutMs=8000,
                    concurrency=self.numbers.randint(1, 6), **body)

    def make_group_write(self, kind, number, _own):
        made = self.group(kind, number, "write", characteristic="ff12")
        for address in made.devices:
            made.body["value"] = {"hex": made.writes_packet(0, address, {"member": address})}
        return made

    def make_group_read(self, kind, number, _own):
        made = self.group(kind, number, "read", characteristic="ff11")
        for address in made.devices:
            made.gives(scenario.constant(address), {"member": address})
        return made

    # The rest of a device's verbs.

    def make_subscribe(self, kind, number, _own):
        return self.made(kind, number, "subscribe", self.device(), service="ff10", characteristic="ff13",
                         leaseMs=self.numbers.randint(2000, 20000), durable=self.numbers.random() < 0.3)

    def make_unsubscribe(self, kind, number, _own):
        return self.made(kind, number, "unsubscribe", self.device(), service="ff10", characteristic="ff13")

    def make_connect(self, kind, number, _own):
        return self.made(kind, number, "connect", self.device())

    def make_disconnect(self, kind, number, _own):
        return self.made(kind, number, "disconnect", self.device(), now=self.numbers.random() < 0.3)

    def make_read(self, kind, number, _own):
        address = self.device()
        made = self.made(kind, number, "read", address)
        made.body.update(self.reading(made, address))
        return made

    def make_rssi(self, kind, number, _own):
        return self.made(kind, number, "rssi", self.device())

    def make_discover(self, kind, number, _own):
        return self.made(kind, number, "discover", self.device(), services=["ff10"])

    def make_refresh(self, kind, number, _own):
        return self.made(kind, number, "discover", self.device(), refresh=True)

    # The gateway's verbs.

    def make_scan(self, kind, number, _own):
        return self.made(kind, number, "scan", durationMs=self.numbers.randint(200, 1000), services=["ff10"])

    def make_devices(self, kind, number, _own):
        return self.made(kind, number, "devices", limit=5)

    def make_jobs(self, kind, number, _own):
        return self.made(kind, number, "jobs", limit=self.numbers.randint(1, 10))

    def make_job(self, kind, number, own):
        return self.made(kind, number, "job", of=self.one_of(own))

    def make_cancel(self, kind, number, own):
        return self.made(kind, number, "cancel", of=self.one_of(own))

    def one_of(self, own):
        return {"client": self.client, "id": self.numbers.choice(own[-12:])}

    def make_ping(self, kind, number, _own):
        return self.made("ping", number, "ping")

    def make_info(self, kind, number, _own):
        return self.made(kind, number, "info")

    def session(self):
        return f"{self.client}-{self.numbers.randrange(3)}"

    def make_scan_start(self, kind, number, _own):
        return self.made(kind, number, "scan.start", session=self.session(), services=["ff10"],
                         emit={"everyMs": 1000}, durationMs=self.numbers.randint(2000, 10000))

    def make_scan_stop(self, kind, number, _own):
        return self.made(kind, number, "scan.stop", session=self.session())

    def make_adapter_power(self, kind, number, _own):
        return self.made(kind, number, "adapter.power", on=True)


def later(seconds):
    """The time in so many seconds, as RFC 3339."""
    moment = time.time() + seconds
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment % 1 * 1000):03d}Z"
