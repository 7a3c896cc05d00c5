#!/usr/bin/env python3
"""Pairs with four LE devices through org.bluez, with an agent of its own, and records it.

    pairing.py [options] FILE

FILE becomes the recording as record.py writes it. The devices, by the service that they
advertise:

    FF10  lock    pairs by Just Works; FF11 cannot be read without
    FF20  vault   shows a passkey, 123456
    FF30  panel   compares a number, and agrees
    FF38  keypad  wants the number typed in that the agent is shown

--drop, --forget and --type are commands in which {} stands for the device: it ends its link,
it loses its keys, somebody types the number at it that follows.
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
        """Each device is linked and its services are known before it is paired, as an agent does it."""
        find = ("find", self.find_again)
        return (
            ("discover", self.discover),
            ("connect-vault", self.connect("vault")), ("pair-without-agent", self.pair_refused("vault")),
            ("disconnect-vault", self.disconnect("vault")), find,
            ("register", self.register), ("register-twice", self.register_twice),
            ("connect-lock", self.connect("lock")), ("read-refused", self.read_refused), find,
            ("connect-lock-again", self.connect("lock")), ("just-works", self.pair("lock")),
            ("read-protected", self.read_protected), ("pair-twice", self.pair_twice("lock")),
            ("disconnect-lock", self.disconnect("lock")), ("connect-bonded", self.connect("lock")),
            ("read-bonded", self.read_protected), ("disconnect-bonded", self.disconnect("lock")), find,
            ("connect-wrong", self.connect("vault")),
            ("wrong-passkey", self.pair_refused("vault", self.passkey(PASSKEY + 1))), find,
            ("connect-rejected", self.connect("vault")), ("rejected-passkey", self.pair_refused("vault")),
            ("disconnect-rejected", self.disconnect("vault")), find,
            ("connect-cancelled", self.connect("vault")), ("cancelled", self.cancelled("vault")), find,
            ("cancel-nothing", self.cancel_nothing("vault")),
            ("connect-dropped", self.connect("vault")), ("dropped", self.dropped("vault")), find,
            ("connect-passkey", self.connect("vault")), ("passkey", self.pair("vault", self.passkey(PASSKEY))),
            ("connect-panel", self.connect("panel")), ("compare-refused", self.pair_refused("panel")),
            ("disconnect-refused", self.disconnect("panel")), find,
            ("connect-compare", self.connect("panel")), ("compare", self.pair("panel", self.agree)),
            ("connect-keypad", self.connect("keypad")), ("display", self.pair("keypad", self.display("keypad"))),
            ("disconnect-1", self.disconnect("vault")), ("disconnect-2", self.disconnect("panel")),
            ("disconnect-3", self.disconnect("keypad")),
            ("trust", self.trust("vault", True)), ("distrust", self.trust("vault", False)),
            ("forget", self.forget("lock")), ("connect-stale", self.connect_stale("lock")),
            ("objects-stale", self.objects), ("pair-stale", self.pair_twice("lock")),
            ("remove-stale", self.remove("lock")), find,
            ("connect-unpaired", self.connect("lock")), ("pair-again", self.pair("lock")),
            ("remove-panel", self.remove("panel")), find,
            ("connect-silent", self.connect("panel")), ("silent", self.unanswered("panel")),
            ("remove-linked", self.remove("lock")),
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
        async def action():
            await self.call(self.devices[label], DEVICE, "Pair", fails=True)
            await self.call(self.devices[label], DEVICE, "CancelPairing")
        return lambda: self._while_asked(label, action)

    def dropped(self, label):
        """The device ends the link while the agent is asked."""
        async def step():
            await self._while_asked(label, lambda: self.command(self.options.drop.replace("{}", label)))
            await self.until(lambda: self.get(self.devices[label], DEVICE, "Connected") is False, "the link's end")
        return step

    def unanswered(self, label):
        """Nobody says anything to the agent's question."""
        async def step():
            await self._while_asked(label, lambda: asyncio.sleep(0))
            await self.until(lambda: self.get(self.devices[label], DEVICE, "Connected") is False, "the link's end")
        return step

    async def _while_asked(self, label, action):
        self.answers = lambda _message: None
        count = len(self.asked)
        pairing = asyncio.ensure_future(self.call(self.devices[label], DEVICE, "Pair", fails=True))
        await self.until(lambda: len(self.asked) > count, "the agent's being asked")
        await action()
        await pairing

    def cancel_nothing(self, label):
        return lambda: self.call(self.devices[label], DEVICE, "CancelPairing", fails=True)

    def connect(self, label):
        return lambda: self.connect_to(self.devices[label])

    def disconnect(self, label):
        return lambda: self.disconnect_from(self.devices[label])

    async def read_protected(self):
        await self.read(self.by_uuid(self.devices["lock"], "ff11"))

    async def read_refused(self):
        """bluetoothd asks the agent, and leaves the request without an answer until the link ends."""
        self.answers = None
        path = self.by_uuid(self.devices["lock"], "ff11")
        reading = asyncio.ensure_future(self.read(path, fails=True))
        await self.settle()
        await self.disconnect_from(self.devices["lock"])
        await reading

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
    parser.add_argument("--drop", metavar="COMMAND", required=True)
    parser.add_argument("--forget", metavar="COMMAND", required=True)
    parser.add_argument("--type", metavar="COMMAND", required=True)
    options = parser.parse_args()
    asyncio.run(drive(PairingSession, parser, options))


if __name__ == "__main__":
    main()
