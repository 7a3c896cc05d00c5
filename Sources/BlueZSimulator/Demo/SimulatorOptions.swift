package import DBus

/// The command line of `bluez-simulator`.
package struct SimulatorOptions: Equatable, Sendable {
    package var bus = BusAddress.system
    package var settings = SimulatorSettings.realistic
    /// Devices besides the usual ones, for load.
    package var extraDevices = 0
    /// The scenario file; nil: the usual devices, and nothing goes wrong.
    package var scenario: String?
    /// The file to which received calls are appended.
    package var log: String?

    /// Why a command line was not taken.
    package struct Refusal: Error, Equatable {
        package let text: String

        package init(text: String) { self.text = text }
    }

    package static let help = """
        usage: bluez-simulator [options]

        Takes the name org.bluez on a bus and behaves as bluetoothd 5.66 with one adapter, hci0, and devices around it.
        Prints a line that begins with "ready" when it can be used; ends with SIGTERM or SIGINT.

          --bus ADDRESS          the bus (default: DBUS_SYSTEM_BUS_ADDRESS, else the system bus)
          --scenario FILE        the world and what goes wrong in it, see docs/simulator.md; goes with --bus and --log
          --log FILE             append each received call to FILE, as a line of JSON
          --seed N               seed of all that is random (default 1)
          --devices N            N more devices, for load (at most 65536)
          --disconnect-delay MS  from Disconnect to the end of the link (default 2000, as bluetoothd)
          --connect-timeout MS   how long an attempt to reach a silent device lasts (default 4000)
          --resolve-delay MS     from the link to the resolved services (default 150)
          --att-delay MS         from a read or write to its answer (default 30)
          --fast                 all these times as short as they get
          --help                 this text

        exit codes: 0 ended by a signal, 64 bad option, 65 bad scenario, 66 no scenario, 69 org.bluez is taken or the
        bus refused it, 73 no log, 75 no bus

        """

    /// Reads the arguments behind the program's name.
    ///
    /// - Returns: nil when help was asked for.
    /// - Throws: `Refusal` with one sentence.
    package static func parse(_ arguments: [String]) throws(Refusal) -> SimulatorOptions? {
        var options = SimulatorOptions()
        var rest = arguments[...]
        var others: [String] = []
        while let name = rest.popFirst() {
            if !["--bus", "--log", "--scenario"].contains(name) { others.append(name) }
            switch name {
            case "--scenario": options.scenario = try value(of: name, &rest)
            case "--log": options.log = try value(of: name, &rest)
            case "--help", "-h": return nil
            case "--fast": options.settings = options.settings.withShortTimes
            case "--bus": options.bus = BusAddress(try value(of: name, &rest))
            case "--seed": options.settings.seed = UInt64(try number(of: name, &rest, upTo: Int.max))
            case "--devices": options.extraDevices = try number(of: name, &rest, upTo: 65_536)
            case "--disconnect-delay": options.settings.disconnectDelay = try duration(of: name, &rest)
            case "--connect-timeout": options.settings.connectTimeout = try duration(of: name, &rest)
            case "--resolve-delay": options.settings.resolveDelay = try duration(of: name, &rest)
            case "--att-delay": options.settings.attDelay = try duration(of: name, &rest)
            default: throw Refusal(text: "unknown option \(name)")
            }
        }
        if options.scenario != nil, let other = others.first {
            throw Refusal(text: "\(other) does not go with --scenario: the file says it")
        }
        return options
    }

    /// What there is without a scenario file.
    package var usual: Scenario {
        var scenario = Scenario()
        scenario.settings = settings
        scenario.adapters = adapters
        return scenario
    }

    /// The adapter and the devices that the options ask for.
    package var adapters: [AdapterModel] {
        [AdapterModel(devices: DemoDevices.all + DemoDevices.extra(extraDevices))]
    }

    private static func value(of name: String, _ rest: inout ArraySlice<String>) throws(Refusal) -> String {
        guard let value = rest.popFirst() else { throw Refusal(text: "\(name) needs a value") }
        return value
    }

    private static func number(
        of name: String,
        _ rest: inout ArraySlice<String>,
        upTo limit: Int
    ) throws(Refusal) -> Int {
        let text = try value(of: name, &rest)
        guard let number = Int(text), (0...limit).contains(number) else {
            throw Refusal(text: "\(name) needs a whole number from 0 to \(limit), not \(text)")
        }
        return number
    }

    private static func duration(of name: String, _ rest: inout ArraySlice<String>) throws(Refusal) -> Duration {
        .milliseconds(try number(of: name, &rest, upTo: 3_600_000))
    }
}

extension SimulatorSettings {
    fileprivate var withShortTimes: SimulatorSettings {
        var settings = SimulatorSettings()
        settings.seed = seed
        return settings
    }
}
