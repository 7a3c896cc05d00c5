"""Bus, bluetoothd (the simulator), broker and agent: started, held down, started again.

A part is up unless it is held down. `supervise` makes it so, and notes who died without being killed.
"""
import json
import os
import signal
import socket
import time

import disk
import processes
import scenario

GATEWAY = "chaos"
ROOT = f"edge/v1/{GATEWAY}"
GROUPS = {"all": scenario.ADDRESSES[:6], "pair": scenario.ADDRESSES[15:17]}
BUS, BLUETOOTHD, BROKER, AGENT = "bus", "bluetoothd", "broker", "agent"
# In the order of starting.
PARTS = (BUS, BLUETOOTHD, BROKER, AGENT)
# The gap before a part that did not come up is tried again, in seconds.
PATIENCE = 0.2

BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
"""

BROKER_CONFIGURATION = """log_dest stderr
log_type error
log_type warning
log_type notice
allow_anonymous true
user root
persistence true
persistence_location {folder}/
autosave_interval 1
max_queued_messages 0
set_tcp_nodelay true
listener {port} 127.0.0.1
"""

AGENT_CONFIGURATION = {
    "gateway": GATEWAY,
    "logLevel": "debug",
    "mqtt": {"reconnectMinMs": 200, "reconnectMaxMs": 1000},
    "bluetooth": {"settleMs": 3000},
    # Links that go soon and are fewer than devices, so that jobs take their time and wait for one another.
    "links": {"idleMs": 400, "max": 10},
    "limits": {"replayBytes": 256 << 20},
    "groups": GROUPS,
}


class World:
    def __init__(self, folder, binaries, seed, ledger):
        self.folder, self.binaries, self.ledger = folder, binaries, ledger
        # The parts that have to stay down.
        self.children, self.held = {}, set()
        self.tried = dict.fromkeys(PARTS, 0.0)
        # The lives of the agent that were heard of, to know when the present one is up.
        self.boots, self.boots_before = set(), 0
        self.deaths = []
        self.socket = os.path.join(folder, "bus.socket")
        self.call_log = self.path("calls.jsonl")
        self.port = processes.free_port()
        self.disk = disk.disk(self.path("disk"))
        os.mkdir(self.path("broker"))
        self.write("bus.conf", BUS_CONFIGURATION.format(socket=self.socket))
        self.write("mosquitto.conf", BROKER_CONFIGURATION.format(folder=self.path("broker"), port=self.port))
        self.write("scenario.yaml", json.dumps(scenario.scenario(seed), indent=1))
        configuration = {"broker": f"mqtt://127.0.0.1:{self.port}", "stateDir": self.disk.state, **AGENT_CONFIGURATION}
        self.write("edge-agent.yaml", json.dumps(configuration, indent=1))
        open(self.call_log, "a", encoding="ascii").close()
        self.environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.socket}",
                            "SWIFT_BACKTRACE": "enable=no"}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    # Parts.

    def command(self, part):
        if part == BUS:
            return ["dbus-daemon", f"--config-file={self.path('bus.conf')}", "--nofork", "--nosyslog"]
        if part == BLUETOOTHD:
            return [self.binaries["bluez-simulator"], "--bus", f"unix:path={self.socket}",
                    "--scenario", self.path("scenario.yaml"), "--log", self.call_log]
        if part == BROKER:
            return ["mosquitto", "-c", self.path("mosquitto.conf")]
        return [self.binaries["edge-agent"], "run", "--config", self.path("edge-agent.yaml")]

    def running(self, part):
        child = self.children.get(part)
        return bool(child and child.running)

    def ready(self, part):
        """Whether the part runs and does its work."""
        if not self.running(part):
            return False
        child = self.children[part]
        if part == BLUETOOTHD:
            return child.said("ready")
        if part == AGENT:
            return len(self.boots) > self.boots_before
        return accepts(self.socket if part == BUS else ("127.0.0.1", self.port))

    def heard(self, boot):
        """The agent's word that it is online."""
        self.boots.add(boot)

    def freeze(self, part):
        """Keeps a part from running: what is on its way to it stays there."""
        os.kill(self.children[part].pid, signal.SIGSTOP)
        self.ledger.add("life", part=part, what="frozen")

    def end(self, part, number):
        """Ends a part; it stays down as long as it is held."""
        status = self.children[part].kill(number)
        self.ledger.add("life", part=part, what="killed", signal=int(number), status=status)

    def supervise(self):
        """Starts what should run and does not."""
        for part in PARTS:
            child = self.children.get(part)
            if child and not child.running and not child.is_noted:
                child.is_noted = True
                self.note_end(part, child)
            if self.running(part) or part in self.held or time.monotonic() < self.tried[part] + PATIENCE:
                continue
            if part == BLUETOOTHD and not (self.running(BUS) and accepts(self.socket)):
                continue
            self.start(part)

    def start(self, part):
        self.tried[part] = time.monotonic()
        if part == AGENT:
            self.boots_before = len(self.boots)
        piped = part == AGENT and self.disk.kind == disk.Limit.kind
        self.children[part] = processes.Child(self.command(part), self.path(f"{part}.log"), self.environment, piped)
        self.ledger.add("life", part=part, what="started", pid=self.children[part].pid)

    def note_end(self, part, child):
        status = child.process.returncode
        if status == -signal.SIGKILL or (part == BROKER and status == 0):
            return
        # Without its bus bluetoothd ends; that is no fault of its own.
        if part == BLUETOOTHD and status in (69, 75):
            return
        self.deaths.append(f"{part} ended by itself with status {status}")
        self.ledger.add("life", part=part, what="died", status=status)

    def up(self):
        return all(self.ready(part) for part in PARTS)

    def stop_agent(self):
        """Ends the agent in order: its exit status, None when there is none."""
        child = self.children.get(AGENT)
        if not child or not child.running:
            return None
        return child.kill(signal.SIGTERM, seconds=20)

    def close(self):
        for part in reversed(PARTS):
            if part in self.children:
                self.children[part].kill()
        self.disk.close()


def accepts(address):
    kind = socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX
    with socket.socket(kind) as probe:
        probe.settimeout(0.5)
        try:
            probe.connect(address)
            return True
        except OSError:
            return False
