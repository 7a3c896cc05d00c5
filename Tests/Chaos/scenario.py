"""The world of the simulator: twenty devices, some of them slow, moody or shy.

All devices have the same attributes. `ff11` holds a value that never changes and differs in each device, `ff12` takes
writes, `ff13` notifies; `ffe1` takes frames and answers on `ffe2` as the demonstration's framer does.
"""
import random

DEVICES = 20
ADDRESSES = [f"c05a000001{number:02x}" for number in range(DEVICES)]
# Which devices have a peculiarity, by number.
SLOW_TO_CONNECT, SLOW_TO_ANSWER = (3, 4, 5), (1, 6, 7)
REFUSES_EVERY_SECOND_LINK, DROPS_LINKS, LOSES_ANSWERS, VANISH = (8, 9), (10,), (11,), (12, 13, 14)
# How often a peculiarity by count goes on; a restart of the simulator counts anew.
ROUNDS = 40


def colons(address):
    return ":".join(address[at:at + 2] for at in range(0, 12, 2)).upper()


def constant(address):
    """The value of `ff11` of a device, as hexadecimal text."""
    return f"d0{address}0d"


def device(number, numbers):
    address = ADDRESSES[number]
    return {
        "address": colons(address),
        "known": number % 2 == 0,
        "connectMs": 700 if number in SLOW_TO_CONNECT else numbers.randint(50, 250),
        "mtu": 185,
        "advertise": {"name": f"Chaos {number}", "services": ["ff10"], "intervalMs": 500},
        "services": [
            {"uuid": "ff10", "characteristics": [
                {"uuid": "ff11", "flags": ["read"], "value": constant(address)},
                {"uuid": "ff12", "flags": ["read", "write", "write-without-response"], "value": "00"},
                {"uuid": "ff13", "flags": ["read", "notify"], "value": [{"counter": {"bytes": 2}}], "notifyMs": 1000},
            ]},
            {"uuid": "ffe0", "characteristics": [
                {"uuid": "ffe1", "flags": ["write", "write-without-response"], "answersOn": "ffe2"},
                {"uuid": "ffe2", "flags": ["notify"]},
            ]},
        ],
    }


def faults():
    """What happens by count of calls, besides what is done from outside."""
    for number in SLOW_TO_ANSWER:
        for member in ("ReadValue", "WriteValue"):
            yield {"device": colons(ADDRESSES[number]), "member": member, "steps": [{"wait": 300}, "carryOut"]}
    for number in REFUSES_EVERY_SECOND_LINK:
        for nth in range(1, ROUNDS, 2):
            yield {"device": colons(ADDRESSES[number]), "member": "Connect", "nth": nth,
                   "steps": [{"wait": 50}, {"error": {"name": "Failed", "text": "le-connection-abort-by-local"}}]}
    for number in DROPS_LINKS:
        for nth in range(3, 4 * ROUNDS, 4):
            yield {"device": colons(ADDRESSES[number]), "member": "WriteValue", "nth": nth,
                   "steps": [{"drop": colons(ADDRESSES[number])},
                             {"error": {"name": "Failed", "text": "Not connected"}}]}
    for number in LOSES_ANSWERS:
        for nth in range(5, 6 * ROUNDS, 6):
            yield {"device": colons(ADDRESSES[number]), "member": "WriteValue", "nth": nth,
                   "steps": [{"carryOut": "none"}]}


def timeline():
    for number in VANISH:
        address = colons(ADDRESSES[number])
        yield {"atMs": 3000 + 1700 * number, "everyMs": 9000 + 1300 * number,
               "steps": [{"vanish": address}, {"wait": 1500}, {"appear": address}]}


def scenario(seed):
    """The scenario file's content; JSON of it is YAML, too."""
    numbers = random.Random(f"{seed} scenario")
    return {
        "description": "The world of make chaos.",
        "seed": seed % 2**31,
        "times": {"disconnectMs": 100, "connectTimeoutMs": 1500, "resolveMs": 60, "attMs": 30},
        "devices": [device(number, numbers) for number in range(DEVICES)],
        "faults": list(faults()),
        "timeline": list(timeline()),
    }
