"""The medium that all simulated controllers share."""
import asyncio
import dataclasses

from bumble import ll
from bumble.core import PhysicalTransport
from bumble.link import LocalLink


@dataclasses.dataclass
class Advertisement(ll.AdvInd):
    """One advertising event, with everything a scanner could learn from it."""
    scan_response: bytes = b""
    connectable: bool = True
    scannable: bool = True
    rssi: int = -60
    # False: a connection request to the advertiser is never heard.
    answers: bool = True


class Air(LocalLink):
    """Delivers by connection, where Bumble's own link delivers by a controller's current address.

    An adapter's random address may change while it is connected, and the address in a
    connection may be its public one, so both ends are found through their connection.
    """

    def send_advertising_pdu(self, sender_controller, packet):
        loop = asyncio.get_running_loop()
        for controller in self.controllers:
            # Devices never scan; sparing them the advertisements saves most of the work.
            if controller is sender_controller or (isinstance(packet, Advertisement) and not controller.scans):
                continue
            loop.call_soon(controller.on_ll_advertising_pdu, packet)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        if transport != PhysicalTransport.LE:
            super().send_acl_data(sender_controller, destination_address, transport, data)
            return
        here = sender_controller.le_connections.get(destination_address)
        if here is None:
            return
        for controller in self.controllers:
            there = controller.le_connections.get(here.self_address)
            if there is not None and there.self_address == destination_address:
                asyncio.get_running_loop().call_soon(
                    controller.on_link_acl_data, here.self_address, transport, data)
                return

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        # A device that went silent answers nothing; that is no fault here.
        if self.find_le_controller(receiver_address) is not None:
            super().send_ll_control_pdu(sender_address, receiver_address, packet)
