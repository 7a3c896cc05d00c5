"""The two callers: each publishes commands, repeats what is not answered, and writes down what comes.

`red` speaks MQTT 5 with response topics and correlation data and names itself in the topic; `blue` speaks 3.1.1 and
names itself in the body. Both have sessions that the broker keeps, and QoS 1.
"""
import json
import queue
import random

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

import commands
import world

# How long an answer may take before the command is repeated, in seconds.
PATIENCE = (2.5, 5.0)
# How many commands of a caller may be unanswered at the same time.
MOST_OPEN = 90
# Of the answered commands, how many are repeated all the same, some seconds later.
ASKED_AGAIN = 0.04
SESSION_SECONDS = 3600


class Pending:
    """A command on its way."""

    def __init__(self, topic, payload, properties, due):
        self.topic, self.payload, self.properties, self.due = topic, payload, properties, due


class Caller:
    version = None
    name = ""

    def __init__(self, deck, port, seed, clock, ledger, on_online):
        self.deck, self.clock, self.ledger, self.on_online = deck, clock, ledger, on_online
        self.numbers = random.Random(f"{seed} caller {self.name}")
        self.ids, self.open, self.answered = [], {}, {}
        self.arrived = queue.SimpleQueue()
        self.is_connected = False
        self.repeats = 0
        self.mqtt = self.client()
        self.mqtt.on_connect = self.connected
        self.mqtt.on_disconnect = self.disconnected
        self.mqtt.on_message = self.message
        self.mqtt.reconnect_delay_set(1, 1)
        self.connect(port)
        self.mqtt.loop_start()

    def close(self):
        self.mqtt.disconnect()
        self.mqtt.loop_stop()

    # On the library's thread.

    def connected(self, client, _data, _flags, code, *_):
        if code == 0:
            client.subscribe([(topic, 1) for topic in self.topics])
            self.is_connected = True

    def disconnected(self, *_):
        self.is_connected = False

    def message(self, _client, _data, message):
        self.arrived.put(message)

    # On the trial's thread.

    def take(self):
        """Takes up what has come."""
        while True:
            try:
                message = self.arrived.get_nowait()
            except queue.Empty:
                return
            if message.topic == f"{world.ROOT}/status":
                self.status(message.payload)
            else:
                self.result(message)

    def status(self, payload):
        body = parsed(payload)
        if body and body.get("state") == "online":
            self.on_online(body.get("boot"))

    def result(self, message):
        body = parsed(message.payload) or {}
        name = str(body.get("id"))
        correlation = getattr(getattr(message, "properties", None), "CorrelationData", None)
        self.ledger.add("result", client=self.name, id=name, topic=message.topic,
                        payload=message.payload.decode("utf-8", "backslashreplace"),
                        correlation=correlation.decode("latin-1") if correlation is not None else None)
        if body.get("final") is not True:
            return
        self.answered[name] = self.answered.get(name, 0) + 1
        pending = self.open.pop(name, None)
        if pending and self.numbers.random() < ASKED_AGAIN:
            self.clock.after(self.numbers.uniform(0.5, 15), lambda: self.publish(name, pending))

    def tick(self, wanted):
        """Sends new commands, up to so many in all, and repeats old ones."""
        self.take()
        if not self.is_connected:
            return
        while len(self.ids) < wanted and len(self.open) < MOST_OPEN:
            self.send_new()
        now = self.clock.now
        for name, pending in list(self.open.items()):
            if pending.due <= now:
                self.publish(name, pending)

    def send_new(self):
        made = self.deck.draw(self.ids)
        name = f"{self.name}-{made.number}"
        topic, body, properties, expected = self.envelope(made, name)
        pending = Pending(topic, json.dumps(body), properties, 0)
        self.ledger.add(
            "command", client=self.name, id=name, number=made.number, kind=made.kind, verb=made.body["verb"],
            changes=commands.changes(made.body), topic=topic, payload=pending.payload, devices=made.devices,
            place=made.place, writes=made.writes, values=made.values, **expected)
        self.ids.append(name)
        self.open[name] = pending
        self.publish(name, pending)

    def publish(self, name, pending):
        """Publishes a command, the first time or again; not while there is no broker, what would pile up."""
        pending.due = self.clock.now + self.numbers.uniform(*PATIENCE)
        if self.is_connected:
            self.ledger.add("sent", client=self.name, id=name)
            self.mqtt.publish(pending.topic, pending.payload, qos=1, properties=pending.properties)
            return True
        return False

    def ask_again(self, made):
        """Repeats a command that was answered long ago, from the ledger's entry."""
        self.publish(made["id"], Pending(made["topic"], made["payload"], self.properties_of(made), 0))


class Red(Caller):
    name = "red"

    def client(self):
        return mqtt.Client(client_id="chaos-red", protocol=mqtt.MQTTv5)

    def connect(self, port):
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = SESSION_SECONDS
        self.mqtt.connect_async("127.0.0.1", port, keepalive=10, clean_start=False, properties=properties)

    topics = (f"{world.ROOT}/res/red/#", "reply/red/#", f"{world.ROOT}/status")

    def envelope(self, made, name):
        """The topic, the body and the properties of a command, and where its result has to go."""
        body = dict(made.body)
        how = self.numbers.randrange(5)
        expected = {"reply": f"{world.ROOT}/res/red/{name}", "correlation": None, "expiry": made.expiry_seconds}
        if how in (0, 1):
            expected["reply"] = f"reply/red/{name}"
        elif how == 2:
            expected["reply"] = f"{world.ROOT}/res/red/other/{made.number % 10}"
        if how in (0, 2):
            expected["correlation"] = f"{made.number} of red \u00e9"
        # Now and then the correlation data is the only id that there is.
        if how in (1, 3) and self.numbers.random() < 0.5:
            expected["correlation"] = name
        else:
            body["id"] = name
        return f"{world.ROOT}/{made.place}/red", body, self.properties_of(expected), expected

    @staticmethod
    def properties_of(expected):
        properties = Properties(PacketTypes.PUBLISH)
        if not expected["reply"].startswith(f"{world.ROOT}/res/red/red-"):
            properties.ResponseTopic = expected["reply"]
        if expected["correlation"] is not None:
            properties.CorrelationData = expected["correlation"].encode("latin-1")
        if expected["expiry"]:
            properties.MessageExpiryInterval = expected["expiry"]
        return properties


class Blue(Caller):
    name = "blue"
    topics = (f"{world.ROOT}/res/blue/+",)

    def client(self):
        return mqtt.Client(client_id="chaos-blue", protocol=mqtt.MQTTv311, clean_session=False)

    def connect(self, port):
        self.mqtt.connect_async("127.0.0.1", port, keepalive=10)

    def envelope(self, made, name):
        body = {"id": name, "client": "blue", **made.body}
        if made.expiry_seconds:
            body["ttlMs"] = made.expiry_seconds * 1000
        expected = {"reply": f"{world.ROOT}/res/blue/{name}", "correlation": None}
        return f"{world.ROOT}/{made.place}", body, None, expected

    @staticmethod
    def properties_of(_expected):
        return None


def parsed(payload):
    """The JSON object of a message; None when there is none."""
    try:
        body = json.loads(payload)
    except ValueError:
        return None
    return body if isinstance(body, dict) else None
