package import BleCore

/// What bus and bluetoothd have answered, and what to do about it; pure.
package enum BusJudge {
    /// Whether the bus takes this process.
    package static func bus(_ found: BluetoothInspection, _ host: HostFacts) -> Finding {
        if found.isConnected { return .ok("connected to \(found.bus)") }
        guard let fault = found.busFault else {
            return .failed("\(found.bus) does not answer", mend: "systemctl status dbus; sudo systemctl restart dbus")
        }
        let said = said(fault)
        if let mend = appArmor(fault, host) { return .failed("AppArmor denies the bus: \(said)", mend: mend) }
        switch fault.name {
        case "org.freedesktop.DBus.Error.FileNotFound":
            return .failed(
                "there is no bus at \(found.bus): \(said)",
                mend: host.isContainer
                    ? "give the container the host's bus: -v /run/dbus:/run/dbus, or bind-mount /run/dbus"
                    : "sudo apt install dbus; sudo systemctl start dbus.socket"
            )
        case "org.freedesktop.DBus.Error.NoServer":
            return .failed(
                "nobody listens at \(found.bus): \(said)",
                mend: host.isContainer
                    ? "the host's bus was started anew: mount the folder /run/dbus, not the socket, and restart the container"
                    : "sudo systemctl start dbus.socket"
            )
        case "org.freedesktop.DBus.Error.BadAddress":
            return .failed(
                "the bus has no valid address: \(said)",
                mend: "unset DBUS_SYSTEM_BUS_ADDRESS, or write it as unix:path=/run/dbus/system_bus_socket"
            )
        default: return refused(fault, found, host)
        }
    }

    /// The bus is there and does not take this user.
    private static func refused(_ fault: BusFault, _ found: BluetoothInspection, _ host: HostFacts) -> Finding {
        let isSocket = fault.message.firstRange(of: "Permission denied") != nil
        if isSocket {
            return .failed(
                "the socket of the bus may not be opened: \(said(fault))",
                mend: host.isContainer
                    ? "--security-opt label=disable where SELinux holds, and the mount /run/dbus without a chmod"
                    : "sudo chmod 666 /run/dbus/system_bus_socket; sudo systemctl restart dbus.socket"
            )
        }
        // libdbus says "AuthFailed", or merely that the connection ended before Hello was answered.
        let isLogin =
            ["AuthFailed", "NoReply", "Disconnected"].contains { fault.name.hasSuffix(".\($0)") }
            || fault.name.isEmpty
        if isLogin, host.hasMappedUsers || host.isContainer {
            return .failed(
                "the bus rejects the login (EXTERNAL) of user \(host.user), who is another one outside: \(said(fault))",
                mend: "run it in the host's user namespace: podman run --userns=host, or --userns=keep-id with --user; "
                    + "in a unit PrivateUsers=no"
            )
        }
        if isLogin {
            return .failed(
                "the bus rejects the login of user \(host.user): \(said(fault))",
                mend: "getent passwd \(host.user.id); sudo systemctl reload dbus"
            )
        }
        return .failed("the bus refuses user \(host.user): \(said(fault))", mend: policyMend(host))
    }

    /// Whether bluetoothd is there.
    package static func bluez(_ found: BluetoothInspection, _ host: HostFacts) -> Finding {
        guard found.hasBluez else {
            return .failed(
                "bluetoothd is not on the bus",
                mend: host.isContainer
                    ? "on the host, not in here: sudo apt install bluez; sudo systemctl enable --now bluetooth"
                    : "sudo apt install bluez; sudo systemctl enable --now bluetooth"
            )
        }
        // Whether it may be asked is the next check's.
        if let fault = found.treeFault, !isDenial(fault) {
            return .failed(
                "bluetoothd is on the bus and does not tell what it has: \(said(fault))",
                mend: "sudo systemctl restart bluetooth; journalctl -u bluetooth -n 50"
            )
        }
        if !found.isLoaded, found.treeFault == nil {
            return .failed(
                "bluetoothd is on the bus and does not answer",
                mend: "sudo systemctl restart bluetooth; journalctl -u bluetooth -n 50"
            )
        }
        return .ok("bluetoothd is on the bus" + (found.version.map { ", BlueZ \($0)" } ?? "; its version is not told"))
    }

    /// Whether this user may call bluetoothd.
    package static func permission(_ found: BluetoothInspection, _ host: HostFacts) -> Finding {
        if let fault = found.treeFault {
            if let mend = appArmor(fault, host) {
                return .failed("AppArmor denies calls to bluetoothd: \(said(fault))", mend: mend)
            }
            return .failed(
                "the bus lets user \(host.user) not call bluetoothd: \(said(fault))",
                mend: policyMend(host)
            )
        }
        if host.isRoot, !host.isContainer {
            return .warning(
                "root may call bluetoothd, which says nothing of the user that the agent runs as",
                mend: "sudo -u edge-agent edge-agent doctor\(configurationFlag(host))"
            )
        }
        return .ok("user \(host.user) may call bluetoothd")
    }

    /// Whether bluetoothd takes an agent for pairings.
    package static func pairingAgent(_ found: BluetoothInspection, _ host: HostFacts) -> Finding {
        switch found.registration {
        case .registered(let capability): return .ok("registered as \(capability.rawValue)")
        case .none: return .skipped("bluetoothd was not asked")
        case .underway:
            return .failed("bluetoothd does not answer RegisterAgent", mend: "sudo systemctl restart bluetooth")
        case .refused(let failure) where failure.kind == .unauthorized:
            let fault = failure.dbus.map { BusFault(name: $0.name, message: $0.message) }
            let mend = fault.flatMap { appArmor($0, host) }
            return .failed(
                "the bus denies RegisterAgent: \(said(failure))",
                mend: mend ?? policyMend(host, "org.bluez.AgentManager1")
            )
        case .refused(let failure):
            return .failed(
                "bluetoothd refuses the agent for pairings: \(said(failure))",
                mend: "sudo systemctl restart bluetooth; journalctl -u bluetooth -n 50"
            )
        }
    }

    // MARK: Texts

    static func isDenial(_ fault: BusFault) -> Bool { fault.name == "org.freedesktop.DBus.Error.AccessDenied" }

    /// What to do about AppArmor, where it is what denies.
    static func appArmor(_ fault: BusFault, _ host: HostFacts) -> String? {
        guard fault.message.firstRange(of: "AppArmor policy prevents") != nil else { return nil }
        return host.isContainer
            ? "podman run --security-opt apparmor=unconfined, or allow in its profile: "
                + "dbus (send, receive) bus=system peer=(name=org.bluez),"
            : "allow in the agent's profile: dbus (send, receive) bus=system peer=(name=org.bluez), then: "
                + "sudo systemctl reload apparmor; denials: journalctl -k -g apparmor"
    }

    static func policyMend(_ host: HostFacts, _ interface: String? = nil) -> String {
        if let interface {
            return
                "allow user \(host.user) send_interface=\"\(interface)\" in /usr/share/dbus-1/system.d/edge-agent.conf,"
                + " then: sudo systemctl reload dbus"
        }
        if host.user.name == "edge-agent" {
            return "sudo apt install --reinstall edge-agent; sudo systemctl reload dbus"
        }
        return
            "sudo usermod -aG bluetooth \(host.user), then log in anew; as the agent: sudo -u edge-agent edge-agent doctor"
    }

    private static func configurationFlag(_ host: HostFacts) -> String { host.file.map { " --config \($0)" } ?? "" }

    private static func said(_ fault: BusFault) -> String {
        fault.name.isEmpty ? fault.message : "\(fault.message) (\(fault.name))"
    }

    static func said(_ failure: BleFailure) -> String {
        if let dbus = failure.dbus { return "\(dbus.message) (\(dbus.name))" }
        return failure.detail.isEmpty ? "\(failure.kind)" : failure.detail
    }
}
