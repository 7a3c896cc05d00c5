"""What happened, in the order of happening: events in memory and as JSON lines in a file.

Events: `command` (made, with all that is needed to judge it), `sent` (each time that it was published), `result` (each
message that came for it), `fault` (`began`, `ended`), `life` (a process `started`, `killed` or `died`), `phase`.
"""
import json
import time


class Ledger:
    def __init__(self, path=None):
        self.began = time.monotonic()
        self.events = []
        self.file = open(path, "w", encoding="utf-8", buffering=1) if path else None

    def add(self, event, **fields):
        entry = {"at": round(time.monotonic() - self.began, 3), "event": event, **fields}
        self.events.append(entry)
        if self.file:
            self.file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        return entry

    def close(self):
        if self.file:
            self.file.close()
            self.file = None


def read(path):
    """The events of a kept ledger."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]
