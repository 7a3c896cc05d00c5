"""What a person does with Home Assistant, over its REST and WebSocket interfaces."""
import asyncio
import json
import urllib.error
import urllib.request

import aiohttp

from .waiting import Failure, wait_for


class Client:
    def __init__(self, address, token):
        self.address, self.token = address, token

    def rest(self, path, seconds=10):
        request = urllib.request.Request(
            f"{self.address}/api{path}", headers={"Authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise Failure(f"{path}: {error.code} {error.read().decode(errors='replace')}") from None

    def is_running(self):
        try:
            answer = self.rest("/config", 5)
        except (OSError, Failure):
            return False
        return bool(answer) and answer["state"] == "RUNNING"

    def ask(self, kind, **fields):
        """One question over a WebSocket of its own."""
        async def talk():
            async with aiohttp.ClientSession() as session, \
                    session.ws_connect(f"{self.address}/api/websocket", max_msg_size=0) as socket:
                await socket.receive_json()
                await socket.send_json({"type": "auth", "access_token": self.token})
                if (await socket.receive_json())["type"] != "auth_ok":
                    raise Failure("Home Assistant refuses its token")
                await socket.send_json({"id": 1, "type": kind, **fields})
                return await socket.receive_json()
        answer = asyncio.run(asyncio.wait_for(talk(), 20))
        if not answer.get("success"):
            raise Failure(f"{kind}: {answer.get('error')}")
        return answer.get("result")

    def call(self, service, entity, **data):
        """Operates an entity, as `switch.turn_on`."""
        domain, _, name = service.partition(".")
        return self.ask("call_service", domain=domain, service=name, service_data={"entity_id": entity, **data})

    def device(self, identity):
        """A device of the registry by the identity that was announced for it."""
        devices = self.ask("config/device_registry/list")
        return next((device for device in devices if ["mqtt", identity] in device["identifiers"]), None)

    def wait_device(self, identity, **fields):
        def found():
            device = self.device(identity)
            return device if device and all(device[key] == value for key, value in fields.items()) else None
        return wait_for(found, lambda: f"device {identity} with {fields}; it is {self.device(identity)}", gap=0.1)

    def wait_no_device(self, identity):
        wait_for(lambda: self.device(identity) is None, f"device {identity} goes", gap=0.1)

    def entities(self):
        """The entries of MQTT's entities by their unique ids."""
        entries = self.ask("config/entity_registry/list")
        return {entry["unique_id"]: entry for entry in entries if entry["platform"] == "mqtt"}

    def wait_entity(self, unique):
        """The id of an entity, once it is there and has a state."""
        def found():
            entry = self.entities().get(unique)
            return entry["entity_id"] if entry and self.state(entry["entity_id"]) else None
        return wait_for(found, lambda: f"entity {unique}; there are {sorted(self.entities())}", gap=0.1)

    def state(self, entity):
        return self.rest(f"/states/{entity}")

    def wait_state(self, entity, wanted, seconds=15.0, **attributes):
        """Waits for a state, or for what a function says of it, and for attributes."""
        last = None

        def found():
            nonlocal last
            last = self.state(entity)
            if last is None:
                return None
            fits = wanted(last["state"]) if callable(wanted) else last["state"] == wanted
            return last if fits and all(last["attributes"].get(key) == value
                                        for key, value in attributes.items()) else None
        return wait_for(found, lambda: f"{entity} is {wanted} {attributes or ''}; it is {last}", seconds)
