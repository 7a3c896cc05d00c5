"""Child processes, ended by their ids, and a free port."""
import os
import signal
import socket
import subprocess

from .waiting import Failure


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Child:
    """A process whose output is appended to a file; it ends with this one, whatever becomes of this one.

    To be made by the main thread alone: children end with the thread that made them.
    """

    def __init__(self, name, command, log, environment=None):
        self.name, self.log = name, log
        self.mark = os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *map(str, command)], stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT, env=environment, start_new_session=True)

    def said(self, text=""):
        """What it has put out so far, if that has a text in it."""
        with open(self.log, "rb") as file:
            file.seek(self.mark)
            output = file.read().decode(errors="replace")
        return output if text in output else None

    def check(self):
        """Fails when it has ended."""
        if self.process.poll() is not None:
            raise Failure(f"{self.name} ended with {self.process.returncode}:\n{self.said()[-3000:]}")
        return True

    def end(self, number=signal.SIGTERM, seconds=30):
        """Sends a signal and waits for the end, by force after a while; the exit status."""
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.kill(self.process.pid, signal.SIGKILL)
            return self.process.wait()
