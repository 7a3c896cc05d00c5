"""What a check works with: the devices, the daemon, the broker, the agent and a caller."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile

import contract
import processes
from gateway import Gateway

RADIO_SOCKET = "/run/lab/radio.sock"
BLUETOOTHD_PID = "/run/lab/bluetoothd.pid"


class Device:
    """A virtual device: its key in the lab and its name in topics."""

    def __init__(self, key, address, name):
        self.key, self.address, self.name = key, address, name
        self.dev = address.replace(":", "").lower()


class Bench:
    """Set up once for all checks; a context manager that ends what it started."""
    GATEWAY = "lab"

    def __init__(self, agent_binary, agent_log=None):
        self.binary = agent_binary
        self.folder = tempfile.mkdtemp(prefix="lab-checks.", dir="/dev/shm")
        self.agent_log = agent_log or os.path.join(self.folder, "agent.log")
        self.agent = self.broker = self.gateway = None
        self.devices = {}

    def __enter__(self):
        for line in self.radio("list").splitlines():
            key, address, _state, _rssi, name = line.split("\t")
            self.devices[key] = Device(key, address, name)
        self.broker, port = processes.start_broker(self.folder)
        self.port = port
        self.gateway = Gateway(self.GATEWAY, port)
        self.start_agent()
        return self

    def __exit__(self, *_):
        for child in (self.agent, self.broker):
            if child is not None:
                child.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __getitem__(self, key):
        """A device's name in topics."""
        return self.devices[key].dev

    # The agent.

    def start_agent(self):
        """Starts it and waits until it has said all that it says at the start."""
        self.agent = processes.start_agent(self.binary, self.port, self.GATEWAY,
                                           os.path.join(self.folder, "state"), self.agent_log)
        old = self.boot
        self.gateway.until(lambda: self.boot not in (None, old) and self.gateway.latest[
            self.gateway.path("status")].get("state") == "online", 30, "a status with a new boot")
        # What is retained from the last start says nothing of this one.
        self.gateway.until(lambda: (self.gateway.latest.get(self.gateway.path("bluetooth")) or {}).get(
            "boot") == self.boot, 30, "the state of Bluetooth after the start")
        self.gateway.state("bluetooth", is_="ready")

    @property
    def boot(self):
        """The start of the agent that the status names."""
        return (self.gateway.latest.get(self.gateway.path("status")) or {}).get("boot")

    def stop_agent(self, number=signal.SIGTERM):
        """Sends a signal and waits for the end; the exit status."""
        self.agent.signal(number)
        code = self.agent.process.wait(20)
        if number == signal.SIGKILL:
            self.gateway.agent_killed()
        return code

    def require_agent(self):
        contract.require(self.agent.running, f"the agent ended with status {self.agent.process.returncode}")

    def agent_log_end(self, lines=30):
        try:
            with open(self.agent_log, encoding="utf-8", errors="replace") as file:
                return "".join(file.readlines()[-lines:])
        except OSError:
            return ""

    # The other side.

    def radio(self, *words):
        """A command for the virtual radios, without a process of its own."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(RADIO_SOCKET)
            connection.sendall((" ".join(words) + "\n").encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        verdict, _, text = answer.partition("\n")
        if verdict != "ok":
            raise RuntimeError(f"radio {' '.join(words)}: {verdict}")
        return text

    def link_state(self, key):
        """A device's own view: connected, advertising or silent."""
        return next(line.split("\t")[2] for line in self.radio("list").splitlines() if line.startswith(f"{key}\t"))

    def written(self, key):
        """What was written to a device so far: (short UUID or UUID, bytes)."""
        lines = (line.split(" ") for line in self.radio("log", key).splitlines())
        return [(words[0], bytes.fromhex(words[-1])) for words in lines]

    def links_made(self, key):
        """How many links a device has had."""
        return int(self.radio("links", key))

    @staticmethod
    def signal_bluetoothd(number):
        """At once, without a process of its own; `labctl bluetoothd` is still to take note of an end."""
        with open(BLUETOOTHD_PID, encoding="ascii") as file:
            os.kill(int(file.read()), number)

    def kill_bluetoothd(self):
        self.signal_bluetoothd(signal.SIGKILL)

    def mend(self):
        """After a check that failed: what it has left broken breaks no other."""
        if not self.agent.running:
            self.start_agent()
        if self.gateway.latest[self.gateway.path("bluetooth")]["state"] != "ready":
            self.labctl("bluetoothd", "restart")
            subprocess.run(["labctl", "radio", "plug", "0"], check=False)
            self.gateway.state("bluetooth", is_="ready", seconds=60)

    @staticmethod
    def labctl(*words):
        subprocess.run(["labctl", *words], check=True)
