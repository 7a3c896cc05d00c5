"""Devices that answer what is written to them with notifications."""
import asyncio

from bumble.core import UUID
from bumble.gatt import Service

from . import advertising
from .peripheral import Peripheral, short

PACKET_BYTES = 20


class Uart(Peripheral):
    """A serial line over GATT: what is written to 6e400002 comes back from 6e400003 in packets of 20 bytes."""
    key, name, rssi = "uart", "Lab UART", -58
    SERVICE = UUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    RECEIVE = UUID("6E400002-B5A3-F393-E0A9-E50E24DCCA9E")
    TRANSMIT = UUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    advert = (advertising.name("Lab UART"),)
    scan_response = ((0x07, SERVICE.to_bytes()),)

    def services(self):
        self.transmit = self.source(self.TRANSMIT)
        return [Service(self.SERVICE, [self.sink(self.RECEIVE, self._echo), self.transmit])]

    async def _echo(self, _connection, data):
        for start in range(0, len(data), PACKET_BYTES):
            await self.notify(self.transmit, data[start:start + PACKET_BYTES])


class FramedCommands(Peripheral):
    """Commands in frames to FFE1, answers in frames from FFE2, at an MTU of 23.

    A frame both ways: 7E, command, length, payload, sum (of all bytes before it, modulo
    256). The command of an answer is the request's plus 80. Answers travel in packets of 20
    bytes, 10 ms apart. Requests may come in pieces; one with a wrong sum is ignored.

        01 payload   the payload reversed        04   no answer
        02           72 bytes from 40 on         05   an answer with a wrong sum
        03 n         n bytes 00, 01, ...         06   the link ends half way through the answer
        other        command FF with one byte: the unknown command
    """
    key, name, mtu, rssi = "cmd", "Lab Cmd", 23, -63
    advert = (advertising.name("Lab Cmd"), advertising.services(0xFFE0), advertising.manufacturer(0xFFFF, b"cmd1"))
    START, OVERHEAD, ANSWER, UNKNOWN = 0x7E, 4, 0x80, 0xFF
    GAP_SECONDS = 0.01

    def services(self):
        self.received = b""
        self.answers_out = self.source(short(0xFFE2))
        return [Service(short(0xFFE0), [self.sink(short(0xFFE1), self._receive), self.answers_out])]

    def connected(self, connection):
        self.received = b""

    def _receive(self, connection, data):
        self.received += data
        while True:
            self.received = self.received[max(0, self.received.find(self.START)):]
            if self.received[:1] != bytes([self.START]):
                self.received = b""
                return
            if len(self.received) < 3 or len(self.received) < self.received[2] + self.OVERHEAD:
                return
            end = self.received[2] + self.OVERHEAD
            frame, self.received = self.received[:end], self.received[end:]
            if sum(frame[:-1]) & 0xFF == frame[-1]:
                self.spawn(self._answer(connection, frame[1], frame[3:-1]))

    async def _answer(self, connection, command, payload):
        code = command | self.ANSWER
        match command:
            case 1:
                body = payload[::-1]
            case 2:
                body = bytes(range(0x40, 0x40 + 72))
            case 3:
                body = bytes(range(payload[0] if payload else 0))
            case 4:
                return
            case 5 | 6:
                body = bytes(30)
            case _:
                code, body = self.UNKNOWN, bytes([command])
        frame = bytes([self.START, code, len(body)]) + body
        frame += bytes([(sum(frame) + (command == 5)) & 0xFF])
        for start in range(0, len(frame), PACKET_BYTES):
            if command == 6 and start > 0:
                await connection.disconnect()
                return
            await self.notify(self.answers_out, frame[start:start + PACKET_BYTES])
            await asyncio.sleep(self.GAP_SECONDS)
