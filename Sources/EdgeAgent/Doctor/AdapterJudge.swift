package import BleCore

/// What there is of adapters, and what they could be made to do; pure.
package enum AdapterJudge {
    /// Whether there is an adapter to use.
    package static func adapter(
        _ found: BluetoothInspection,
        wanted: String?,
        _ host: HostFacts
    ) -> Finding {
        guard !found.adapters.isEmpty else {
            return .failed(
                "BlueZ has no adapter",
                mend: "lsusb; sudo dmesg | grep -i bluetooth (firmware missing? sudo apt install firmware-linux); on a "
                    + "Raspberry Pi: no dtoverlay=disable-bt in /boot/firmware/config.txt"
            )
        }
        let all = found.adapters.map(shown).joined(separator: ", ")
        let used = found.adapters.filter(\.isUsed)
        guard !used.isEmpty else {
            return .failed(
                "none of the adapters is the one that the configuration names (\(wanted ?? "none")): there is \(all)",
                mend: "bluetooth.adapter: \(found.adapters[0].name.text)"
            )
        }
        return .ok(used.map(shown).joined(separator: ", "))
    }

    /// Whether an adapter to use is on.
    package static func power(_ found: BluetoothInspection, _ host: HostFacts) -> Finding {
        let used = found.adapters.filter(\.isUsed)
        let (on, off) = (used.filter(\.isPowered), used.filter { !$0.isPowered })
        guard on.isEmpty else {
            let names = on.map(\.name.text).joined(separator: ", ")
            guard let first = off.first else { return .ok("\(names) on") }
            return .warning("\(names) on, \(first.name.text) off", mend: powerMend(first))
        }
        guard let first = off.first else { return .skipped("there is no adapter") }
        let name = first.name.text
        if let held = host.switches.first(where: \.isHardBlocked) {
            return .failed(
                "\(name) is off: a switch of the machine holds it (rfkill, hard, \(held.name))",
                mend: "switch it on at the machine or in its firmware; then: rfkill list bluetooth"
            )
        }
        if first.isBlocked || host.switches.contains(where: \.isSoftBlocked) {
            return .failed(
                "\(name) is off: rfkill blocks it",
                mend: "sudo rfkill unblock bluetooth; bluetoothctl power on"
            )
        }
        return .failed("\(name) is off", mend: powerMend(first))
    }

    /// Whether discovery works.
    package static func discovery(_ outcome: Result<Bool, BleFailure>, time: Duration, _ host: HostFacts) -> Finding {
        switch outcome {
        case .success(true): return .ok("started, and somebody was heard")
        case .success(false):
            return .warning(
                "started, and nobody was heard within \(time.milliseconds / 1000) s",
                mend: "bring a device near that advertises; listen longer: edge-agent doctor --listen 30"
            )
        case .failure(let failure): return failed(failure, "discovery does not start", host)
        }
    }

    /// Whether a device could be connected to.
    package static func connect(
        _ outcome: Result<ConnectOutcome, BleFailure>,
        _ device: DeviceAddress,
        _ host: HostFacts
    ) -> Finding {
        switch outcome {
        case .success(let outcome) where outcome.already:
            return .ok("\(device) has a link already, which was left as it is")
        case .success: return .ok("connected to \(device), and let it go again")
        case .failure(let failure): return failed(failure, "no link to \(device)", host)
        }
    }

    private static func failed(_ failure: BleFailure, _ what: String, _ host: HostFacts) -> Finding {
        .failed("\(what): \(BusJudge.said(failure))", mend: mend(failure, host))
    }

    private static func mend(_ failure: BleFailure, _ host: HostFacts) -> String {
        switch failure.kind {
        case .unauthorized:
            let fault = failure.dbus.map { BusFault(name: $0.name, message: $0.message) }
            let interface = failure.stage == .connect ? "org.bluez.Device1" : "org.bluez.Adapter1"
            return fault.flatMap { BusJudge.appArmor($0, host) } ?? BusJudge.policyMend(host, interface)
        case .adapterOff: return "bluetoothctl power on"
        case .adapterBlocked: return "sudo rfkill unblock bluetooth; bluetoothctl power on"
        case .adapterMissing: return "lsusb; sudo dmesg | grep -i bluetooth"
        case .notInRange:
            return "bring the device near, wake it, end its link to others (a phone), and compare its address: "
                + "bluetoothctl scan le"
        case .needsPairing, .pairingFailed, .pairingRejected: return "edge-agent ctl pair DEVICE"
        case .staleBond: return "bluetoothctl remove ADDRESS; edge-agent ctl pair DEVICE"
        case .noSlot: return "end another link first: bluetoothctl devices Connected"
        case .connectFailed, .timedOut, .linkLost:
            return "bring the device near, and end its link to others (a phone); then: sudo systemctl restart bluetooth"
        default: return "sudo systemctl restart bluetooth; journalctl -u bluetooth -n 50"
        }
    }

    private static func powerMend(_ adapter: BluetoothInspection.Adapter) -> String {
        let which = adapter.address.map { "bluetoothctl select \($0); " } ?? ""
        return "\(which)bluetoothctl power on; for good: AutoEnable=true in /etc/bluetooth/main.conf"
    }

    private static func shown(_ adapter: BluetoothInspection.Adapter) -> String {
        adapter.name.text + (adapter.address.map { " (\($0))" } ?? "")
    }
}
