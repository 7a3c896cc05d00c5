"""Who is measured: the agent, the floor, the peer."""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[2]
PEER_PACKAGES = ["bleak==3.1.0", "aiomqtt"]
SERVICE, VALUE, NOTIFYING = (f"{name}-b1e5-4c0d-8000-00805f9b34fb" for name in ("a0000000", "b0000000", "b0000001"))


class Agent:
    name = "agent"
    scan_filter = ["--filter", "edge/v1/bench/scan/+"]
    notify_filter = ["--filter", "edge/v1/bench/dev/+/notify/#"]
    # Nobody asks for advertisements before `scan` does.
    hears_at_once = False
    # It runs as its unit runs it.
    environment = dict(line.split("=", 2)[1:] for line in (PACKAGE / "deploy/edge-agent.service").read_text().splitlines()
                       if line.startswith("Environment="))

    def __init__(self, program, journal=False, more=""):
        self.program, self.journal, self.more = program, journal, more

    def files(self, stand):
        state = f"{stand.folder}/state" if self.journal else "/proc/none"
        return {"agent.yaml": f"gateway: bench\nbroker: mqtt://127.0.0.1:{stand.port}\nstateDir: {state}\nlogLevel: error\n"
                              "links: {idleMs: 3600000}\n" + self.more}

    def command(self, stand):
        return [self.program, "run", "--config", f"{stand.folder}/agent.yaml"]

    def request(self, verb):
        place = f'"service":"{SERVICE}","characteristic":"{NOTIFYING if "subscribe" in verb else VALUE}"'
        rest = {"ping": "", "connect": "", "read": "," + place, "subscribe": "," + place,
                "write": "," + place + ',"value":{"hex":"{marked}"}',
                "disconnect": "", "unsubscribe": "," + place,
                "scan": ',"session":"bench","emit":"all"', "stop": ',"session":"bench"'}[verb]
        name = {"scan": "scan.start", "stop": "scan.stop"}.get(verb, verb)
        topic = "edge/v1/bench/" + ("cmd" if verb in ("ping", "scan", "stop") else "dev/{hex}/cmd")
        payload = '{"id":{id},"client":"b","verb":"%s"%s}' % (name, rest)
        return ["--topic", topic, "--payload", payload, "--filter", f"edge/v1/bench/res/b/+", "--good", '"status":"ok"']


class Floor:
    name = "floor"
    environment = {}
    scan_filter = ["--filter", "f/adv/+"]
    notify_filter = ["--filter", "f/ntf/+"]
    hears_at_once = True

    def __init__(self, programs, drops=False):
        self.programs, self.drops = programs, drops

    def files(self, stand):
        return {}

    def command(self, stand):
        return [self.programs / "floor", stand.port, 1, *(["drop"] if self.drops else [])]

    def request(self, verb):
        value = ',"v":"{marked}"' if verb == "write" else ""
        return ["--topic", "f/req/{addr}", "--payload", '{"id":{id},"op":"%s"%s}' % (verb, value), "--filter", "f/res/+",
                "--good", '"ok":true']


class Peer:
    name = "peer"
    environment = {}
    scan_filter = ["--filter", "g/+/adv"]
    notify_filter = ["--filter", "g/+/ntf"]
    hears_at_once = True

    def __init__(self, python):
        self.python = python

    def files(self, stand):
        return {}

    def command(self, stand):
        return [self.python, HERE / "peer.py", stand.port]

    def request(self, verb):
        value = ',"v":"{marked}"' if verb == "write" else ""
        return ["--topic", "g/{hex}/cmd", "--payload", '{"id":{id},"op":"%s"%s}' % (verb, value), "--filter", "g/+/res",
                "--good", '"ok":true']


def cache():
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"), "edge-agent-bench")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def build():
    """Compiles what is older than its source; where the programs are."""
    folder = cache()
    compiler = next((path for path in map(shutil.which, ("cc", "gcc", "clang")) if path), None)
    if not compiler:
        sys.exit("bench: there is no C compiler; install gcc")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1", "libmosquitto"], capture_output=True, text=True, check=True)
    for name in ("radio", "floor", "load"):
        program, sources = folder / name, (HERE / f"{name}.c", HERE / "rig.h")
        if not program.exists() or program.stat().st_mtime < max(source.stat().st_mtime for source in sources):
            subprocess.run([compiler, "-O2", "-Wall", sources[0], "-o", program, *flags.stdout.split()], check=True)
    return folder


def peer_python():
    """The Python that has the peer's packages, made when it is missing; None, and a line that says so, without PyPI."""
    folder = cache() / "peer"
    python = folder / "bin" / "python"
    works = lambda: python.exists() and subprocess.run([python, "-c", "import bleak, aiomqtt"], capture_output=True).returncode == 0
    if works():
        return python
    for command in ([sys.executable, "-m", "venv", "--clear", folder], [python, "-m", "pip", "install", "-q", "--timeout", "20", *PEER_PACKAGES]):
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if run.returncode:
            break
    if works():
        return python
    why = (run.stderr or run.stdout).strip().splitlines()
    print(f"bench: the peer is left out, its packages could not be had: {why[-1] if why else 'no reason given'}", flush=True)
    return None
