"""One run: the clock, and the phases from the start of the world to the last answer."""
import heapq
import itertools
import random
import time

import callers
import commands
import disk
import faults
import ledger
import world

TICK = 0.02
# How long the world may take to be up at the start and when the faults are over, in seconds.
START, RECOVERY = 30, 30
# How long what is unanswered is repeated when the faults are over, in seconds.
CALM = 120
# How many changing commands are repeated at the very end, and how long their answers may take.
ASKED_AGAIN, AGAIN_SECONDS = 300, 30
# What comes after the last answer is heard so long.
LISTENING = 2.0
# One half of the commands comes evenly, the other in bursts with so many seconds between.
COMMANDS_A_SECOND, BURST = 12, 4


class Broken(Exception):
    """The world did not come up: nothing can be said about the agent's behaviour under faults."""


class Clock:
    """What is to happen when; all of it on one thread."""

    def __init__(self):
        self.heap, self.order = [], itertools.count()

    @property
    def now(self):
        return time.monotonic()

    def after(self, seconds, action):
        heapq.heappush(self.heap, (self.now + seconds, next(self.order), action))

    def run_due(self):
        while self.heap and self.heap[0][0] <= self.now:
            heapq.heappop(self.heap)[2]()


class Trial:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.clock = Clock()
        self.ledger = ledger.Ledger(f"{folder}/ledger.jsonl")
        self.world = world.World(folder, options.binaries, options.seed, self.ledger)
        self.faults = faults.Faults(self.clock, self.world, self.ledger)
        self.callers = []
        self.notes = []

    def run(self):
        self.ledger.add("phase", what="start", seed=options_text(self.options))
        self.start()
        self.storm()
        self.calm()
        self.again()
        self.until(lambda: False, LISTENING)
        self.stop()

    def until(self, condition, seconds, wanted=0):
        """Lets the world go on until a condition holds; whether it did in time."""
        end = self.clock.now + seconds
        while not condition():
            if self.clock.now > end:
                return False
            self.clock.run_due()
            self.world.supervise()
            count = wanted() if callable(wanted) else wanted
            for caller in self.callers:
                caller.tick(count)
            time.sleep(TICK)
        return True

    def start(self):
        if not self.until(lambda: self.world.ready(world.BROKER), START):
            raise Broken("the broker does not come up")
        for number, kind in enumerate((callers.Red, callers.Blue)):
            deck = commands.Deck(self.options.seed, kind.name, number + 1, 2)
            self.callers.append(kind(deck, self.world.port, self.options.seed, self.clock, self.ledger,
                                     self.world.heard))
        if not self.until(self.world.up, START):
            missing = [part for part in world.PARTS if not self.world.ready(part)]
            raise Broken(f"{', '.join(missing)} did not come up")
        if self.world.disk.kind == disk.Limit.kind and not disk.ignores_size_signal(self.world.children[world.AGENT]):
            self.notes.append("the agent does not ignore SIGXFSZ: a write beyond a limit of file size ends it")

    def storm(self):
        """Commands and faults, side by side."""
        self.ledger.add("phase", what="storm")
        seconds, began = self.options.seconds, self.clock.now
        self.faults.start(faults.schedule(self.options.seed, seconds, self.options.kinds))
        self.until(lambda: False, seconds, lambda: wanted(self.clock.now - began) // len(self.callers))
        self.faults.finish()

    def calm(self):
        """All is well again: what is unanswered is repeated until it is answered."""
        self.ledger.add("phase", what="calm")
        if not self.until(self.world.up, RECOVERY):
            missing = [part for part in world.PARTS if not self.world.ready(part)]
            self.notes.append(f"{RECOVERY} s after the last fault not up again: {', '.join(missing)}")
        began = self.clock.now
        self.until(lambda: not any(caller.open for caller in self.callers), CALM)
        self.notes.append(f"all was answered {self.clock.now - began:.1f} s after the last fault was over")

    def again(self):
        """Repeats some commands that have their answers: the answers must be the same."""
        self.ledger.add("phase", what="again")
        numbers = random.Random(f"{self.options.seed} again")
        made = {event["id"]: event for event in self.ledger.events if event["event"] == "command"}
        wanted = {}
        for caller in self.callers:
            answered = [name for name in caller.ids if made[name]["changes"] and name in caller.answered]
            for name in numbers.sample(answered, min(len(answered), ASKED_AGAIN // len(self.callers))):
                if caller.is_connected:
                    wanted[(caller, name)] = caller.answered[name]
                    self.ledger.add("again", client=caller.name, id=name)
                    caller.ask_again(made[name])
        self.until(lambda: all(caller.answered[name] > count for (caller, name), count in wanted.items()),
                   AGAIN_SECONDS)

    def stop(self):
        for caller in self.callers:
            caller.take()
        status = self.world.stop_agent()
        if status not in (0, None):
            self.world.deaths.append(f"the agent ended with status {status} when it was asked to stop")

    def close(self):
        for caller in self.callers:
            caller.close()
        self.world.close()
        self.ledger.close()


def wanted(seconds):
    """How many commands there should have been after so many seconds."""
    return int(COMMANDS_A_SECOND * (seconds + seconds // BURST * BURST) / 2) + 2


def options_text(options):
    return {"seed": options.seed, "seconds": options.seconds, "kinds": list(options.kinds)}
