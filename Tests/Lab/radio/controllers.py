"""Simulated controllers: Bumble's, with what Linux needs and Bumble leaves out."""
import asyncio
import logging
import os

from bumble import hci, ll
from bumble.controller import Controller, LegacyAdvertiser

from .air import Advertisement

log = logging.getLogger("radio")

Error = hci.HCI_ErrorCode
Report = hci.HCI_LE_Advertising_Report_Event.Report
ReportType = hci.HCI_LE_Advertising_Report_Event.EventType
AdvertisingType = hci.HCI_LE_Set_Advertising_Parameters_Command.AdvertisingType

# The simulation speaks legacy advertising. LL privacy is not claimed because Linux then
# waits for the Enhanced Connection Complete event, which Bumble's controller does not send.
UNCLAIMED = (hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
             | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
             | hci.LeFeatureMask.LL_PRIVACY)

PLUG_PRIMARY_CONTROLLER = b"\xff\x00"
VENDOR_PACKET = b"\xff"


class LabController(Controller):
    """What adapters and devices have in common."""
    scans = False
    le_features = Controller.le_features & ~UNCLAIMED
    le_acl_data_packet_length = 251
    total_num_le_acl_data_packets = 16
    supported_max_tx_octets = 251
    supported_max_rx_octets = 251

    def on_ll_control_pdu(self, sender_address, packet):
        if sender_address in self.le_connections:
            super().on_ll_control_pdu(sender_address, packet)

    def on_hci_disconnect_command(self, command):
        """The side that hangs up hears "by local host"; the reason it gives is for the other side."""
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None:
            super().on_hci_disconnect_command(command)
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        self.on_le_disconnected(connection, Error.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR)

    def tell_peers(self, reason):
        """Every peer sees its link end for `reason`; this side is told nothing."""
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(reason))

    def break_links(self, reason):
        """Both ends of each link see it end for `reason`."""
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(reason))
            self.on_le_disconnected(connection, reason)


class Adapter(LabController):
    """The controller behind one /dev/vhci device: what the kernel and bluetoothd drive."""
    scans = True

    def __init__(self, index, air, address):
        super().__init__(f"adapter {index}", link=air, public_address=address)
        # On the air only while plugged in.
        air.remove_controller(self)
        self.device = None
        self.reported = set()

    def plug(self):
        if self.device is not None:
            raise ValueError(f"{self.name} is plugged in already")
        self.device = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        os.write(self.device, PLUG_PRIMARY_CONTROLLER)
        asyncio.get_running_loop().add_reader(self.device, self._from_kernel)
        self.host = self
        self.link.add_controller(self)

    def unplug(self):
        if self.device is None:
            raise ValueError(f"{self.name} is not plugged in")
        self.tell_peers(Error.CONNECTION_TIMEOUT_ERROR)
        self._forget_everything()
        self.link.remove_controller(self)
        asyncio.get_running_loop().remove_reader(self.device)
        device, self.device = self.device, None
        os.close(device)

    def _from_kernel(self):
        while self.device is not None:
            try:
                packet = os.read(self.device, 4096)
            except BlockingIOError:
                return
            if not packet:
                return
            if packet.startswith(VENDOR_PACKET):
                log.info("%s is hci%d", self.name, int.from_bytes(packet[2:4], "little"))
            else:
                self.on_packet(packet)

    def send_hci_packet(self, packet):
        log.debug("%s > kernel: %s", self.name, packet)
        asyncio.get_running_loop().call_soon(self._to_kernel, bytes(packet))

    def _to_kernel(self, data):
        if self.device is not None:
            os.write(self.device, data)

    def _forget_everything(self):
        self.le_connections.clear()
        self.pending_le_connection = None
        self.le_scan_enable = False
        self.le_legacy_advertiser.stop()
        self.reported.clear()

    def on_hci_reset_command(self, command):
        self.tell_peers(Error.CONNECTION_TIMEOUT_ERROR)
        self._forget_everything()
        return super().on_hci_reset_command(command)

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_create_connection_cancel_command(self, _command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(Error.COMMAND_DISALLOWED_ERROR)
        # The event has to follow the answer to the command.
        asyncio.get_running_loop().call_soon(self._report_cancelled, pending.peer_address)
        return hci.HCI_StatusReturnParameters(Error.SUCCESS)

    def _report_cancelled(self, peer):
        self.send_hci_packet(hci.HCI_LE_Connection_Complete_Event(
            status=Error.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=hci.Role.CENTRAL,
            peer_address_type=peer.address_type, peer_address=peer, connection_interval=0,
            peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))

    def on_advertising_pdu(self, pdu):
        if self.le_scan_enable:
            if pdu.connectable:
                kind = ReportType.ADV_IND
            elif pdu.scannable:
                kind = ReportType.ADV_SCAN_IND
            else:
                kind = ReportType.ADV_NONCONN_IND
            self._report(kind, pdu, pdu.data)
            if pdu.scannable and self.le_scan_type == 1:
                self._report(ReportType.SCAN_RSP, pdu, pdu.scan_response)
        pending = self.pending_le_connection
        if pending and pdu.connectable and pdu.answers and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def _report(self, kind, pdu, data):
        if self.filter_duplicates:
            key = (kind, bytes(pdu.advertiser_address), data)
            if key in self.reported:
                return
            self.reported.add(key)
        self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([Report(
            event_type=kind, address_type=pdu.advertiser_address.address_type,
            address=pdu.advertiser_address, data=data, rssi=pdu.rssi)]))


class DeviceController(LabController):
    """The controller of one device, with the faults that its radio can have."""

    def __init__(self, name, air, public_address=None):
        super().__init__(name, link=air, public_address=public_address)
        self.le_legacy_advertiser = Advertiser(self)
        self.rssi = -60
        self.answers = True
        self.loses_each_link = False

    def on_le_connect_ind(self, packet):
        super().on_le_connect_ind(packet)
        if self.loses_each_link and packet.initiator_address in self.le_connections:
            self.break_links(Error.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR)

    def lose_links(self):
        self.break_links(Error.CONNECTION_TIMEOUT_ERROR)


class Advertiser(LegacyAdvertiser):
    """Legacy advertising of every type that a scanner can tell apart."""
    SLOT_SECONDS = 0.000625
    SHORTEST_SECONDS = 0.02

    def _on_timer_fired(self):
        self.send_advertising_data()
        interval = max(self.advertising_interval_min * self.SLOT_SECONDS, self.SHORTEST_SECONDS)
        self.timer_handle = asyncio.get_running_loop().call_later(interval, self._on_timer_fired)

    def send_advertising_data(self):
        if not self.enabled:
            return
        kind = self.advertising_type
        self.controller.send_advertising_pdu(Advertisement(
            self.address, self.advertising_data, scan_response=self.scan_response_data,
            connectable=kind == AdvertisingType.ADV_IND,
            scannable=kind in (AdvertisingType.ADV_IND, AdvertisingType.ADV_SCAN_IND),
            rssi=self.controller.rssi, answers=self.controller.answers))
