/// A command of `edge-agent ctl`.
package enum ControlCommand: String, CaseIterable, Sendable {
    case gateways, devices, scan, read, write, subscribe, transact, run, jobs, cancel, pair, watch, diag
    case logLevel = "log-level"
    case config

    /// What stands behind the command's name.
    package var operands: String {
        switch self {
        case .gateways, .devices, .scan, .diag: ""
        case .read, .subscribe: "DEV SERVICE CHARACTERISTIC"
        case .write: "DEV SERVICE CHARACTERISTIC VALUE"
        case .transact: "DEV SERVICE WRITE NOTIFY VALUE"
        case .run: "DEV NAME [ARG=JSON]..."
        case .jobs, .watch: "[DEV]"
        case .cancel: "[CLIENT/ID]"
        case .pair: "DEV"
        case .logLevel: "LEVEL"
        case .config: "[desired|reported|set FILE|clear]"
        }
    }

    /// How many operands there may be; with `--handle` the two UUIDs are left out.
    func operandCount(withHandle: Bool) -> ClosedRange<Int> {
        switch self {
        case .gateways, .devices, .scan, .diag: 0...0
        case .read, .subscribe: withHandle ? 1...1 : 3...3
        case .write: withHandle ? 2...2 : 4...4
        case .transact: 5...5
        case .run: 2...64
        case .jobs, .watch, .cancel: 0...1
        case .pair: 1...1
        case .logLevel: 1...1
        case .config: 0...2
        }
    }

    /// What it does, one sentence without its full stop.
    package var summary: String {
        switch self {
        case .gateways: "List the gateways and how they are"
        case .devices: "List the devices that the gateway knows"
        case .scan: "Show what is heard: a live table on a terminal"
        case .read: "Read a value and print it"
        case .write: "Write a value"
        case .subscribe: "Print a characteristic's values as they come"
        case .transact: "Send bytes and print the answer that notifications bring"
        case .run: "Run a command of the device's profile"
        case .jobs: "List the commands that wait and run"
        case .cancel: "Cancel a command, all of a device, or all"
        case .pair: "Pair with a device, and answer what it asks"
        case .watch: "Print what the gateway tells, as it happens"
        case .logLevel: "Change how much the gateway logs"
        case .config: "Show the gateway's configuration, or ask for another one"
        case .diag: "Find out what does not work at the gateway, and why"
        }
    }

    /// Its own options, without those of the connection.
    package var options: [ControlOption] {
        own + (isAnswered ? ControlOption.answered : []) + [ControlOption.json]
    }

    private var isAnswered: Bool { self != .gateways && self != .watch }

    private var own: [ControlOption] {
        switch self {
        case .gateways: []
        case .devices:
            [
                ControlOption("--connected", .none, "Only those that have a link"),
                ControlOption("--bonded", .none, "Only those that are paired for good"),
            ]
        case .scan:
            [
                ControlOption("--duration", .text("TIME"), "How long to listen (default: 10s, at most 60s)"),
                ControlOption("--once", .none, "One table at the end, on a terminal too"),
                ControlOption("--name", .text("NAME"), "Only devices with this name"),
                ControlOption("--name-prefix", .text("TEXT"), "Only devices whose name begins so"),
                ControlOption("--service", .text("UUID"), "Only devices that offer this service", repeats: true),
                ControlOption("--rssi", .text("DBM"), "Only signals at least this strong, as -80"),
            ]
        case .read: [.handle, .descriptor, .offset]
        case .write:
            [
                .form, .handle, .descriptor, .offset,
                ControlOption("--mode", .words(["auto", "request", "command", "reliable"]), "How it is written"),
            ]
        case .subscribe:
            [
                .handle, .count, .duration,
                ControlOption("--poll", .text("TIME"), "Read this often where it cannot notify"),
            ]
        case .transact: [.form]
        case .run: []
        case .jobs, .diag: []
        case .cancel:
            [
                ControlOption("--dev", .text("DEV"), "All commands of this device"),
                ControlOption("--all", .none, "All commands"),
            ]
        case .pair:
            [
                ControlOption(
                    "--capability",
                    .words([
                        "display-only", "display-yes-no", "keyboard-only", "keyboard-display", "no-input-no-output",
                    ]),
                    "What you can do with what the device asks"
                )
            ]
        case .watch: [.count, .duration]
        case .logLevel:
            [ControlOption("--for", .text("TIME"), "Only for this time, as 10m (default: until the agent ends)")]
        case .config:
            [ControlOption("--section", .text("NAME"), "Show this section alone, as mqtt")]
        }
    }

    /// A command line that shows it.
    package var example: String {
        switch self {
        case .gateways: "edge-agent ctl gateways"
        case .devices: "edge-agent ctl devices --connected --gateway shop-3"
        case .scan: "edge-agent ctl scan --rssi -75 --duration 20s"
        case .read: "edge-agent ctl read door 180f 2a19"
        case .write: "edge-agent ctl write door ffe0 ffe1 'aa 01'"
        case .subscribe: "edge-agent ctl subscribe door 180d 2a37 --count 10 --json"
        case .transact: "edge-agent ctl transact door ffe0 ffe1 ffe2 aa01 --field packetTimeoutMs=500"
        case .run: "edge-agent ctl run door unlock seconds=5"
        case .jobs: "edge-agent ctl jobs door"
        case .cancel: "edge-agent ctl cancel --dev door"
        case .pair: "edge-agent ctl pair door --capability keyboard-display"
        case .watch: "edge-agent ctl watch door"
        case .logLevel: "edge-agent ctl log-level debug --for 10m"
        case .config: "edge-agent ctl config --section mqtt"
        case .diag: "edge-agent ctl diag --gateway shop-3"
        }
    }
}
