"""What the MQTT contract says of every result, and of every error by its code."""
import re

# code: status, stages, retryable. None: the contract leaves it open.
ERRORS = {
    **dict.fromkeys(("bad-request", "unknown-verb", "conflicting-envelope", "payload-too-large",
                     "duplicate-conflict", "retained-command", "denied", "response-topic-denied",
                     "unknown-device", "unknown-group", "unknown-command", "unknown-job"),
                    ("rejected", {"agent"}, False)),
    **dict.fromkeys(("queue-full", "shutting-down", "clock-unsynchronised", "storage-failed"),
                    ("rejected", {"queue", "agent"}, True)),
    "expired": ("expired", {"queue"}, False),
    "cancelled": ("cancelled", None, True),
    "timeout": ("timeout", {"operate", "agent"}, True),
    "connect-timeout": ("timeout", {"connect"}, True),
    "discover-timeout": ("timeout", {"discover"}, True),
    **dict.fromkeys(("bluetooth-unavailable", "adapter-missing", "adapter-off", "adapter-blocked"),
                    ("failed", {"agent"}, True)),
    "unauthorized": ("failed", {"agent"}, False),
    "no-slot": ("failed", {"connect"}, True),
    "not-in-range": ("failed", {"scan"}, True),
    **dict.fromkeys(("connect-failed", "link-lost", "device-removed"), ("failed", {"connect", "operate"}, True)),
    **dict.fromkeys(("needs-pairing", "pairing-failed", "pairing-rejected", "stale-bond"),
                    ("failed", {"connect", "operate"}, False)),
    **dict.fromkeys(("no-service", "no-characteristic", "no-descriptor", "ambiguous-characteristic"),
                    ("failed", {"discover"}, False)),
    **dict.fromkeys(("not-supported", "not-permitted", "att-error", "value-too-long"),
                    ("failed", {"operate"}, False)),
    "busy": ("failed", {"operate"}, True),
    **dict.fromkeys(("response-rejected", "bad-checksum", "parse-failed"), ("failed", {"operate"}, False)),
    "result-too-large": ("failed", {"agent"}, False),
    **dict.fromkeys(("bus-lost", "outcome-unknown"), ("unknown", {"operate"}, False)),
    "internal": ("failed", {"agent"}, False),
}
READ_ONLY = {"ping", "info", "scan", "devices", "jobs", "job", "config.get", "diag", "read", "rssi"}
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


class Broken(AssertionError):
    """The agent did something that the contract does not allow."""


def require(condition, complaint):
    if not condition:
        raise Broken(complaint)


def check_stamp(body, gateway):
    """What each JSON message carries."""
    require(body.get("gw") == gateway, f"gw is {body.get('gw')!r}")
    require(isinstance(body.get("boot"), str) and body["boot"], "no boot")
    require(type(body.get("seq")) is int, "seq is no whole number")
    require(isinstance(body.get("ts"), str) and TIME.match(body["ts"]), f"ts is {body.get('ts')!r}")


def check_result(body, gateway, command, dev):
    """A final result has its form and belongs to the command."""
    check_stamp(body, gateway)
    expected = {name: command[name] for name in ("id", "client", "verb")} | ({} if dev is None else {"dev": dev})
    for name, value in expected.items():
        # What is refused may have a verb or a device that nobody knows.
        if name in body or name in ("id", "client") or body.get("status") != "rejected":
            require(body.get(name) == value, f"{name} is {body.get(name)!r}, not {value!r}")
    require(body.get("final") is True, "the result is not final")
    if body.get("status") == "ok":
        require("error" not in body, "an ok result has an error")
        require(isinstance(body.get("result"), dict), "an ok result without result")
        return
    error = body.get("error")
    require(isinstance(error, dict), f"status {body.get('status')!r} without an error")
    require(error.get("code") in ERRORS, f"code {error.get('code')!r} is not in the contract")
    status, stages, retryable = ERRORS[error["code"]]
    require(body["status"] == status, f"{error['code']} has status {body['status']!r}, not {status!r}")
    require(stages is None or error.get("stage") in stages, f"{error['code']} has stage {error.get('stage')!r}")
    require(error.get("retryable") is retryable, f"{error['code']} has retryable {error.get('retryable')!r}")
    changes = command["verb"] not in READ_ONLY and not (
        command["verb"] == "discover" and not command.get("refresh"))
    if changes and status != "rejected":
        require(body.get("applied") in ("no", "maybe", "partly", "yes"), f"applied is {body.get('applied')!r}")
