#!/usr/bin/env python3
"""Pairs with four LE devices through org.bluez, with an agent of its own, and records it.

    pairing.py [options] FILE

FILE becomes the recording as record.py writes it. The devices, by the service that they
advertise:

    FF10  lock    pairs by Just Works; FF11 cannot be read without
    FF20  vault   shows a passkey, 123456
    FF30  panel   compares a number, and agrees
    FF38  keypad  wants the number typed in that the agent is shown

--forget and --type are commands in which {} stands for the device: the first makes it lose
its keys, to the second the number is given that is typed at it.
"""
import asyncio

from dbus_fast import Message, MessageType, Variant

from client import ADAPTER, CHARACTERISTIC, DEVICE, Client, drive, options_parser
from record import AGENT, PROPERTIES

MANAGER, MANAGER_PATH, AGENT_PATH = "org.bluez.AgentManager1", "/org/bluez", "/agent"
REJECTED = "org.bluez.Error.Rejected"
PASSKEY = 123456


class PairingSession(Client):
    """A client with an agent on /agent, which answers as the present step says."""
    LABELS = {"ff10": "lock", "ff20": "vault", "ff30": "panel", "ff38": "keypad"}

    def __init__(self, bus, options):
        super().__init__(bus, options)
        self.devices = {}
        self.asked = []             # (member, arguments) of the calls to the agent
        self.answers = None         # a call to the agent -> its reply, or None for no reply yet
        self.held = []
        bus.add_message_handler(self._on_agent_call)

    def _on_agent_call(self, message):
        if message.message_type != MessageType.METHOD_CALL or message.interface != AGENT:
            return None
        self.asked.append((message.member, message.body))
        reply = self.answers(message) if self.answers else Message.new_error(message, REJECTED, "no")
        if reply:
            return reply
        self.held.append(message)
        return True

    def steps(self):
        return (
            ("discover", self.discover),
            ("pair-without-agent", self.pair_refused("vault")), ("find-vault", self.find_again),
            ("connect-unpaired", self.connect("lock")), ("read-without-agent", self.read_unpaired),
            ("d6",self.disconnect("lock")),("find-6", self.find_again),
            ("register", self.register), ("register-twice", self.register_twice),
            ("just-works", self.pair("lock")), ("pair-twice", self.pair_twice("lock")),
            ("read-protected", self.read_protected), ("disconnect", self.disconnect("lock")),
            ("connect-bonded", self.connect("lock")), ("read-bonded", self.read_protected),
            ("disconnect-bonded", self.disconnect("lock")),
            ("wrong-passkey", self.pair_refused("vault", self.passkey(PASSKEY + 1))), ("find-1", self.find_again),
            ("rejected-passkey", self.pair_refused("vault")), ("find-2", self.find_again),
            ("cancelled", self.cancelled("vault")), ("find-3", self.find_again),
            ("cancel-nothing", self.cancel_nothing("vault")), ("find-5", self.find_again),
            ("passkey", self.pair("vault", self.passkey(PASSKEY))),
            ("compare-refused", self.pair_refused("panel")), ("disconnect-refused", self.disconnect("panel")),
            ("find-4", self.find_again),
            ("compare", self.pair("panel", self.agree)),
            ("display", self.pair("keypad", self.display("keypad"))),
            ("disconnect-vault", self.disconnect("vault")), ("disconnect-panel", self.disconnect("panel")),
            ("disconnect-keypad", self.disconnect("keypad")),
            ("trust", self.trust("vault", True)), ("distrust", self.trust("vault", False)),
            ("forget", self.forget("lock")), ("connect-stale", self.connect_stale("lock")),
            ("objects-stale", self.objects),
            ("pair-stale", self.pair_twice("lock")),
            ("remove-stale", self.remove("lock")), ("find-lock", self.find_again),
            ("pair-again", self.pair("lock")),
            ("forget-linked", self.forget("lock")), ("disconnect-linked", self.disconnect("lock")),
            ("connect-stale-again", self.connect_stale("lock")),
            ("remove", self.remove("lock")), ("find-unpaired", self.find_again),
            ("connect-unpaired-1", self.connect("lock")), ("read-refused", self.read_unpaired),("d7",self.disconnect("lock")),("find-7", self.find_again),
            ("connect-unpaired-2", self.connect("lock")), ("read-agreed", self.read_agreed),
            ("unregister", self.unregister), ("unregister-twice", self.unregister_twice))

    # Steps.

    def find(self):
        self.devices = {label: self.device(None, service) for service, label in self.LABELS.items()}
        return all(self.devices.values())

    async def discover(self):
        await self.set_filter()
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(self.find, "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        for label, path in self.devices.items():
            await self.mark("Device", label, path)
        await self.stop_discovery()

    async def find_again(self):
        await self.call(self.adapter, ADAPTER, "StartDiscovery")
        await self.until(lambda: all(self.get(path, DEVICE, "RSSI") or self.get(path, DEVICE, "Connected")
                                     for path in self.devices.values()), "the devices")
        await self.until(lambda: self.get(self.adapter, ADAPTER, "Discovering"), "Discovering")
        await self.stop_discovery()

    async def register(self):
        await self.call(MANAGER_PATH, MANAGER, "RegisterAgent", "os", AGENT_PATH, "KeyboardDisplay")

    async def register_twice(self):
        await self.call(MANAGER_PATH, MANAGER, "RegisterAgent", "os", AGENT_PATH, "NoInputNoOutput", fails=True)

    async def unregister(self):
        await self.call(MANAGER_PATH, MANAGER, "UnregisterAgent", "o", AGENT_PATH)

    async def unregister_twice(self):
        await self.call(MANAGER_PATH, MANAGER, "UnregisterAgent", "o", AGENT_PATH, fails=True)

    def pair(self, label, answers=None):
        async def step():
            self.answers = answers
            path = self.devices[label]
            await self.call(path, DEVICE, "Pair")
            await self.until(lambda: self.get(path, DEVICE, "Paired"), "Paired")
            await self.until(lambda: self.get(path, DEVICE, "ServicesResolved"), "the services")
        return step

    def pair_refused(self, label, answers=None):
        async def step():
            self.answers = answers
            await self.call(self.devices[label], DEVICE, "Pair", fails=True)
        return step

    def pair_twice(self, label):
        """bluetoothd leaves it without an answer until it is cancelled."""
        async def step():
            pairing = asyncio.ensure_future(self.call(self.devices[label], DEVICE, "Pair", fails=True))
            await self.settle()
            await self.call(self.devices[label], DEVICE, "Pair", fails=True)
            await self.call(self.devices[label], DEVICE, "CancelPairing")
            await pairing
        return step

    def cancelled(self, label):
        async def step():
            self.answers = lambda _message: None
            count = len(self.asked)
            pairing = asyncio.ensure_future(self.call(self.devices[label], DEVICE, "Pair", fails=True))
            await self.until(lambda: len(self.asked) > count, "the agent's being asked")
            await self.call(self.devices[label], DEVICE, "Pair", fails=True)
            await self.call(self.devices[label], DEVICE, "CancelPairing")
            await pairing
        return step

    def cancel_nothing(self, label):
        return lambda: self.call(self.devices[label], DEVICE, "CancelPairing", fails=True)

    def connect(self, label):
        return lambda: self.connect_to(self.devices[label])

    def disconnect(self, label):
        return lambda: self.disconnect_from(self.devices[label])

    async def read_protected(self):
        await self.read(self.by_uuid(self.devices["lock"], "ff11"))

    async def read_unpaired(self):
        self.answers = None
        try:
            await asyncio.wait_for(self.try_call(self.by_uuid(self.devices["lock"], "ff11"), CHARACTERISTIC, "ReadValue", "a{sv}", {}), 10)
        except asyncio.TimeoutError:
            print("read unanswered")

    async def read_agreed(self):
        self.answers = self.agree
        await asyncio.wait_for(self.try_call(self.by_uuid(self.devices["lock"], "ff11"), CHARACTERISTIC, "ReadValue", "a{sv}", {}), 10)

    def trust(self, label, trusted):
        return lambda: self.call(self.devices[label], PROPERTIES, "Set", "ssv", DEVICE, "Trusted",
                                 Variant("b", trusted))

    def forget(self, label):
        return lambda: self.command(self.options.forget.replace("{}", label))

    def connect_stale(self, label):
        """Whatever comes of it, there is no link at the end."""
        async def step():
            await self.try_call(self.devices[label], DEVICE, "Connect")
            await self.until(lambda: self.get(self.devices[label], DEVICE, "Connected") is False, "the link's end")
        return step

    def remove(self, label):
        async def step():
            path = self.devices[label]
            await self.call(self.adapter, ADAPTER, "RemoveDevice", "o", path)
            await self.until(lambda: not self.tree.get(path, {}).get(DEVICE), "the removal")
        return step

    # Answers of the agent.

    @staticmethod
    def passkey(number):
        def answer(message):
            return Message.new_method_return(message, "u", [number])
        return answer

    @staticmethod
    def agree(message):
        return Message.new_method_return(message)

    def display(self, label):
        def answer(message):
            if message.member == "DisplayPasskey":
                line = self.options.type.replace("{}", label) + f" {message.body[1]}"
                asyncio.ensure_future(self.command(line))
            return Message.new_method_return(message)
        return answer


def main():
    parser = options_parser(__doc__)
    parser.add_argument("--forget", metavar="COMMAND", required=True)
    parser.add_argument("--type", metavar="COMMAND", required=True)
    options = parser.parse_args()
    asyncio.run(drive(PairingSession, parser, options))


if __name__ == "__main__":
    main()
