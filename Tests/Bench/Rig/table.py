"""The table: medians, ratios with their spread, and whether each figure is what it has to be."""
import statistics

# Figure, text, unit, digits, what it is held against: (contender or figure, "most" or "least", factor) or an absolute.
ROWS = [
    ("read p50", "read, one outstanding, round trip p50", "µs", 0, [("floor", "most", 1.2)]),
    ("write p50", "write, one outstanding, round trip p50", "µs", 0, [("floor", "most", 1.2)]),
    ("read cpu", "CPU a read, one outstanding", "µs", 0, [("floor", "most", 2.0)]),
    ("crowd cpu", "CPU a read, over 50 devices", "µs", 0, [("floor", "most", 2.0)]),
    ("crowd rate", "reads over 50 devices", "/s", 0, [("floor", "least", 0.7), ("peer", "least", 3.0)]),
    ("advert cpu", "CPU an advertisement, in a burst", "µs", 1, [("floor", "most", 1.7)]),
    ("advert burst", "advertisements in a burst", "/s", 0, []),
    ("advert sustained", "advertisements sustained without loss", "/s", 0, [("floor", "least", 0.7)]),
    ("unwanted cpu", "CPU at 2,000 advertisements/s that nobody asked for", "%", 2, [("floor", "most", 2.0)]),
    ("notify rate", "notifications in a burst", "/s", 0, [("floor", "least", 0.7)]),
    ("notify lost", "notifications lost in that burst", "%", 1, []),
    ("idle cpu", "CPU idle", "%", 2, [(None, "most", 0.05)]),
    ("idle wakes", "wake-ups idle", "/s", 2, [(None, "most", 1.0)]),
    ("resident 100", "memory idle, 100 known devices", "MiB", 1, [(None, "most", 14), ("peer", "most", 0.5)]),
    ("grown resident 5000", "memory idle, 5,000 known devices", "MiB", 1, [(None, "most", 28)]),
    ("resident busy", "memory after the bursts", "MiB", 1, []),
    ("start", "start to first answer", "ms", 0, [(None, "most", 60)]),
    ("journal rate", "writes over 50 devices with journal", "/s", 0, [("no journal rate", "least", 0.5)]),
    ("no journal rate", "the same without", "/s", 0, []),
    ("read p99 quiet", "read p99, quiet", "µs", 0, []),
    ("read p99 flood", "read p99 at 3,000 unwanted advertisements/s", "µs", 0, [("read p99 quiet", "most", 3.0)]),
]
CONTENDERS = ("floor", "peer", "agent")


class Notes(dict):
    """Values by figure and contender, one a round."""

    def note(self, figure, contender, value):
        self.setdefault((figure, contender), []).append(value)

    def median(self, figure, contender):
        values = self.get((figure, contender))
        return statistics.median(values) if values else None

    def ratios(self, figure, against):
        """The agent's value by the other's of the same round."""
        own = self.get((figure, "agent"), [])
        other = self.get((figure, against) if against in CONTENDERS else (against, "agent"), [])
        return [a / b for a, b in zip(own, other) if b]


def number(value, digits):
    return "–" if value is None else f"{value:,.{digits}f}"


def verdicts(notes, figure, limits):
    """For each limit its ratio's median, lowest and highest, and whether it holds."""
    for against, kind, limit in limits:
        if against is None:
            value = notes.median(figure, "agent")
            values = notes.get((figure, "agent"), [])
        else:
            values = notes.ratios(figure, against)
            value = statistics.median(values) if values else None
        if value is None:
            continue
        yield against, kind, limit, value, min(values), max(values), value <= limit if kind == "most" else value >= limit


def lines(notes):
    yield "| figure | floor | peer | agent | agent ratio (lowest–highest) | wanted | |"
    yield "| --- | ---: | ---: | ---: | --- | --- | --- |"
    for figure, text, unit, digits, limits in ROWS:
        if not any((figure, contender) in notes for contender in CONTENDERS):
            continue
        cells = [number(notes.median(figure, contender), digits) for contender in CONTENDERS]
        ratio, wanted, holds = [], [], []
        for against, kind, limit, value, low, high, is_held in verdicts(notes, figure, limits):
            sign = "≤" if kind == "most" else "≥"
            if against is None:
                wanted.append(f"{sign} {limit:g} {unit}")
            else:
                ratio.append(f"{value:.2f} ({low:.2f}–{high:.2f})" + ("" if against == "floor" else f" of {against}"))
                wanted.append(f"{sign} {limit:g} × {against}")
            holds.append("yes" if is_held else "**no**")
        yield f"| {text}, {unit} | {' | '.join(cells)} | {', '.join(ratio)} | {', '.join(wanted)} | {', '.join(holds)} |"


def growth_lines(notes, counts, links):
    if any(("grown resident %d" % count, "agent") in notes for count in counts[:1]):
        yield ""
        yield "| known devices | " + " | ".join(f"{count:,}" for count in counts) + " |"
        yield "| --- |" + " ---: |" * len(counts)
        for figure, text, digits in (("grown resident", "memory idle, MiB", 1), ("grown start", "start to first answer, ms", 0),
                                     ("grown read cpu", "CPU a read, µs", 0), ("grown advert cpu", "CPU an advertisement, µs", 1)):
            cells = [f"{number(notes.median(f'{figure} {count}', 'agent'), digits)} ({number(notes.median(f'{figure} {count}', 'floor'), digits)})"
                     for count in counts]
            yield f"| {text}: agent (floor) | {' | '.join(cells)} |"
    if any(("links cpu %d" % count, "agent") in notes for count in links[:1]):
        yield ""
        yield "| links | " + " | ".join(map(str, links)) + " |"
        yield "| --- |" + " ---: |" * len(links)
        for figure, text, digits in (("links rate", "reads/s, one under way on each", 0), ("links cpu", "CPU a read, µs", 0)):
            cells = [f"{number(notes.median(f'{figure} {count}', 'agent'), digits)} ({number(notes.median(f'{figure} {count}', 'floor'), digits)})"
                     for count in links]
            yield f"| {text}: agent (floor) | {' | '.join(cells)} |"


def missed(notes):
    """Figures that are not what they have to be."""
    return [figure for figure, _, _, _, limits in ROWS for verdict in verdicts(notes, figure, limits) if not verdict[-1]]
