"""A private mosquitto, and a client that hears everything."""
import json
import shutil
import socket
import threading
import time
import typing

import paho.mqtt.client as mqtt

from .processes import Child, free_port
from .waiting import Failure, wait_for

CONFIGURATION = """listener {port} 127.0.0.1
allow_anonymous true
user root
set_tcp_nodelay true
persistence true
persistence_location {folder}/
log_dest stderr
log_type warning
log_type error
"""


class Broker:
    """Its retained messages survive a stop, unless they are forgotten."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.port = free_port()
        self.child = None

    def start(self):
        file = self.folder / "mosquitto.conf"
        file.write_text(CONFIGURATION.format(port=self.port, folder=self.folder))
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.child = Child("mosquitto", [program, "-c", file], self.folder / "mosquitto.log")
        wait_for(lambda: self.child.check() and self.answers(), "mosquitto listens", 10)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def stop(self, forget=False):
        if self.child:
            self.child.end()
        if forget:
            (self.folder / "mosquitto.db").unlink(missing_ok=True)


class Message(typing.NamedTuple):
    topic: str
    payload: str
    retain: bool
    at: float

    @property
    def json(self):
        return json.loads(self.payload) if self.payload else None


class Observer:
    """Records all that passes the broker, with the retain flag that its publisher gave."""

    def __init__(self, port):
        self.messages, self.changed, self.ready = [], threading.Condition(), threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="observer", protocol=mqtt.MQTTv5)
        self.client.on_message = self.received
        self.client.on_subscribe = lambda *_: self.ready.set()
        options = mqtt.SubscribeOptions(qos=1, retainAsPublished=True)
        self.client.on_connect = lambda client, *_: client.subscribe("#", options=options)
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        if not self.ready.wait(10):
            raise Failure("the observer cannot subscribe")

    def received(self, _client, _data, message):
        with self.changed:
            text = message.payload.decode("utf-8", "backslashreplace")
            self.messages.append(Message(message.topic, text, bool(message.retain), time.monotonic()))
            self.changed.notify_all()

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()

    def publish(self, topic, payload="", retain=False):
        payload = payload if isinstance(payload, (str, bytes)) else json.dumps(payload)
        sent = self.client.publish(topic, payload, qos=1, retain=retain)
        sent.wait_for_publish(10)

    def mark(self):
        """A place in the record, for `since`."""
        with self.changed:
            return len(self.messages)

    def seen(self, topic, since=0, where=lambda message: True):
        with self.changed:
            return [message for message in self.messages[since:]
                    if mqtt.topic_matches_sub(topic, message.topic) and where(message)]

    def wait(self, topic, since=0, where=lambda message: True, seconds=15.0):
        """The first message of a topic after a mark that fulfils a condition."""
        end = time.monotonic() + seconds
        with self.changed:
            while not (found := self.seen(topic, since, where)):
                left = end - time.monotonic()
                if left <= 0:
                    heard = [f"{message.topic} {message.payload[:200]}" for message in self.seen(topic, since)][-10:]
                    raise Failure(f"nothing of that kind within {seconds:g} s on {topic}; heard {heard}")
                self.changed.wait(left)
            return found[0]

    def retained(self, topic="#"):
        """What the broker holds now: payloads by topic."""
        held, done = {}, threading.Event()
        probe = f"observer/{time.monotonic_ns()}"
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="looker", protocol=mqtt.MQTTv5)

        def received(_client, _data, message):
            if message.topic == probe:
                done.set()
            elif message.retain:
                held[message.topic] = message.payload.decode(errors="replace")

        def subscribed(client, *_):
            client.publish(probe, "", qos=1)

        client.on_message, client.on_subscribe = received, subscribed
        # Retained messages come with the subscription, the probe's own behind them.
        client.on_connect = lambda client, *_: client.subscribe([(topic, 1), (probe, 1)])
        client.connect("127.0.0.1", self.client.port)
        client.loop_start()
        arrived = done.wait(10)
        client.disconnect()
        client.loop_stop()
        if not arrived:
            raise Failure("the broker does not say what it holds")
        return held
