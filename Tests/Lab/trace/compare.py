#!/usr/bin/env python3
"""Compares two recordings of the same session in order and signatures.

    compare.py [--explained FILE] REFERENCE OTHER

Both may be recordings or normalised already. Prints each difference; one that FILE (default
explained.json beside this script) accepts is printed with its reason. Exit status 1 when a
difference is left unexplained.

Order counts within a step of the session and a group (the adapter, a device with its GATT
objects). Where both have an event, its properties and their signatures are compared too.

An explanation: {"step", "group", "side": "reference" or "other" (who has it alone), "event",
"reason"}; step, group and event may use * and ?. One that nothing differs for is named, unless
it says "sometimes": true.
"""
import argparse
import collections
import difflib
import fnmatch
import json
import pathlib
import sys

from normalise import load

Difference = collections.namedtuple("Difference", "step group side event")


def short(interface):
    return (interface or "").rpartition(".")[2]


def key(event):
    """What makes two events the same in order: all but the properties of a new object."""
    words = [event["type"], f"{short(event['interface'])}.{event['member']}", event["path"], event["signature"] or "-"]
    if "error" in event:
        words += [event["error"], event.get("text", "")]
    if "state" in event:
        words.append(event["state"])
    if "about" in event:
        words += [short(event["about"]), *(f"{name}:{kind}" for name, kind in sorted(event["properties"].items())),
                  *(f"-{name}" for name in event["invalidated"])]
    if isinstance(event.get("interfaces"), list):
        words += [short(name) for name in event["interfaces"]]
    elif "interfaces" in event:
        words += [short(name) for name in sorted(event["interfaces"])]
    return " ".join(words)


def details(event):
    """The properties of the objects that an event announces, one text each."""
    objects = event.get("objects") or ({event["path"]: event["interfaces"]}
                                       if isinstance(event.get("interfaces"), dict) else {})
    found = set()
    for path, interfaces in objects.items():
        for interface, properties in interfaces.items():
            found.add(f"{path} {short(interface)}")
            found |= {f"{path} {short(interface)}.{name}:{kind}" for name, kind in properties.items()}
    return found


def sequences(events):
    found = {}
    for event in events:
        found.setdefault((event["step"], event["group"]), []).append(event)
    return found


def compare(reference, other):
    """Every difference between two normalised recordings."""
    left, right = sequences(reference), sequences(other)
    for place in list(left) + [place for place in right if place not in left]:
        ours, theirs = left.get(place, []), right.get(place, [])
        matcher = difflib.SequenceMatcher(None, [key(e) for e in ours], [key(e) for e in theirs], autojunk=False)
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind != "equal":
                yield from (Difference(*place, "reference", key(event)) for event in ours[a:b])
                yield from (Difference(*place, "other", key(event)) for event in theirs[c:d])
                continue
            for mine, yours in zip(ours[a:b], theirs[c:d]):
                prefix = f"{mine['member']} of {mine['path']}: "
                have, get = details(mine), details(yours)
                yield from (Difference(*place, "reference", prefix + text) for text in sorted(have - get))
                yield from (Difference(*place, "other", prefix + text) for text in sorted(get - have))


def explain(difference, explanations):
    return next((one for one in explanations if one["side"] == difference.side and all(
        fnmatch.fnmatchcase(getattr(difference, name), one[name]) for name in ("step", "group", "event"))), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--explained", type=pathlib.Path, metavar="FILE",
                        default=pathlib.Path(__file__).with_name("explained.json"))
    parser.add_argument("reference")
    parser.add_argument("other")
    options = parser.parse_args()
    explanations = json.loads(options.explained.read_text(encoding="utf-8"))
    used, unexplained, explained = set(), 0, 0
    for difference in compare(load(options.reference), load(options.other)):
        found = explain(difference, explanations)
        sign = "-" if difference.side == "reference" else "+"
        text = f"{sign} {difference.step}, {difference.group}: {difference.event}"
        if found:
            used.add(explanations.index(found))
            explained += 1
            print(f"explained   {text}\n            because {found['reason']}")
        else:
            unexplained += 1
            print(f"UNEXPLAINED {text}")
    for index, one in enumerate(explanations):
        if index not in used and not one.get("sometimes"):
            print(f"note: nothing differs any more for: {one['step']}, {one['group']}: {one['event']}")
    print(f"{explained} explained, {unexplained} unexplained differences"
          f" (- only in {options.reference}, + only in {options.other})")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
