"""What may be said of a run afterwards, from its ledger and the simulator's log of calls.

Nothing here looks at processes or sockets: `judge` takes events and lines, so that made-up ones can be shown to it, and
a kept run can be judged again.
"""
import collections
import json
import re

import commands

UNANSWERED, LOST, DOUBLED, FALSE = "unanswered", "lost", "doubled", "false"
CATEGORIES = (LOST, DOUBLED, UNANSWERED, FALSE)
# What may be found, and what each counts as.
RULES = {
    "ok-not-written": LOST,
    "differs": DOUBLED, "differs-in-life": DOUBLED, "written-twice": DOUBLED,
    "no-result": UNANSWERED, "not-replayed": UNANSWERED,
    "no-but-written": FALSE, "value": FALSE, "form": FALSE, "foreign": FALSE, "stray": FALSE,
}
FINAL = {"ok", "failed", "rejected", "expired", "timeout", "cancelled", "partial", "unknown"}
NEVER_RAN = {"rejected", "expired", "cancelled"}
REPLAYED = b',"replayed":true'
PACKET = re.compile(f"(?:..)*?{commands.MARK}(.{{8}})(..)")

Finding = collections.namedtuple("Finding", "category rule client id text")


class Verdict:
    """The findings of a run, and its counts."""

    def __init__(self):
        self.findings = []
        self.counts = dict.fromkeys(("commands", "changing", "published", "results", "replayed", "packets"), 0)
        self.verbs, self.endings, self.codes = (collections.Counter() for _ in range(3))

    def find(self, rule, command, text):
        self.findings.append(Finding(RULES[rule], rule, command.get("client"), command.get("id"), text))

    def number(self, category):
        """How many commands have a finding of that category."""
        return len({(f.client, f.id) for f in self.findings if f.category == category})


def packets(lines):
    """How often each marked packet was written: by (number, packet, address)."""
    written = collections.Counter()
    for line in lines:
        try:
            call = json.loads(line)
        except ValueError:
            # The simulator was killed while it wrote; its caller had no answer then.
            continue
        if call.get("member") != "WriteValue":
            continue
        device = re.search("/dev_((?:.._){5}..)", call["path"])
        address = device[1].replace("_", "").lower() if device else ""
        rest = call["arguments"][0] if call["arguments"] else ""
        while found := PACKET.match(rest):
            written[(int(found[1], 16), int(found[2], 16), address)] += 1
            rest = rest[found.end():]
    return written


def judge(events, lines):
    verdict = Verdict()
    written = packets(lines)
    verdict.counts["packets"] = sum(written.values())
    made, results, again = {}, collections.defaultdict(list), collections.defaultdict(list)
    for event in events:
        if event["event"] not in ("command", "sent", "result", "again"):
            continue
        key = (event["client"], event["id"])
        if event["event"] == "command":
            made[key] = event
        elif event["event"] == "sent":
            verdict.counts["published"] += 1
        elif event["event"] == "again":
            again[key].append(event["at"])
        else:
            results[key].append(event)
    for key in results.keys() - made.keys():
        verdict.find("foreign", {"client": key[0], "id": key[1]}, f"nobody asked: {results[key][0]['payload']}")
    for key, command in made.items():
        judge_command(verdict, command, results[key], written)
        for at in again[key]:
            if not any(result["at"] > at and is_final(result) for result in results[key]):
                verdict.find("not-replayed", command, "was answered once, and not when it was repeated")
    judge_packets(verdict, made.values(), written)
    return verdict


def body_of(result):
    try:
        body = json.loads(result["payload"])
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def is_final(result):
    return (body_of(result) or {}).get("final") is True


def judge_command(verdict, command, results, written):
    verdict.counts["commands"] += 1
    verdict.counts["changing"] += command["changes"]
    verdict.verbs[command["verb"]] += 1
    finals = []
    for result in results:
        body = body_of(result)
        wrong = wrong_form(command, result, body)
        if wrong:
            verdict.find("form", command, f"{wrong}: {result['payload']}")
        elif body["final"]:
            finals.append((result, body))
            verdict.counts["results"] += 1
            verdict.counts["replayed"] += body.get("replayed") is True
    if not finals:
        verdict.find("no-result", command, command["payload"])
        return
    first = finals[0][1]
    verdict.endings[first["status"]] += 1
    if first["status"] != "ok":
        verdict.codes[first["error"]["code"]] += 1
    if command["changes"]:
        judge_sameness(verdict, command, [result for result, _ in finals], "differs", "")
    else:
        lives = collections.defaultdict(list)
        for result, body in finals:
            lives[body.get("boot")].append(result)
        for boot, results_of_life in lives.items():
            judge_sameness(verdict, command, results_of_life, "differs-in-life", f" in the agent's life {boot}")
    for body in {bare(result): body for result, body in finals}.values():
        judge_words(verdict, command, body, written)


def bare(result):
    """The bytes of a result without `replayed`."""
    return result["payload"].encode().replace(REPLAYED, b"", 1)


def judge_sameness(verdict, command, results, rule, where):
    different = list(dict.fromkeys(bare(result) for result in results))
    if len(different) > 1:
        texts = " AND ".join(text.decode() for text in different)
        verdict.find(rule, command, f"{len(different)} results{where}: {texts}")


def wrong_form(command, result, body):
    """What is wrong with a result's form or envelope; None when all is well."""
    if body is None:
        return "not a JSON object"
    if not isinstance(body.get("final"), bool):
        return "final is neither true nor false"
    if result["topic"] != command["reply"]:
        return f"came on {result['topic']}, not on {command['reply']}"
    if result.get("correlation") != command.get("correlation"):
        return f"correlation data {result.get('correlation')!r}, not {command.get('correlation')!r}"
    for field in ("client", "verb"):
        if body.get(field) != command[field]:
            return f"{field} is not {command[field]}"
    if not body["final"]:
        return None
    if body.get("status") not in FINAL:
        return "no final status"
    if command["changes"] and body["status"] != "ok" and "applied" not in body:
        return "changes something, is not ok, and does not say applied"
    if body["status"] != "ok" and not (body.get("error") or {}).get("code"):
        return "is not ok, and does not say why"
    return None


def part(body, of):
    """The part of a result that speaks of a step or a member; the whole where nothing tells them apart."""
    if of is None or not isinstance(body.get("result"), dict):
        return body
    if "step" in of:
        steps = body["result"].get("steps") or []
        return steps[of["step"]] if of["step"] < len(steps) else body
    members = body["result"].get("members") or []
    return next((member for member in members if member.get("address") == of["member"]), body)


def never_reached(word):
    """Whether a result says that the device was never told anything."""
    stage = (word.get("error") or {}).get("stage")
    return word.get("applied") == "no" and (word["status"] in NEVER_RAN or stage != "operate")


def judge_words(verdict, command, body, written):
    """Whether what a result says is so."""
    for packet in command["writes"]:
        word = part(body, packet["of"])
        count = written[(command["number"], packet["part"], packet["address"])]
        place = f"packet {packet['part']} at {packet['address']}"
        if word["status"] == "ok" and not count:
            verdict.find("ok-not-written", command, f"{place} is not in the log: {json.dumps(body)}")
        if never_reached(word) and count:
            verdict.find("no-but-written", command, f"{place} is in the log {count} times: {json.dumps(body)}")
    for value in command["values"]:
        word = part(body, value["of"])
        if word["status"] != "ok":
            continue
        found = ((word.get("result") or {}).get("value") or {}).get("hex")
        if found != value["hex"]:
            verdict.find("value", command, f"{found} is not {value['hex']}: {json.dumps(body)}")


def judge_packets(verdict, made, written):
    """Whether each written packet was asked for, there, and once."""
    asked = {(command["number"], packet["part"], packet["address"]): (command, packet)
             for command in made for packet in command["writes"]}
    for key, count in written.items():
        if key not in asked:
            verdict.find("stray", {"id": f"number {key[0]}"}, f"packet {key[1]} at {key[2]}: nobody asked")
            continue
        command, packet = asked[key]
        if count > 1 and not packet["idempotent"]:
            verdict.find("written-twice", command, f"packet {key[1]} at {key[2]} is in the log {count} times")
