"""The agent as the package runs it: its own user, no capabilities, and of the bus what it needs."""
import os
import pwd
import subprocess

import processes
from contract import require

BUS_LOG = "/run/lab/job/bus.log"
ADAPTER = "/org/bluez/hci0"
# What BlueZ offers to everybody, and the package's rules do not.
REFUSED = (
    ("/org/bluez", "org.freedesktop.DBus.Introspectable.Introspect"),
    (ADAPTER, "org.freedesktop.DBus.Properties.GetAll", "string:org.bluez.Adapter1"),
    (ADAPTER, "org.bluez.Adapter1.GetDiscoveryFilters"),
    (ADAPTER, "org.bluez.GattManager1.UnregisterApplication", "objpath:/none"),
    ("/org/bluez", "org.bluez.ProfileManager1.UnregisterProfile", "objpath:/none"),
)
ALLOWED = ("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def call(words, as_agent):
    """A method call of bluetoothd; empty, or the name of its error."""
    done = subprocess.run([*(processes.AS_USER if as_agent else ()), "dbus-send", "--system", "--print-reply",
                           "--dest=org.bluez", *words], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.removeprefix("Error ").partition(":")[0]


def own_user(bench):
    """The process is the agent's, of its own user, in no other group, without a capability and without a way to one."""
    folder = f"/proc/{bench.agent.process.pid}"
    with open(f"{folder}/status", encoding="utf-8") as file:
        status = {name: value.split() for name, _, value in (line.partition(":") for line in file)}
    require(os.path.samefile(f"{folder}/exe", bench.binary), f"it is {os.readlink(f'{folder}/exe')}")
    user = pwd.getpwnam("edge-agent")
    require(user.pw_uid != 0 and status["Uid"] == [str(user.pw_uid)] * 4, f"Uid is {status['Uid']}")
    require(status["Gid"] == [str(user.pw_gid)] * 4, f"Gid is {status['Gid']}")
    require(set(status["Groups"]) <= {str(user.pw_gid)}, f"Groups are {status['Groups']}")
    for name in CAPABILITIES:
        require(int(status[name][0], 16) == 0, f"{name} is {status[name]}")
    require(status["NoNewPrivs"] == ["1"], f"NoNewPrivs is {status['NoNewPrivs']}")
    return f"uid {user.pw_uid}, CapEff {status['CapEff'][0]}"


def bus_policy(_bench):
    """The bus refuses the agent's user each call that the package's rules do not name, and nobody else."""
    for words in REFUSED:
        error = call(words, as_agent=True)
        require(error == "org.freedesktop.DBus.Error.AccessDenied", f"{words[1]}: {error or 'allowed'}")
        error = call(words, as_agent=False)
        require(error != "org.freedesktop.DBus.Error.AccessDenied", f"{words[1]} is refused to root as well")
    with open(BUS_LOG, encoding="utf-8", errors="replace") as file:
        told = sum("Rejected" in line for line in file)
    require(told >= len(REFUSED), "the bus does not tell what it refuses")
    require(not call(ALLOWED, as_agent=True), "what the agent needs is refused to it")
    return f"{len(REFUSED)} calls refused"


def nothing_refused(_bench):
    """In all that went before, the bus has refused the agent nothing."""
    with open(BUS_LOG, encoding="utf-8", errors="replace") as file:
        refused = [line.strip() for line in file if "Rejected" in line and "dbus-send" not in line]
    require(not refused, f"{len(refused)} refused: {refused[:3]}")


CHECKS = (own_user, bus_policy)
