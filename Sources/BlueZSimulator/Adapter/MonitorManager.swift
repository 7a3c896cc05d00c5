internal import DBus
internal import EventLoop

/// `org.bluez.AdvertisementMonitorManager1` of an adapter: clients that want to hear without a discovery, and by which
/// patterns.
///
/// Source: bluez 5.66, src/adv_monitor.c. Discovery is what others see of a scan; monitors listen beside it, unseen.
final class MonitorManager: SimulatedInterface {
    /// A monitor's object at a client, and whom it has been told of.
    private struct Monitor {
        let patterns: [MonitorPattern]
        var found: Set<ObjectPath> = []
    }

    private struct Application: Hashable {
        let client: String
        let path: ObjectPath
    }

    private var monitors: [Application: [ObjectPath: Monitor]] = [:]
    private let call: AgentCalls.Caller
    /// Hears whether anybody listens at all.
    var onChange: () -> Void = {}

    init(call: @escaping AgentCalls.Caller) { self.call = call }

    var description: InterfaceDescription { Self.table }
    /// Whether anybody listens.
    var isListening: Bool { monitors.values.contains { !$0.isEmpty } }

    func value(of property: String) -> DBusValue? {
        switch property {
        case "SupportedMonitorTypes": .strings(["or_patterns"])
        case "SupportedFeatures": .strings([])
        default: nil
        }
    }

    func handle(_ incoming: IncomingCall) {
        guard case .path(let path)? = incoming.arguments.first else { return incoming.fail(.invalidArguments) }
        let application = Application(client: incoming.sender, path: path)
        switch incoming.member {
        case "RegisterMonitor":
            guard monitors[application] == nil else { return incoming.fail(.alreadyExists) }
            monitors[application] = [:]
            ask(application, path, BusNames.objectManager, "GetManagedObjects") { [weak self] outcome in
                guard let self, monitors[application] != nil else { return }
                incoming.reply()
                take(outcome, of: application)
            }
        case "UnregisterMonitor":
            guard monitors.removeValue(forKey: application) != nil else { return incoming.fail(.doesNotExist) }
            incoming.reply()
            onChange()
        default: incoming.fail(.notSupported)
        }
    }

    func clientLeft(_ sender: String) {
        monitors = monitors.filter { $0.key.client != sender }
        onChange()
    }

    /// Whether an advertisement fits a monitor; those that have not been told of the device are.
    func hears(_ structures: [MonitorPattern.Structure], from device: () -> ObjectPath?) -> Bool {
        var isHeard = false
        for (application, objects) in monitors {
            for (path, monitor) in objects where monitor.patterns.contains(where: { $0.fits(structures) }) {
                guard let device = device() else { continue }
                isHeard = true
                guard !monitor.found.contains(device) else { continue }
                monitors[application]?[path]?.found.insert(device)
                ask(application, path, "org.bluez.AdvertisementMonitor1", "DeviceFound", .path(device)) { _ in }
            }
        }
        return isHeard
    }

    /// A device's object has gone: those that were told of it hear that.
    func lost(_ device: ObjectPath) {
        for (application, objects) in monitors {
            for (path, monitor) in objects where monitor.found.contains(device) {
                monitors[application]?[path]?.found.remove(device)
                ask(application, path, "org.bluez.AdvertisementMonitor1", "DeviceLost", .path(device)) { _ in }
            }
        }
    }

    /// Takes the monitors that a client's objects describe: those in order are activated, others released.
    private func take(_ outcome: DBusConnection.Outcome, of application: Application) {
        guard case .success(let message) = outcome, case .dictionary(_, _, let objects)? = message.values.first else {
            return
        }
        for object in objects {
            guard case .path(let path) = object.key, case .dictionary(_, _, let interfaces) = object.value else {
                continue
            }
            for interface in interfaces where interface.key == .string("org.bluez.AdvertisementMonitor1") {
                let patterns = MonitorPattern.read(interface.value)
                let member = patterns == nil ? "Release" : "Activate"
                ask(application, path, "org.bluez.AdvertisementMonitor1", member) { _ in }
                if let patterns { monitors[application]?[path] = Monitor(patterns: patterns) }
            }
        }
        onChange()
    }

    private func ask(
        _ application: Application,
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: DBusValue...,
        done: @escaping (DBusConnection.Outcome) -> Void
    ) {
        do throws(DBusFailure) {
            let message = try DBusMessage.call(application.client, path, interface, member)
            try message.append { (writer) throws(DBusFailure) in
                for argument in arguments { try writer.append(argument) }
            }
            call(message, done)
        } catch {
            done(.failure(error))
        }
    }

    private static let table = InterfaceDescription(
        "org.bluez.AdvertisementMonitorManager1",
        methods: [
            .init("RegisterMonitor", in: [.init("application", "o")]),
            .init("UnregisterMonitor", in: [.init("application", "o")]),
        ],
        properties: [.init("SupportedMonitorTypes", "as"), .init("SupportedFeatures", "as")]
    )
}
