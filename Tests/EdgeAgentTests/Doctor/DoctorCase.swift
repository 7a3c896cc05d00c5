import BleCore
import EdgeAgent
import MQTT
import Testing

/// One thing that a check may find, with what it says then: the page has a row of each.
struct DoctorCase: Sendable, CustomTestStringConvertible {
    let name: CheckName
    let finding: Finding
    let status: CheckStatus
    /// Part of what to do.
    let mend: String

    init(_ name: CheckName, _ finding: Finding, _ mend: String) {
        self.init(name, finding, .failed, mend)
    }

    init(_ name: CheckName, _ finding: Finding, _ status: CheckStatus, _ mend: String) {
        self.name = name
        self.finding = finding
        self.status = status
        self.mend = mend
    }

    var testDescription: String { "\(name.rawValue): \(finding.text)" }

    /// The row of the page.
    var row: String {
        let cells = [finding.text, finding.mend ?? ""].map { $0.replacing("|", with: "\\|") }
        return "| `\(name.rawValue)` | \(cells[0]) | \(cells[1]) |"
    }

    static let all = bus + bluetooth + state + broker

    // MARK: What the cases are about

    /// A gateway in order, with the package's user.
    static var host: HostFacts {
        var host = HostFacts()
        host.user = UserName(id: 998, name: "edge-agent")
        host.nowMs = AgentVersion.releasedMs + 1_000_000
        return host
    }

    static var person: HostFacts {
        var host = host
        host.user = UserName(id: 1000, name: "pi")
        return host
    }

    static var container: HostFacts {
        var host = host
        host.isContainer = true
        return host
    }

    static func found(_ change: (inout BluetoothInspection) -> Void = { _ in }) -> BluetoothInspection {
        var found = BluetoothInspection(bus: "unix:path=/run/dbus/system_bus_socket")
        (found.isConnected, found.hasBluez, found.isLoaded, found.version) = (true, true, true, "5.66")
        found.adapters = AdapterName("hci0").map { [BluetoothInspection.Adapter(name: $0)] } ?? []
        found.registration = .registered(.keyboardDisplay)
        change(&found)
        return found
    }

    static func noBus(_ name: String, _ message: String) -> BluetoothInspection {
        var found = BluetoothInspection(bus: "unix:path=/run/dbus/system_bus_socket")
        found.busFault = fault(name, message)
        return found
    }

    static func fault(_ name: String, _ message: String) -> BusFault {
        BusFault(name: "org.freedesktop.DBus.Error.\(name)", message: message)
    }

    static let armour = fault(
        "AccessDenied",
        "An AppArmor policy prevents this sender from sending this message to this recipient"
    )
    static let policy = fault("AccessDenied", "Rejected send message, 1 matched rules")

    static func failure(_ kind: BleFailure.Kind, at stage: BleFailure.Stage, _ fault: BusFault? = nil) -> BleFailure {
        let dbus = fault.map { BleFailure.BusError(name: $0.name, message: $0.message) }
        return BleFailure(kind, at: stage, dbus: dbus, detail: "it did not work")
    }
}
