"""Shows the judge made-up runs: good ones, in which it has to find nothing, and for each rule bad ones."""
import collections
import json
import types

import commands
import faults
import ledger
import report
import scenario
import verdict

FIRST, SECOND = scenario.ADDRESSES[:2]


def made(number=1, verb="write", changes=True, writes=None, values=(), correlation=None):
    if writes is None:
        writes = [packet()] if verb == "write" else []
    return {"at": number, "event": "command", "client": "red", "id": f"red-{number}", "number": number, "verb": verb,
            "changes": changes, "reply": f"r/red-{number}", "correlation": correlation, "payload": "{}",
            "writes": writes, "values": list(values)}


def packet(part=0, address=FIRST, of=None, idempotent=False):
    return {"part": part, "address": address, "of": of, "idempotent": idempotent}


def answer(number=1, verb="write", status="ok", at=10, topic=None, correlation=None, **more):
    body = {"id": f"red-{number}", "client": "red", "verb": verb, "status": status, "final": True, **more}
    if status != "ok":
        body.setdefault("error", {"code": "internal", "stage": "operate"})
    if more.get("error") == {}:
        del body["error"]
    replayed = body.pop("replayed", None)
    # As the agent does it: the last member, and nothing else differs.
    text = json.dumps(body, separators=(",", ":"))
    if replayed:
        text = text[:-1] + ',"replayed":true}'
    return {"at": at, "event": "result", "client": "red", "id": f"red-{number}", "topic": topic or f"r/red-{number}",
            "payload": text, "correlation": correlation}


def written(number=1, part=0, address=FIRST, rest="00", member="WriteValue", before=""):
    device = scenario.colons(address).replace(":", "_")
    return json.dumps({"member": member, "path": f"/org/bluez/hci0/dev_{device}/service0001/char0002",
                       "arguments": [before + commands.mark(number, part) + rest, {}]})


def again(number=1, at=20):
    return {"at": at, "event": "again", "client": "red", "id": f"red-{number}"}


READ = {"verb": "read", "changes": False}
STEPS = [packet(0, of={"step": 0}), packet(1, of={"step": 1})]
MEMBERS = [packet(0, FIRST, {"member": FIRST}), packet(0, SECOND, {"member": SECOND})]


def steps(*states, **more):
    return {"result": {"steps": [{"verb": "write", "status": s, "applied": a} if a else {"verb": "write", "status": s}
                                 for s, a in states]}, **more}


def members(first, second):
    return {"result": {"members": [{"address": FIRST, **first}, {"address": SECOND, **second}]}}


OK, NOT_BEGUN, MAYBE = ("ok", None), ("cancelled", "no"), ("timeout", "maybe")
# What is shown: a name, the events, the lines of the log, and the rules that have to speak.
SAMPLES = [
    ("one write, answered once", [made(), answer()], [written()], []),
    ("the same bytes, replayed", [made(), answer(), answer(replayed=True), again(), answer(at=21)], [written()], []),
    ("an idempotent write, written twice", [made(writes=[packet(idempotent=True)]), answer()], [written()] * 2, []),
    ("unknown, and written", [made(), answer(status="unknown", applied="maybe")], [written()], []),
    ("unknown, and not written", [made(), answer(status="unknown", applied="maybe")], [], []),
    ("refused by the device", [made(), answer(status="failed", applied="no")], [written()], []),
    ("cancelled in time", [made(), answer(status="cancelled", applied="no")], [], []),
    ("a reading, carried out anew in another life",
     [made(**READ), answer(verb="read", boot="a", seq=1), answer(verb="read", boot="b", seq=2)], [], []),
    ("steps that are not final", [made(), {**answer(), "payload": json.dumps(
        {"id": "red-1", "client": "red", "verb": "write", "status": "started", "final": False})}, answer()],
     [written()], []),
    ("a frame with a mark within", [made(), answer()], [written(before="7e0108")], []),
    ("two packets in one call", [made(writes=[packet(0), packet(1)]), answer()],
     [written(rest="0000" + commands.mark(1, 1))], []),
    ("a line cut short by a kill", [made(), answer()], [written(), written()[:40]], []),
    ("another call with the same bytes", [made(), answer()], [written(), written(member="ReadValue")], []),
    ("a sequence that stopped",
     [made(writes=STEPS), answer(status="partial", applied="partly", **steps(OK, NOT_BEGUN))], [written(part=0)], []),
    ("a group of which one failed", [made(writes=MEMBERS), answer(
        status="partial", applied="partly", **members({"status": "ok"}, {"status": "timeout", "applied": "maybe"}))],
     [written(address=FIRST)], []),
    ("the right value", [made(**READ, values=[{"hex": "01", "of": None}]),
                         answer(verb="read", result={"value": {"hex": "01"}})], [], []),

    ("no answer", [made()], [written()], ["no-result"]),
    ("no final answer", [made(), {**answer(), "payload": json.dumps(
        {"id": "red-1", "client": "red", "verb": "write", "status": "started", "final": False})}], [], ["no-result"]),
    ("no answer to the repetition", [made(), answer(), again()], [written()], ["not-replayed"]),
    ("ok, and never written", [made(), answer()], [], ["ok-not-written"]),
    ("ok, and written elsewhere", [made(), answer()], [written(address=SECOND)], ["ok-not-written", "stray"]),
    ("ok, and one packet missing", [made(writes=[packet(0), packet(1)]), answer()], [written()], ["ok-not-written"]),
    ("an ok step, never written", [made(writes=STEPS), answer(status="partial", applied="partly", **steps(OK, MAYBE))],
     [written(part=1)], ["ok-not-written"]),
    ("an ok member, never written", [made(writes=MEMBERS), answer(
        status="partial", applied="partly", **members({"status": "ok"}, {"status": "timeout", "applied": "maybe"}))],
     [written(address=SECOND)], ["ok-not-written"]),
    ("written twice", [made(), answer()], [written()] * 2, ["written-twice"]),
    ("written twice, and unknown", [made(), answer(status="unknown", applied="maybe")], [written()] * 2,
     ["written-twice"]),
    ("written twice, and never answered", [made()], [written()] * 2, ["no-result", "written-twice"]),
    ("a step written twice", [made(writes=STEPS), answer(**steps(OK, OK))],
     [written(part=0), written(part=1), written(part=1)], ["written-twice"]),
    ("two results", [made(), answer(seq=1), answer(seq=2)], [written()], ["differs"]),
    ("two results, one called replayed", [made(), answer(seq=1), answer(seq=2, replayed=True)], [written()],
     ["differs"]),
    ("two results in two lives", [made(), answer(boot="a"), answer(boot="b")], [written()], ["differs"]),
    ("two readings in one life",
     [made(**READ), answer(verb="read", boot="a", seq=1), answer(verb="read", boot="a", seq=2)], [],
     ["differs-in-life"]),
    ("rejected, and written", [made(), answer(status="rejected", applied="no")], [written()], ["no-but-written"]),
    ("expired, and written", [made(), answer(status="expired", applied="no")], [written()], ["no-but-written"]),
    ("cancelled, and written", [made(), answer(status="cancelled", applied="no")], [written()], ["no-but-written"]),
    ("not connected, and written",
     [made(), answer(status="timeout", applied="no", error={"code": "connect-timeout", "stage": "connect"})],
     [written()], ["no-but-written"]),
    ("a step not begun, and written",
     [made(writes=STEPS), answer(status="partial", applied="partly", **steps(OK, NOT_BEGUN))],
     [written(part=0), written(part=1)], ["no-but-written"]),
    ("rejected, then carried out", [made(), answer(status="rejected", applied="no"), answer()], [written()],
     ["differs", "no-but-written"]),
    ("another value", [made(**READ, values=[{"hex": "01", "of": None}]),
                       answer(verb="read", result={"value": {"hex": "02"}})], [], ["value"]),
    ("no value", [made(**READ, values=[{"hex": "01", "of": None}]), answer(verb="read")], [], ["value"]),
    ("a result that nobody asked for", [made(), answer(), answer(2)], [written()], ["foreign"]),
    ("bytes that nobody asked for", [made(), answer()], [written(), written(2)], ["stray"]),
    ("no JSON", [made(), {**answer(), "payload": "{"}, answer()], [written()], ["form"]),
    ("another topic", [made(), answer(topic="r/red-2"), answer()], [written()], ["form"]),
    ("without its correlation data", [made(correlation="x"), answer(), answer(correlation="x")], [written()], ["form"]),
    ("another verb", [made(), answer(verb="read"), answer()], [written()], ["form"]),
    ("an unheard status", [made(), answer(status="fine"), answer()], [written()], ["form"]),
    ("not a word about applied", [made(), answer(status="failed"), answer()], [written()], ["form"]),
    ("no reason", [made(), answer(status="failed", applied="no", error={}), answer()], [written()], ["form"]),
]


def check_samples():
    spoken = set()
    for name, events, lines, expected in SAMPLES:
        found = sorted({finding.rule for finding in verdict.judge(events, lines).findings})
        spoken.update(found)
        if found != sorted(expected):
            yield f"{name}: found {found}, not {sorted(expected)}"
    for rule in verdict.RULES.keys() - spoken:
        yield f"no sample makes the rule {rule} speak"


def check_tameness():
    options = types.SimpleNamespace(seconds=300, kinds=["bus"])
    for count, ok, happened, is_tame in ((2000, 900, 20, False), (1999, 900, 20, True), (2000, 100, 20, True),
                                         (2000, 900, 19, True)):
        found = verdict.Verdict()
        found.counts["commands"], found.endings["ok"] = count, ok
        if bool(list(report.tame(options, found, {"bus": happened}))) != is_tame:
            yield f"{count} commands, {ok} of them ok, {happened} faults: too tame should be {is_tame}"


def check_plan():
    """The seed says all, and there are enough faults, commands and kinds of them."""
    for seconds in (60, 300):
        plan = faults.schedule(1, seconds, faults.KINDS)
        if [entry[:3] for entry in plan] != [entry[:3] for entry in faults.schedule(1, seconds, faults.KINDS)]:
            yield "two schedules of one seed differ"
        counts = collections.Counter(kind for _, kind, _, _ in plan)
        if any(counts[kind] < faults.demanded(seconds) for kind in faults.KINDS):
            yield f"{seconds} s: fewer faults planned than demanded: {counts}"
    decks = [commands.Deck(seed, "red", 1, 2) for seed in (1, 1, 2)]
    bodies = [[deck.draw(["red-1"]).body for _ in range(2000)] for deck in decks]
    kept = [[{key: value for key, value in body.items() if key != "expires"} for body in deck] for deck in bodies]
    if kept[0] != kept[1] or kept[0] == kept[2]:
        yield "the seed does not say what is commanded"
    if missing := set(commands.KINDS) - {made_kind(commands.Deck(1, "red", 1, 2), kind) for kind in commands.KINDS}:
        yield f"kinds that are not made: {missing}"
    drawn = {body["verb"] for body in bodies[0]}
    wanted = {"write", "transact", "sequence", "subscribe", "unsubscribe", "connect", "disconnect", "read", "rssi",
              "discover", "scan", "devices", "jobs", "job", "ping", "info", "scan.start", "scan.stop", "cancel",
              "adapter.power"}
    if drawn != wanted:
        yield f"verbs that are not drawn, or not known: {drawn ^ wanted}"


def made_kind(deck, kind):
    made_command = getattr(deck, f"make_{kind}")(kind, 1, ["red-1"])
    # It has to be possible to write it down.
    ledger.Ledger().add("command", writes=made_command.writes, body=json.dumps(made_command.body))
    return made_command.kind


def run():
    """The number of things that are wrong; each is printed."""
    wrong = [*check_samples(), *check_tameness(), *check_plan()]
    for text in wrong:
        print(f"self-test: {text}")
    print(f"chaos: self-test, {len(SAMPLES)} made-up runs, {len(wrong)} wrong")
    return len(wrong)
