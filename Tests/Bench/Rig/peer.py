"""peer PORT - what somebody would write instead of edge-agent: bleak and aiomqtt.

g/ADDRESS/cmd {"id":N,"op":"ping|read|write|connect|subscribe","v":"hex"} is answered on g/ADDRESS/res; advertisements
come out on g/ADDRESS/adv, notifications on g/ADDRESS/ntf.
"""
import asyncio
import json
import socket
import sys

import aiomqtt
from bleak import BleakClient, BleakScanner
from bleak.args.bluez import BlueZScannerArgs

VALUE = "b0000000-b1e5-4c0d-8000-00805f9b34fb"
NOTIFYING = "b0000001-b1e5-4c0d-8000-00805f9b34fb"


class Bridge:
    def __init__(self):
        self.clients, self.heard, self.locks, self.outbox = {}, {}, {}, asyncio.Queue()

    def advertised(self, device, advertisement):
        key = device.address.replace(":", "").lower()
        self.heard[key] = device
        payload = {
            "rssi": advertisement.rssi,
            "manufacturer": {f"{company:04x}": bytes(data).hex() for company, data in advertisement.manufacturer_data.items()},
            "service": {uuid: bytes(data).hex() for uuid, data in advertisement.service_data.items()},
        }
        self.outbox.put_nowait((f"g/{key}/adv", json.dumps(payload), 0))

    async def connected(self, key):
        async with self.locks.setdefault(key, asyncio.Lock()):
            client = self.clients.get(key)
            if client is None or not client.is_connected:
                address = ":".join(key[i:i + 2] for i in range(0, 12, 2)).upper()
                client = self.clients[key] = BleakClient(self.heard.get(key) or address)
                await client.connect()
        return client

    async def carry_out(self, key, request, answer):
        if request["op"] == "ping":
            return
        client = await self.connected(key)
        if request["op"] == "read":
            answer["v"] = bytes(await client.read_gatt_char(VALUE)).hex()
        elif request["op"] == "write":
            await client.write_gatt_char(VALUE, bytes.fromhex(request["v"]), response=True)
        elif request["op"] == "subscribe":
            await client.start_notify(NOTIFYING, lambda _, value: self.outbox.put_nowait(
                (f"g/{key}/ntf", json.dumps({"v": bytes(value).hex()}), 1)))

    async def command(self, key, payload):
        request = json.loads(payload)
        answer = {"id": request["id"], "ok": True}
        try:
            await self.carry_out(key, request, answer)
        except Exception as error:  # whatever it was, the caller gets an answer
            answer = {"id": request["id"], "ok": False, "error": f"{type(error).__name__}: {error}"}
        self.outbox.put_nowait((f"g/{key}/res", json.dumps(answer, separators=(",", ":")), 1))

    async def publish(self, client):
        while True:
            topic, payload, qos = await self.outbox.get()
            await client.publish(topic, payload, qos=qos)

    async def run(self, port):
        # paho leaves Nagle's algorithm on, which costs 40 ms an answer.
        options = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
        tasks = set()
        async with aiomqtt.Client("127.0.0.1", port, socket_options=options) as client:
            publisher = asyncio.create_task(self.publish(client))
            await BleakScanner(self.advertised, bluez=BlueZScannerArgs(filters={"DuplicateData": True})).start()
            await client.subscribe("g/+/cmd", qos=1)
            async for message in client.messages:
                task = asyncio.create_task(self.command(str(message.topic).split("/")[1], message.payload))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            await publisher


asyncio.run(Bridge().run(int(sys.argv[1])))
