"""The report of a run on one screen, and whether it has passed."""
import collections
import textwrap

import faults
import verdict as verdicts

# The demand on a run of 300 seconds; shorter ones in proportion.
COMMANDS = 2000
# What part of the commands has to end well, or the faults left nothing to look at.
ENDED_WELL = 0.25
EXAMPLES, EXAMPLE_WIDTH = 3, 600


def tame(options, verdict, happened):
    """Why the run says too little."""
    demanded = int(COMMANDS * options.seconds / 300)
    if verdict.counts["commands"] < demanded:
        yield f"{verdict.counts['commands']} commands, {demanded} are demanded"
    for kind in options.kinds:
        if happened[kind] < faults.demanded(options.seconds):
            yield f"{happened[kind]} faults of {kind}, {faults.demanded(options.seconds)} are demanded"
    if verdict.endings["ok"] < ENDED_WELL * verdict.counts["commands"]:
        yield f"{verdict.endings['ok']} of {verdict.counts['commands']} commands ended well: too few to tell"


def listed(counter):
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def paragraph(head, text):
    return textwrap.fill(text, 110, initial_indent=f"{head:<12}", subsequent_indent=" " * 12, break_on_hyphens=False)


def text(options, trial, verdict, reasons):
    counts = verdict.counts
    lines = [
        "",
        paragraph("chaos", f"seed {options.seed}, {options.seconds:g} s, {options.binaries['edge-agent']}, "
                           f"space taken away by {trial.world.disk.kind}"),
        paragraph("commands", f"{counts['commands']}, {counts['changing']} of them changing; published "
                              f"{counts['published']} times"),
        paragraph("", listed(verdict.verbs)),
        paragraph("results", f"{counts['results']}, {counts['replayed']} of them replayed; "
                             f"{counts['packets']} packets written"),
        paragraph("ended", listed(verdict.endings)),
        paragraph("codes", listed(verdict.codes)),
        "",
        "| fault | happened | demanded |",
        "| --- | ---: | ---: |",
    ]
    for kind in faults.KINDS:
        demanded = faults.demanded(options.seconds) if kind in options.kinds else "left out"
        lines.append(f"| {kind} | {trial.faults.happened[kind]} | {demanded} |")
    lines += ["", "| | commands |", "| --- | ---: |"]
    lines += [f"| {category} | {verdict.number(category)} |" for category in verdicts.CATEGORIES]
    lines.append("")
    lines += [paragraph("note", note) for note in trial.notes]
    lines += [paragraph("too tame", reason) for reason in reasons]
    lines += [paragraph("died", death) for death in trial.world.deaths]
    return "\n".join(lines) + "\n"


def examples(verdict):
    """The first findings of each rule, one a line."""
    by_rule = collections.defaultdict(list)
    for finding in verdict.findings:
        by_rule[(finding.category, finding.rule)].append(finding)
    for (category, rule), findings in sorted(by_rule.items()):
        yield f"{category}, rule {rule}: {len(findings)} findings"
        for finding in findings[:EXAMPLES]:
            yield f"    {finding.id}: {finding.text}"[:EXAMPLE_WIDTH]
