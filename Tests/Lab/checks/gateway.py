"""The MQTT side of the checks: a caller that sends commands and watches what the agent publishes."""
import collections
import itertools
import json
import time

import paho.mqtt.client as mqtt
from paho.mqtt.properties import Properties
from paho.mqtt.packettypes import PacketTypes

import contract

Message = collections.namedtuple("Message", "at topic body retained properties")


class Pending:
    """A command that was sent and whose result is still to come."""

    def __init__(self, gateway, command, dev, topic):
        self.gateway, self.command, self.dev, self.topic = gateway, command, dev, topic
        self.sent = time.monotonic()

    def result(self, seconds=60):
        """The final result, in the contract's form; raises when none comes within `seconds`."""
        message = self.gateway.wait(
            lambda message: message.topic == self.topic and isinstance(message.body, dict)
            and message.body.get("final") is True, seconds, f"the result of {self.command['verb']}", since=0)
        contract.check_result(message.body, self.gateway.name, self.command, self.dev)
        self.seconds = message.at - self.sent
        return message.body


class Gateway:
    """One agent as its callers see it."""

    def __init__(self, name, port, client="checks", prefix="edge"):
        self.name, self.client = name, client
        self.root = f"{prefix}/v1/{name}"
        self.messages = []
        self.latest = {}
        # Results so far by topic and by the command that they answer, and the commands without one.
        self.finals = collections.Counter()
        self.unanswered = {}
        self.numbers = itertools.count(1)
        self.mqtt = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=f"{client}-watch", protocol=mqtt.MQTTv5)
        self.mqtt.on_message = self._on_message
        self.subscribed = False
        self.mqtt.on_connect = lambda client, *_: client.subscribe(f"{prefix}/v1/#", qos=1)
        self.mqtt.on_subscribe = self._on_subscribe
        self.mqtt.connect("127.0.0.1", port)
        self.until(lambda: self.subscribed, 10, "the broker")

    def close(self):
        self.mqtt.disconnect()

    def _on_subscribe(self, *_):
        self.subscribed = True

    def _on_message(self, _client, _data, message):
        try:
            body = json.loads(message.payload)
        except ValueError:
            body = message.payload.decode(errors="replace")
        seen = Message(time.monotonic(), message.topic, body, message.retain, message.properties)
        self.messages.append(seen)
        self.latest[message.topic] = body
        if isinstance(body, dict) and body.get("final") is True and not message.topic.endswith("/job"):
            self._on_result(message.topic, body)

    def _on_result(self, topic, body):
        place = topic, body.get("client"), body.get("id")
        # A repeated command is answered again, and the answer says so.
        if not body.get("replayed"):
            self.finals[place] += 1
        self.unanswered.pop(place, None)

    def until(self, condition, seconds, what):
        """Takes messages in until `condition()` holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise contract.Broken(f"waited {seconds:g} s in vain for {what}")
            self.mqtt.loop(timeout=0.05)

    # Watching.

    @property
    def mark(self):
        """A place in the messages, for `since`."""
        return len(self.messages)

    def path(self, *levels):
        return "/".join((self.root, *levels))

    def wait(self, test, seconds, what, since=None):
        """The first message from the place `since` (default: from now on) that passes `test`."""
        place = self.mark if since is None else since
        found = []

        def look():
            nonlocal place
            while not found and place < len(self.messages):
                if test(self.messages[place]):
                    found.append(self.messages[place])
                place += 1
            return bool(found)
        self.until(look, seconds, what)
        return found[0]

    def on(self, *levels, since=0):
        """The messages so far on one topic."""
        topic = self.path(*levels)
        return [message for message in self.messages[since:] if message.topic == topic]

    def pass_time(self, seconds):
        """Lets messages come in for a while: to see that something does not happen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.mqtt.loop(timeout=0.05)

    def state(self, *levels, is_, seconds=30):
        """Waits until the last message on a topic has the state `is_`, and answers its body."""
        topic = self.path(*levels)
        wanted = {is_} if isinstance(is_, str) else set(is_)

        def reached():
            body = self.latest.get(topic)
            return isinstance(body, dict) and body.get("state") in wanted
        self.until(reached, seconds, f"{topic} to be {' or '.join(sorted(wanted))}; it is "
                                           f"{self.latest.get(topic)!r}")
        return self.latest[topic]

    def states(self, *levels, since):
        """The states that a topic went through."""
        return [message.body.get("state") for message in self.on(*levels, since=since)
                if isinstance(message.body, dict)]

    # Commands.

    def send(self, verb, dev=None, response_topic=None, correlation=None, **fields):
        """Publishes a command and does not wait. `dev` is a device's name in topics."""
        command = {"id": f"c{next(self.numbers)}", "client": self.client, "verb": verb, **fields}
        place = ("dev", dev) if dev else ()
        properties = None
        if response_topic:
            properties = Properties(PacketTypes.PUBLISH)
            properties.ResponseTopic = response_topic
            properties.CorrelationData = correlation
        pending = Pending(self, command, dev,
                          response_topic or self.path("res", self.client, command["id"]))
        self.unanswered[pending.topic, self.client, command["id"]] = pending
        self.mqtt.publish(self.path(*place, "cmd", self.client), json.dumps(command), qos=1,
                          properties=properties)
        return pending

    def agent_killed(self):
        """What only read when the agent was killed is lost; all other commands are still to be answered."""
        self.unanswered = {place: pending for place, pending in self.unanswered.items()
                           if pending.command["verb"] not in contract.READ_ONLY}

    def require_single_results(self, seconds=60):
        """Each command so far has its result, and none has two."""
        self.until(lambda: not self.unanswered, seconds,
                   f"results of {[pending.command for pending in self.unanswered.values()]}")
        twice = [place for place, count in self.finals.items() if count > 1]
        contract.require(not twice, f"more than one result: {twice}")

    def raw(self, payload, *levels):
        """Publishes bytes as they are to a command topic."""
        self.mqtt.publish(self.path(*levels), payload, qos=1)

    def ok(self, verb, dev=None, seconds=60, **fields):
        """Carries a command out and answers its `result`; any other status is a failure."""
        body = self.send(verb, dev, **fields).result(seconds)
        contract.require(body["status"] == "ok", f"{verb} ended as {body['status']}: {body.get('error')}")
        return body["result"]

    def confirmed(self, how, verb, dev=None, **fields):
        """As `ok`, and the result says that it was confirmed in this way."""
        body = self.send(verb, dev, **fields).result()
        contract.require(body["status"] == "ok", f"{verb} ended as {body['status']}: {body.get('error')}")
        contract.require(body.get("confirmed") == how, f"confirmed is {body.get('confirmed')!r}, not {how!r}")
        return body["result"]

    def fails(self, codes, verb, dev=None, seconds=60, **fields):
        """Carries a command out that must end with one of the codes; answers the whole result."""
        return expect_failure(self.send(verb, dev, **fields).result(seconds), codes)


def expect_failure(body, codes):
    wanted = {codes} if isinstance(codes, str) else set(codes)
    contract.require(body["status"] != "ok", f"{body.get('verb')} succeeded: {body.get('result')}")
    contract.require(body["error"]["code"] in wanted,
                     f"{body.get('verb')} ended with {body['error']}, not {' or '.join(sorted(wanted))}")
    return body
