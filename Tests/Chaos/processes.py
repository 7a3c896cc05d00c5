"""Child processes, ended by their ids, and a free port."""
import os
import signal
import socket
import subprocess
import threading
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Child:
    """A process whose output is appended to a file; it ends with this one, whatever becomes of this one.

    To be made by the main thread alone: children end with the thread that made them. `piped`: the output comes
    through a pipe, so that a limit on the child's files does not touch it.
    """

    def __init__(self, command, log, environment=None, piped=False):
        self.log = log
        # Whether somebody has taken notice of its end.
        self.is_noted = False
        self.born = time.monotonic()
        self.mark = os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as file:
            # A session of its own: Ctrl-C is for this program alone, which then ends its children in order.
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else file, stderr=subprocess.STDOUT,
                env=environment, start_new_session=True)
        if piped:
            threading.Thread(target=self.copy, daemon=True).start()

    def copy(self):
        with open(self.log, "ab", buffering=0) as file:
            while data := os.read(self.process.stdout.fileno(), 65536):
                file.write(data)

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process.poll() is None

    def said(self, text):
        """Whether a text stands in what it has put out so far."""
        with open(self.log, "rb") as file:
            file.seek(self.mark)
            return text.encode() in file.read(4096)

    def kill(self, number=signal.SIGKILL, seconds=10):
        """Sends a signal and waits for the end, by force after a while; the exit status, or minus the signal."""
        if self.running:
            os.kill(self.pid, number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.kill(self.pid, signal.SIGKILL)
            return self.process.wait()
