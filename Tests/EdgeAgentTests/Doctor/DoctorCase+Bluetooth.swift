import BleCore
import EdgeAgent

extension DoctorCase {
    static var bus: [DoctorCase] {
        let missing = noBus("FileNotFound", "No such file or directory")
        let refused = noBus("NoServer", "Connection refused")
        let login = noBus("NoReply", "Did not receive a reply")
        let locked = noBus("AccessDenied", "Permission denied")
        let denied = found { ($0.isLoaded, $0.treeFault) = (false, policy) }
        let armoured = found { ($0.isLoaded, $0.treeFault) = (false, armour) }
        var mapped = host
        mapped.hasMappedUsers = true
        var root = host
        root.user = UserName(id: 0, name: "root")
        var unreachable = BluetoothInspection(bus: "unix:path=/run/dbus/system_bus_socket")
        unreachable.busFault = armour
        return [
            DoctorCase(.bus, BusJudge.bus(missing, host), "sudo systemctl start dbus.socket"),
            DoctorCase(.bus, BusJudge.bus(missing, container), "-v /run/dbus:/run/dbus"),
            DoctorCase(.bus, BusJudge.bus(refused, host), "sudo systemctl start dbus.socket"),
            DoctorCase(.bus, BusJudge.bus(refused, container), "mount the folder /run/dbus"),
            DoctorCase(.bus, BusJudge.bus(noBus("BadAddress", "no colon"), host), "unset DBUS_SYSTEM_BUS_ADDRESS"),
            DoctorCase(.bus, BusJudge.bus(locked, container), "--security-opt label=disable"),
            DoctorCase(.bus, BusJudge.bus(login, mapped), "--userns=host"),
            DoctorCase(.bus, BusJudge.bus(login, host), "getent passwd 998"),
            DoctorCase(.bus, BusJudge.bus(unreachable, container), "--security-opt apparmor=unconfined"),
            DoctorCase(
                .bus,
                BusJudge.bus(BluetoothInspection(bus: "unix:path=/run/dbus/system_bus_socket"), host),
                "sudo systemctl restart dbus"
            ),
            DoctorCase(
                .bluez,
                BusJudge.bluez(found { $0.hasBluez = false }, host),
                "sudo systemctl enable --now bluetooth"
            ),
            DoctorCase(.bluez, BusJudge.bluez(found { $0.hasBluez = false }, container), "on the host"),
            DoctorCase(.bluez, BusJudge.bluez(found { $0.isLoaded = false }, host), "sudo systemctl restart bluetooth"),
            DoctorCase(
                .bluez,
                BusJudge.bluez(
                    found { ($0.isLoaded, $0.treeFault) = (false, fault("UnknownObject", "No object")) },
                    host
                ),
                "journalctl -u bluetooth"
            ),
            DoctorCase(.permission, BusJudge.permission(denied, person), "sudo usermod -aG bluetooth pi"),
            DoctorCase(.permission, BusJudge.permission(denied, host), "sudo apt install --reinstall edge-agent"),
            DoctorCase(.permission, BusJudge.permission(armoured, host), "sudo systemctl reload apparmor"),
            DoctorCase(.permission, BusJudge.permission(armoured, container), "--security-opt apparmor=unconfined"),
            DoctorCase(
                .permission,
                BusJudge.permission(found(), root),
                .warning,
                "sudo -u edge-agent edge-agent doctor"
            ),
        ]
    }

    static var bluetooth: [DoctorCase] {
        let off = found { $0.adapters[0].isPowered = false }
        var soft = host
        soft.switches = [RadioSwitch(name: "hci0", isSoftBlocked: true, isHardBlocked: false)]
        var hard = host
        hard.switches = [RadioSwitch(name: "thinkpad_bluetooth_sw", isSoftBlocked: false, isHardBlocked: true)]
        let other = found { $0.adapters[0].isUsed = false }
        let refused = { (failure: BleFailure) in found { $0.registration = .refused(failure) } }
        let device = DeviceAddress("A1:B2:C3:D4:E5:F6")
        let discovery = { (failure: BleFailure) in
            AdapterJudge.discovery(.failure(failure), time: .seconds(5), host)
        }
        let connect = { (kind: BleFailure.Kind) in
            device.map { AdapterJudge.connect(.failure(failure(kind, at: .connect)), $0, host) } ?? .ok("")
        }
        let denied = failure(.unauthorized, at: .scan, policy)
        return [
            DoctorCase(.adapter, AdapterJudge.adapter(found { $0.adapters = [] }, wanted: nil, host), "lsusb"),
            DoctorCase(.adapter, AdapterJudge.adapter(other, wanted: "hci1", host), "bluetooth.adapter: hci0"),
            DoctorCase(.power, AdapterJudge.power(off, host), "bluetoothctl power on"),
            DoctorCase(.power, AdapterJudge.power(off, soft), "sudo rfkill unblock bluetooth"),
            DoctorCase(.power, AdapterJudge.power(off, hard), "switch it on at the machine"),
            DoctorCase(
                .discovery,
                AdapterJudge.discovery(.success(false), time: .seconds(5), host),
                .warning,
                "--listen 30"
            ),
            DoctorCase(.discovery, discovery(denied), "org.bluez.Adapter1"),
            DoctorCase(.discovery, discovery(failure(.bus, at: .scan)), "sudo systemctl restart bluetooth"),
            DoctorCase(.pairingAgent, BusJudge.pairingAgent(refused(denied), host), "org.bluez.AgentManager1"),
            DoctorCase(
                .pairingAgent,
                BusJudge.pairingAgent(refused(failure(.bus, at: .operate)), host),
                "sudo systemctl restart bluetooth"
            ),
            DoctorCase(
                .pairingAgent,
                BusJudge.pairingAgent(found { $0.registration = .underway }, host),
                "sudo systemctl restart bluetooth"
            ),
            DoctorCase(.connect, connect(.notInRange), "bluetoothctl scan le"),
            DoctorCase(.connect, connect(.connectFailed), "end its link to others"),
            DoctorCase(.connect, connect(.needsPairing), "edge-agent ctl pair"),
            DoctorCase(.connect, connect(.noSlot), "bluetoothctl devices Connected"),
        ]
    }
}
