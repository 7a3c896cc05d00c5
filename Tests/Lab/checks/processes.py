"""The broker and the agent as child processes, ended by their process ids."""
import os
import pwd
import signal
import socket
import subprocess
import time

# The user that the package makes, as its unit leaves it: no further groups, no capabilities, and no way to gain any.
USER = "edge-agent"
AS_USER = ["/usr/bin/setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all",
           "--bounding-set=-all", "--no-new-privs", "--"]
# Between two messages about the agent's health.
HEALTH_SECONDS = 10


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Child:
    """A process whose output goes to a file."""

    def __init__(self, command, log):
        self.log = log
        with open(log, "ab") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)

    @property
    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        if self.running:
            os.kill(self.process.pid, number)

    def end(self, seconds=10):
        """SIGTERM, and SIGKILL when that does not help in time; the exit status."""
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
            return self.process.wait()


def start_broker(folder):
    """mosquitto on a free port of the loopback interface; the child and its port."""
    port = free_port()
    configuration = os.path.join(folder, "mosquitto.conf")
    with open(configuration, "w", encoding="ascii") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\n"
                   "set_tcp_nodelay true\n")
    child = Child(["/usr/sbin/mosquitto", "-c", configuration], os.path.join(folder, "broker.log"))
    for _ in range(500):
        if not child.running:
            raise RuntimeError("mosquitto ended: " + open(child.log, encoding="utf-8").read())
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return child, port
        except OSError:
            time.sleep(0.02)
    child.end()
    raise RuntimeError("mosquitto does not listen")


def within_reach(binary):
    """The agent's program where its user can run it, wherever the checkout is."""
    place = "/run/lab/edge-agent"
    if not os.path.exists(place):
        open(place, "wb").close()
        subprocess.run(["mount", "--bind", binary, place], check=True)
    return place


def state_for_agent(folder):
    """A state directory and a configuration, with the owners and modes that the package gives them; the latter's path."""
    user = pwd.getpwnam(USER)
    configuration = f"{folder}.yaml"
    if not os.path.isdir(folder):
        os.mkdir(folder, 0o750)
        os.chown(folder, user.pw_uid, user.pw_gid)
        with open(configuration, "w", encoding="ascii") as file:
            file.write(f"limits: {{healthIntervalSeconds: {HEALTH_SECONDS}}}\n")
        os.chmod(configuration, 0o640)
        os.chown(configuration, 0, user.pw_gid)
        os.chmod(os.path.dirname(folder), 0o711)
    return configuration


def start_agent(binary, port, gateway, state_folder, log):
    """The agent as its own user; the child is the agent itself, and no helper."""
    return Child([*AS_USER, within_reach(binary), "run", "--config", state_for_agent(state_folder),
                  "--broker", f"mqtt://127.0.0.1:{port}", "--gateway", gateway, "--state-dir", state_folder,
                  "--log-level", "debug"], log)
