"""What goes wrong, when, and for how long: drawn from the seed before anything starts.

A fault counts when it really happened: the part was up, went away, and came back.
"""
import random
import signal
import subprocess

import scenario
import world

KINDS = ("agent", "broker", "bluetoothd", "bus", "device", "disk")
# In each span of that many seconds there is one fault of the kind.
SPANS = {"agent": 10, "broker": 10, "bluetoothd": 10, "bus": 10, "device": 4, "disk": 10}
# The demand on a run of 300 seconds; shorter ones in proportion.
DEMANDED = 20
SHORTEST, LONGEST = 0.3, 3.0
# How many of those that are killed stand still before, up to how long in seconds: so more is on its way when they die.
FROZEN_FIRST, LONGEST_FROZEN = 0.4, 0.5
# How long a fault waits for its part to be up, in seconds, before it is left out.
PATIENCE = 6.0
RETRY = 0.1


def demanded(seconds):
    return int(DEMANDED * seconds / 300)


def schedule(seed, seconds, kinds):
    """The faults of a run in order: (at, kind, duration, numbers to draw details from)."""
    plan = []
    for kind in kinds:
        numbers = random.Random(f"{seed} {kind}")
        for slot in range(int(seconds / SPANS[kind])):
            at = SPANS[kind] * (slot + 0.7 * numbers.random())
            # More short ones than long ones, so that everything also works in between.
            duration = numbers.triangular(SHORTEST, LONGEST, SHORTEST)
            plan.append((round(at, 3), kind, duration, random.Random(numbers.random())))
    return sorted(plan, key=lambda entry: entry[:2])


class Faults:
    """Carries the plan out on the trial's clock."""

    def __init__(self, clock, the_world, ledger):
        self.clock, self.world, self.ledger = clock, the_world, ledger
        self.happened = dict.fromkeys(KINDS, 0)
        self.active = {}
        self.is_over = False
        self.number = 0

    def start(self, plan):
        for at, kind, duration, numbers in plan:
            self.clock.after(at, lambda kind=kind, duration=duration, numbers=numbers:
                             self.begin(kind, duration, numbers, self.clock.now + PATIENCE))

    def begin(self, kind, duration, numbers, latest):
        if self.is_over:
            return
        end = getattr(self, f"begin_{kind}")(numbers)
        if not end:
            if self.clock.now < latest:
                self.clock.after(RETRY, lambda: self.begin(kind, duration, numbers, latest))
            return
        self.number += 1
        number = self.number
        self.ledger.add("fault", kind=kind, what="began", number=number, seconds=round(duration, 3))
        self.active[number] = (kind, end)
        self.clock.after(duration, lambda: self.end(number))

    def end(self, number):
        if number not in self.active:
            return
        kind, end = self.active.pop(number)
        self.ledger.add("fault", kind=kind, what="ended", number=number)
        end()
        self.happened[kind] += 1

    def finish(self):
        """Ends all that goes on and begins nothing more."""
        self.is_over = True
        for number in list(self.active):
            self.end(number)

    # The kinds: each begins and answers how it ends, or None when it cannot be now.

    def down(self, part, numbers):
        if part in self.world.held or not self.world.ready(part):
            return None
        self.world.held.add(part)
        is_frozen = numbers.random() < FROZEN_FIRST
        is_ended = False

        def end(number=signal.SIGKILL):
            nonlocal is_ended
            if not is_ended:
                is_ended = True
                self.world.end(part, number)

        def give_back():
            end()
            self.world.held.discard(part)

        if is_frozen:
            self.world.freeze(part)
            self.clock.after(numbers.uniform(0.05, LONGEST_FROZEN), end)
        else:
            # A broker that ends in order writes its database.
            end(signal.SIGTERM if part == world.BROKER and numbers.random() < 0.4 else signal.SIGKILL)
        return give_back

    def begin_agent(self, numbers):
        return self.down(world.AGENT, numbers)

    def begin_bus(self, numbers):
        return self.down(world.BUS, numbers)

    def begin_broker(self, numbers):
        return self.down(world.BROKER, numbers)

    def begin_bluetoothd(self, numbers):
        return self.down(world.BLUETOOTHD, numbers)

    def begin_device(self, numbers):
        address = scenario.colons(numbers.choice(scenario.ADDRESSES))
        if not self.perform(f'[{{reach: {{device: "{address}", enabled: false}}}}]'):
            return None
        # A simulator that was restarted meanwhile has the device back already.
        return lambda: self.perform(f'[{{reach: {{device: "{address}", enabled: true}}}}]')

    def begin_disk(self, _numbers):
        agent = self.world.children.get(world.AGENT)
        if not self.world.disk.take(agent):
            return None
        return lambda: self.world.disk.give_back(self.world.children.get(world.AGENT))

    def perform(self, steps):
        """Has the simulator carry out steps; whether it did."""
        if not self.world.ready(world.BLUETOOTHD):
            return False
        try:
            done = subprocess.run(
                ["dbus-send", f"--bus=unix:path={self.world.socket}", "--print-reply=literal", "--reply-timeout=1000",
                 "--dest=org.bluez", "/org/bluez/simulator", "org.bluez.Simulator1.Perform", f"string:{steps}"],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=3, check=False)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0
