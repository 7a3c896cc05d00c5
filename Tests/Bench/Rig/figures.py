"""What is measured, round by round, and what each figure may be at most."""
import time

import contenders
import stand

BURST = 20000
# What a rate has to be carried for to count as sustained, and how late the slowest may be.
SUSTAINED_SECONDS, SUSTAINED_P99 = 3, 250_000


class Measurer:
    """Measures contenders; what comes of it goes to `note(figure, contender, value)`."""

    def __init__(self, programs, agent, note, quick=False):
        self.programs, self.agent, self.note, self.quick = programs, agent, note, quick

    def stand(self, contender, **options):
        return stand.Stand(contender, self.programs, **options)

    def scale(self, count):
        return count // 4 if self.quick else count

    def main(self, contender):
        """The figures that each contender has."""
        name = contender.name
        note = lambda figure, value: self.note(figure, name, value)
        with self.stand(contender) as world:
            note("start", world.launch())
            if name == "peer":
                # It connects to what it has heard.
                world.advertise(500)
                time.sleep(1.5)
                world.quiet()
            cpu, wakes, resident = world.over(2 if self.quick else 5)
            note("idle cpu", cpu)
            note("idle wakes", wakes)
            note("resident 100", resident)
            world.commands("connect", 50, 4, 50)
            world.commands("subscribe", 50, 4, 50)
            world.commands("read", 200)
            read = world.commands("read", self.scale(4000))
            note("read p50", read["p50"])
            note("read cpu", read["cpu"])
            write = world.commands("write", self.scale(4000))
            note("write p50", write["p50"])
            crowd = world.commands("read", self.scale(20000), 50, 50)
            note("crowd rate", crowd["rate"])
            note("crowd cpu", crowd["cpu"])
            notify = world.load("notify", contender.notify_filter, count=self.scale(BURST), rate=0, seconds=30)
            note("notify rate", notify["rate"])
            note("notify lost", (1 - notify["got"] / notify["count"]) * 100)
            self.advertisements(world, contender, note)
            note("resident busy", world.process.resident())

    def advertisements(self, world, contender, note):
        if not contender.hears_at_once:
            world.commands("scan", 1)
        burst = world.load("adverts", contender.scan_filter, count=self.scale(BURST), rate=0, seconds=30)
        note("advert cpu", burst["cpu"])
        note("advert burst", burst["rate"])
        if not self.quick:
            note("advert sustained", self.sustained(world, contender, burst["rate"]))
        if not contender.hears_at_once:
            world.commands("stop", 1)

    def sustained(self, world, contender, most):
        """The highest of some rates that is carried without loss and without growing late."""
        for part in (1.0, 0.85, 0.7, 0.55, 0.4):
            rate = int(most * part)
            run = world.load("adverts", contender.scan_filter, count=rate * SUSTAINED_SECONDS, rate=rate, seconds=30)
            if run["got"] == run["count"] and run["p99"] < SUSTAINED_P99:
                return rate
        return 0

    def unwanted(self):
        """What advertisements cost that nobody has asked for, and what they do to commands."""
        floor, agent = contenders.Floor(self.programs, drops=True), contenders.Agent(self.agent)
        for contender in (floor, agent):
            with self.stand(contender) as world:
                world.launch()
                world.commands("connect", 50, 4, 50)
                world.advertise(2000)
                time.sleep(0.5)
                self.note("unwanted cpu", contender.name, world.over(2 if self.quick else 4)[0])
                world.quiet()
                if contender is floor:
                    continue
                world.commands("read", 200)
                self.note("read p99 quiet", "agent", world.commands("read", self.scale(4000))["p99"])
                world.advertise(3000)
                time.sleep(0.3)
                self.note("read p99 flood", "agent", world.commands("read", self.scale(4000))["p99"])
                world.quiet()

    def journal(self):
        """Commands that change something, with the journal and without."""
        for kept in (False, True):
            with self.stand(contenders.Agent(self.agent, journal=kept)) as world:
                world.launch()
                world.commands("connect", 50, 4, 50)
                world.commands("write", 500, 50, 50)
                self.note("journal rate" if kept else "no journal rate", "agent", world.commands("write", self.scale(8000), 50, 50)["rate"])

    def growth(self, counts, links):
        """How figures change with the number of devices that are known, and of links."""
        for count in counts:
            for contender in (contenders.Floor(self.programs), contenders.Agent(self.agent)):
                with self.stand(contender, devices=count, linked=10) as world:
                    self.note(f"grown start {count}", contender.name, world.launch())
                    # What only the start needs is given back after two seconds.
                    time.sleep(3)
                    self.note(f"grown resident {count}", contender.name, world.process.resident())
                    world.commands("connect", 10, 4, 10)
                    self.note(f"grown read cpu {count}", contender.name, world.commands("read", 1000, 1, 10)["cpu"])
                    if not contender.hears_at_once:
                        world.commands("scan", 1)
                    run = world.load("adverts", contender.scan_filter, count=10000, rate=0, seconds=30)
                    self.note(f"grown advert cpu {count}", contender.name, run["cpu"])
        for count in links:
            for contender in (contenders.Floor(self.programs), contenders.Agent(self.agent)):
                with self.stand(contender, devices=max(100, count), linked=count) as world:
                    world.launch()
                    world.commands("connect", count, 4, count)
                    run = world.commands("read", 200 + 40 * count, count, count)
                    self.note(f"links cpu {count}", contender.name, run["cpu"])
                    self.note(f"links rate {count}", contender.name, run["rate"])
