"""A stand: a bus, a broker, a radio and one contender of their own, and how they are measured."""
import itertools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
"""
BROKER = """listener {port} 127.0.0.1
allow_anonymous true
persistence false
set_tcp_nodelay true
max_queued_messages 0
max_inflight_messages 0
log_type error
sys_interval 0
"""


class Failed(Exception):
    """Something that is measured did not do what it should."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# Ids are never used twice: a repeated command would only be answered again.
ids = itertools.count(0, 1_000_000)


class Process:
    """A child process and what it costs."""

    def __init__(self, command, log, environment):
        self.log = log
        self.born = time.monotonic_ns()
        with open(log, "ab") as file:
            self.child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *map(str, command)], env=environment,
                                          stdin=subprocess.DEVNULL, stdout=file, stderr=file)

    def threads(self):
        return [pathlib.Path(f"/proc/{self.child.pid}/task/{number}") for number in os.listdir(f"/proc/{self.child.pid}/task")]

    def cpu(self):
        """Seconds on a processor so far."""
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in self.threads()) / 1e9

    def wakes(self):
        """How often its threads have gone to sleep so far."""
        return sum(int(line.split()[1]) for thread in self.threads() for line in (thread / "status").read_text().splitlines()
                   if line.startswith("voluntary_ctxt_switches"))

    def status(self, key):
        for line in open(f"/proc/{self.child.pid}/status"):
            if line.startswith(key + ":"):
                return int(line.split()[1])
        return 0

    def resident(self):
        """MiB in memory."""
        return self.status("VmRSS") / 1024

    def check(self):
        if self.child.poll() is not None:
            raise Failed(f"{self.child.args[3]} ended with {self.child.returncode}: {self.tail()}")

    def tail(self):
        with open(self.log, "rb") as file:
            return file.read()[-400:].decode(errors="replace").strip()

    def end(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(3)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()


class Stand:
    """One contender in a world of its own; use it in a `with`."""

    def __init__(self, contender, programs, devices=100, linked=50):
        self.contender, self.programs, self.linked = contender, programs, min(devices, linked)
        self.folder = tempfile.mkdtemp(prefix="edge-bench-")
        self.port = free_port()
        self.environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/bus", "SWIFT_BACKTRACE": "enable=no"}
        self.processes = []
        self.radio_options = ["--devices", devices, "--linked", self.linked]

    def __enter__(self):
        try:
            self.write("bus.conf", BUS.format(folder=self.folder))
            self.write("broker.conf", BROKER.format(port=self.port))
            self.start_bus()
            self.start_broker()
            self.process = None
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_bus(self):
        """A bus, and the radio on it."""
        if os.path.exists(f"{self.folder}/bus"):
            os.unlink(f"{self.folder}/bus")
        self.bus = self.start("bus", ["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile", "--nosyslog"])
        # The socket is there a moment before somebody listens on it.
        self.until(lambda: self.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetId"))
        self.radio = self.start("radio", [self.programs / "radio", *self.radio_options])
        self.until(lambda: self.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetNameOwner", "string:org.bluez"))

    def start_broker(self):
        self.broker = self.start("broker", ["mosquitto", "-c", f"{self.folder}/broker.conf"])
        self.until(self.accepts)

    def restart_bus(self):
        for process in (self.radio, self.bus):
            self.drop(process)
        self.start_bus()

    def restart_broker(self):
        self.drop(self.broker)
        self.start_broker()

    def drop(self, process):
        process.end()
        self.processes.remove(process)

    def write(self, name, text):
        pathlib.Path(self.folder, name).write_text(text)

    def start(self, name, command, environment={}):
        process = Process(command, f"{self.folder}/{name}.log", {**self.environment, **environment})
        self.processes.append(process)
        return process

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise Failed("bus, broker or radio did not come up: " + "; ".join(process.tail() for process in self.processes))
            time.sleep(0.01)

    def accepts(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def call(self, to, path, member, *arguments):
        command = ["dbus-send", "--system", "--print-reply", f"--dest={to}", path, member, *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True).returncode == 0

    def advertise(self, rate, fresh=False):
        """Has the radio advertise until `quiet`; whoever is on the bus hears it."""
        self.call("org.bluez", "/rig", "rig.Radio1.Advertise", f"double:{rate}", "uint64:0", f"boolean:{str(fresh).lower()}")

    def quiet(self):
        self.call("org.bluez", "/rig", "rig.Radio1.Stop")

    # The contender

    def launch(self):
        """Starts the contender and waits for its first answer; milliseconds from its start to that."""
        for name, text in self.contender.files(self).items():
            self.write(name, text)
        # What asks listens before there is anybody to be asked.
        asker = subprocess.Popen(self.load_command("probe", self.contender.request("ping"), count=20000, seconds=20),
                                 env=self.environment, stdout=subprocess.PIPE, text=True)
        time.sleep(0.15)
        self.process = self.start("contender", self.contender.command(self), self.contender.environment)
        figures = self.figures(asker.communicate(timeout=30)[0])
        if not figures["got"]:
            raise Failed(f"{self.contender.name} gave no answer: {figures['sample']} {self.process.tail()}")
        time.sleep(0.3)
        return (figures["end"] - self.process.born) / 1e6

    def load_command(self, mode, words, **options):
        options = {"port": self.port, "qos": 1, "first": next(ids), **options}
        return list(map(str, [self.programs / "load", mode, *words, *(part for name, value in options.items() for part in (f"--{name}", value))]))

    @staticmethod
    def figures(text):
        try:
            return json.loads(text)
        except ValueError:
            raise Failed(f"no figures: {text[:200]}") from None

    def load(self, mode, words, **options):
        """Gives the contender work; what it took, with the processor time of each operation in microseconds."""
        before = self.process.cpu()
        run = subprocess.run(self.load_command(mode, words, **options), env=self.environment, capture_output=True, text=True, timeout=150)
        self.process.check()
        if run.returncode:
            raise Failed(f"{self.contender.name}, {mode}: {run.stderr.strip()}")
        figures = self.figures(run.stdout)
        if figures["bad"]:
            raise Failed(f"{self.contender.name}, {mode}: {figures['bad']} answers like {figures['sample']}")
        if not figures["got"]:
            raise Failed(f"{self.contender.name}, {mode}: nothing came")
        figures["cpu"] = (self.process.cpu() - before) * 1e6 / figures["got"]
        return figures

    def commands(self, verb, count, window=1, devices=1, seconds=60):
        figures = self.load("commands", self.contender.request(verb), count=count, window=window, devices=devices, seconds=seconds)
        if figures["got"] < count:
            raise Failed(f"{self.contender.name}: {count - figures['got']} of {count} {verb}s without an answer")
        return figures

    def over(self, seconds):
        """Processor time in per cent, wake-ups a second and MiB, while nothing is asked."""
        cpu, wakes, start = self.process.cpu(), self.process.wakes(), time.monotonic()
        time.sleep(seconds)
        span = time.monotonic() - start
        return (self.process.cpu() - cpu) * 100 / span, (self.process.wakes() - wakes) / span, self.process.resident()
