"""Bus, bluetoothd (the simulator), agent, broker and Home Assistant of one run."""
import json
import os
import signal
import subprocess

from . import devices
from .broker import Broker, Observer
from .processes import Child
from .server import Server
from .waiting import wait_for

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
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
GATEWAY = "hall"
ROOT = f"edge/v1/{GATEWAY}"


class World:
    """All of it in one folder; `with` ends it."""

    def __init__(self, folder, programs):
        self.folder, self.programs = folder, programs
        self.socket = folder / "bus.socket"
        (folder / "bus.conf").write_text(BUS.format(socket=self.socket))
        (folder / "scenario.yaml").write_text(json.dumps(devices.SCENARIO, indent=1))
        self.broker = Broker(folder / "broker")
        self.children = {}
        # To be changed by checks before the agent is started again.
        self.configuration = {
            "gateway": GATEWAY, "broker": f"mqtt://127.0.0.1:{self.broker.port}", "logLevel": "debug",
            "stateDir": str(folder / "state"), "mqtt": {"reconnectMinMs": 200, "reconnectMaxMs": 1000},
            "limits": {"healthIntervalSeconds": 1}, "homeAssistant": {"enabled": True}}

    def __enter__(self):
        try:
            self.broker.start()
            self.observer = Observer(self.broker.port)
            self.server = Server(self.folder / "server", self.broker.port)
            self.start_bluetooth()
            self.server.start()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        for child in list(self.children.values())[::-1]:
            child.end(signal.SIGKILL)
        if hasattr(self, "server"):
            self.server.stop()
        if hasattr(self, "observer"):
            self.observer.close()
        self.broker.stop()

    def start(self, name, command):
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.socket}",
                       "SWIFT_BACKTRACE": "enable=no"}
        child = Child(name, command, self.folder / f"{name}.log", environment)
        self.children[name] = child
        return child

    def start_bluetooth(self):
        bus = self.start("bus", ["dbus-daemon", f"--config-file={self.folder / 'bus.conf'}", "--nofork", "--nosyslog"])
        wait_for(lambda: bus.check() and self.socket.exists(), "the bus listens", 10)
        simulator = self.start("simulator", [
            self.programs / "bluez-simulator", "--bus", f"unix:path={self.socket}",
            "--scenario", self.folder / "scenario.yaml", "--log", self.folder / "calls.jsonl"])
        wait_for(lambda: simulator.check() and simulator.said("ready"), "the simulator is ready", 20)

    def start_agent(self):
        """Starts the agent and waits until it is online."""
        file = self.folder / "edge-agent.yaml"
        file.write_text(json.dumps(self.configuration, indent=1))
        mark = self.observer.mark()
        agent = self.start("agent", [self.programs / "edge-agent", "run", "--config", file])
        self.observer.wait(f"{ROOT}/status", mark, lambda message: (message.json or {}).get("state") == "online"
                           and agent.check())

    def reload_agent(self):
        """Has the agent read its profiles again."""
        os.kill(self.children["agent"].process.pid, signal.SIGHUP)

    def perform(self, steps):
        """Lets something happen in the simulated world."""
        subprocess.run(
            ["dbus-send", f"--bus=unix:path={self.socket}", "--print-reply", "--dest=org.bluez",
             "/org/bluez/simulator", "org.bluez.Simulator1.Perform", f"string:{steps}"],
            check=True, capture_output=True, timeout=10)

    def stop_agent(self, number=signal.SIGTERM):
        return self.children["agent"].end(number)

    @staticmethod
    def is_expected(line):
        """Whether a check has caused a complaint of Home Assistant's by what it did."""
        return "The connection was lost" in line or "failed to receive on socket" in line or "No device components to cleanup for" in line

    def start_server(self):
        """Starts Home Assistant once more and waits for its birth message."""
        mark = self.observer.mark()
        self.server.start()
        self.observer.wait("homeassistant/status", mark, lambda message: message.payload == "online", 60)
