"""The agent's disk, whose space can be taken away: a small file system of its own, or a limit on the agent."""
import errno
import os
import resource
import subprocess

MEGABYTES = 48
# The signal by which the system ends a process that exceeds a limit of file size, unless it ignores it.
SIGXFSZ = 25


class Tmpfs:
    """A file system in memory; a ballast file fills it."""

    kind = "tmpfs"

    def __init__(self, folder):
        self.folder = folder
        self.ballast = os.path.join(folder, "ballast")
        self.state = os.path.join(folder, "state")
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "chaos", folder],
                       check=True, capture_output=True)
        os.mkdir(self.state, 0o700)

    def take(self, _agent):
        """Fills it; whether nothing is left."""
        block = bytes(1 << 20)
        with open(self.ballast, "ab", buffering=0) as file:
            while block:
                try:
                    file.write(block)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    # Down to the last page.
                    block = block[:len(block) // 2] if len(block) > 4096 else b""
        return os.statvfs(self.folder).f_bavail == 0

    def give_back(self, _agent):
        if os.path.exists(self.ballast):
            os.truncate(self.ballast, 0)
            os.remove(self.ballast)

    def close(self):
        self.give_back(None)
        subprocess.run(["umount", "--lazy", self.folder], check=False, capture_output=True)


class Limit:
    """No file system of our own: the agent may write to no file any more. Its log has to be a pipe, then."""

    kind = "prlimit"

    def __init__(self, folder):
        self.folder = folder
        self.state = os.path.join(folder, "state")
        os.mkdir(self.state, 0o700)

    def take(self, agent):
        if not agent or not agent.running:
            return False
        resource.prlimit(agent.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        return True

    def give_back(self, agent):
        if agent and agent.running:
            resource.prlimit(agent.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def close(self):
        """Nothing of it outlives the agent."""


def ignores_size_signal(agent):
    """Whether the agent would outlive a write beyond the limit."""
    with open(f"/proc/{agent.pid}/status", encoding="ascii") as file:
        ignored = next(int(line.split()[1], 16) for line in file if line.startswith("SigIgn:"))
    return bool(ignored >> (SIGXFSZ - 1) & 1)


def disk(folder):
    os.makedirs(folder)
    try:
        return Tmpfs(folder)
    except (subprocess.CalledProcessError, FileNotFoundError):
        return Limit(folder)
