internal import EdgeAgent

/// Makes the fields of commands of operands and options.
extension ControlInvocation {
    /// Checks options and operands without sending anything.
    ///
    /// - Throws: ``ControlFailure`` with every problem.
    package func checked() throws(ControlFailure) {
        _ = try outgoing()
    }

    /// The command that is sent for this line, and how long it usually takes; nil for those that send none.
    func outgoing() throws(ControlFailure) -> OutgoingCommand? {
        var fields = FieldList(self)
        var command: OutgoingCommand
        switch self.command {
        case .gateways, .watch:
            _ = fields.whole("--count", 1...Int64.max)
            _ = fields.time("--duration")
            try fields.check()
            return nil
        case .devices:
            fields.flag("--connected", as: "connected")
            fields.flag("--bonded", as: "bonded")
            command = OutgoingCommand(verb: "devices")
        case .jobs:
            if let device = operands.first { fields.add("dev", .string(device)) }
            command = OutgoingCommand(verb: "jobs")
        case .scan:
            let span = fields.time("--duration") ?? .seconds(10)
            fields.filter()
            command = OutgoingCommand(verb: "scan", usual: span + .seconds(10))
        case .read:
            fields.attribute(operands.dropFirst())
            command = OutgoingCommand(verb: "read", device: operands[0])
        case .write:
            fields.attribute(operands.dropFirst().dropLast())
            fields.add("value", fields.binary(operands[operands.count - 1]))
            fields.text("--mode", as: "mode")
            command = OutgoingCommand(verb: "write", device: operands[0])
        case .subscribe:
            fields.attribute(operands.dropFirst())
            if let poll = fields.time("--poll") { fields.add("pollMs", .integer(TimeText.milliseconds(poll))) }
            _ = fields.whole("--count", 1...Int64.max)
            _ = fields.time("--duration")
            command = OutgoingCommand(verb: "subscribe", device: operands[0])
        case .transact:
            for (name, place) in [("service", 1), ("write", 2), ("notify", 3)] {
                fields.add(name, .string(operands[place]))
            }
            fields.add("data", fields.binary(operands[4]))
            command = OutgoingCommand(verb: "transact", device: operands[0], usual: .seconds(120))
        case .run:
            fields.add("name", .string(operands[1]))
            fields.arguments(operands.dropFirst(2))
            command = OutgoingCommand(verb: "run", device: operands[0], usual: .seconds(120))
        case .cancel:
            fields.cancelled()
            command = OutgoingCommand(verb: "cancel")
        case .logLevel:
            fields.add("level", .string(operands[0]))
            if let span = fields.time("--for") { fields.add("forMs", .integer(TimeText.milliseconds(span))) }
            command = OutgoingCommand(verb: "log.level", usual: .seconds(5))
        case .config:
            try checkConfiguration()
            fields.text("--section", as: "section")
            guard operands.isEmpty else {
                fields.common()
                try fields.check()
                return nil
            }
            command = OutgoingCommand(verb: "config.get", usual: .seconds(5))
        case .diag: command = OutgoingCommand(verb: "diag", usual: .seconds(60))
        case .pair:
            fields.text("--capability", as: "capability")
            command = OutgoingCommand(verb: "pair", device: operands[0], usual: .seconds(60))
        }
        if let device = command.device { fields.checkDevice(device) }
        fields.common()
        try fields.check()
        command.fields = fields.fields
        return command
    }
}

/// The fields of one command, and what is wrong with its options.
private struct FieldList {
    private let invocation: ControlInvocation
    private(set) var fields: [(name: String, value: JSONValue)] = []
    private var problems: [String] = []

    init(_ invocation: ControlInvocation) { self.invocation = invocation }

    func check() throws(ControlFailure) {
        guard problems.isEmpty else { throw ControlFailure(.usage, problems) }
    }

    mutating func add(_ name: String, _ value: JSONValue) { fields.append((name, value)) }

    mutating func text(_ option: String, as name: String) {
        if let text = invocation.value(option) { add(name, .string(text)) }
    }

    mutating func flag(_ option: String, as name: String) {
        if invocation.has(option) { add(name, .bool(true)) }
    }

    mutating func time(_ option: String) -> Duration? {
        guard let text = invocation.value(option) else { return nil }
        if let span = TimeText.duration(text), span > .zero { return span }
        problems.append("\(option) \(TimeText.expected)")
        return nil
    }

    mutating func whole(_ option: String, _ range: ClosedRange<Int64>) -> Int64? {
        guard let text = invocation.value(option) else { return nil }
        if let number = Int64(text), range.contains(number) { return number }
        let bounds =
            range.upperBound == .max ? "from \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        problems.append("\(option) is no whole number \(bounds)")
        return nil
    }

    /// A device's name makes a level of a topic.
    mutating func checkDevice(_ name: String) {
        if DeviceName(name) != nil { return }
        problems.append("\(LogText.quoted(name)) is no device: write its alias, or its address as a1b2c3d4e5f6")
    }

    /// `SERVICE CHARACTERISTIC`, or `--handle`; with `--descriptor` and `--offset`.
    mutating func attribute(_ names: ArraySlice<String>) {
        if let handle = whole("--handle", 1...65535) { add("handle", .integer(handle)) }
        for (name, value) in zip(["service", "characteristic"], names) { add(name, .string(value)) }
        text("--descriptor", as: "descriptor")
        if let offset = whole("--offset", 0...65535) { add("offset", .integer(offset)) }
    }

    /// Bytes in the form that `--as` names.
    func binary(_ text: String) -> JSONValue {
        let form = invocation.value("--as") ?? "hex"
        return .object(JSONObject([JSONObject.Entry(key: form, value: .string(text))]))
    }

    mutating func filter() {
        text("--name", as: "name")
        text("--name-prefix", as: "namePrefix")
        if let services = invocation.values["--service"] { add("services", .array(services.map { .string($0) })) }
        if let rssi = whole("--rssi", -127...20) { add("rssiMin", .integer(rssi)) }
    }

    /// `ARG=JSON`; what is no JSON counts as text.
    mutating func arguments(_ texts: ArraySlice<String>) {
        var entries: [JSONObject.Entry] = []
        for text in texts {
            guard let (name, value) = pair(text) else {
                problems.append("an argument is written NAME=VALUE: \(LogText.quoted(text))")
                continue
            }
            entries.append(JSONObject.Entry(key: name, value: Self.value(value) ?? .string(value)))
        }
        if !entries.isEmpty { add("args", .object(JSONObject(entries))) }
    }

    /// One of a command, a device and everything.
    mutating func cancelled() {
        let (device, all) = (invocation.value("--dev"), invocation.has("--all"))
        let given = [invocation.operands.first != nil, device != nil, all].count { $0 }
        guard given == 1 else {
            problems.append("cancel takes one of CLIENT/ID, --dev DEV and --all")
            return
        }
        if all { add("all", .bool(true)) }
        if let device { add("dev", .string(device)) }
        guard let text = invocation.operands.first else { return }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            problems.append("a command is named CLIENT/ID, as jobs shows it: \(LogText.quoted(text))")
            return
        }
        let entries = zip(["client", "id"], parts).map { JSONObject.Entry(key: $0, value: .string(String($1))) }
        add("of", .object(JSONObject(entries)))
    }

    /// `--timeout`, `--field` and `--id`.
    mutating func common() {
        if let span = time("--timeout") { add("timeoutMs", .integer(TimeText.milliseconds(span))) }
        if let id = invocation.value("--id"), CommandID(id) == nil {
            problems.append("--id is not [A-Za-z0-9_-]{1,64}")
        }
        for text in invocation.values["--field"] ?? [] {
            guard let (name, json) = pair(text), let value = Self.value(json) else {
                problems.append("--field is written NAME=JSON, a text in quotes: \(LogText.quoted(text))")
                continue
            }
            guard !["id", "client", "verb"].contains(name) else {
                problems.append("--field cannot set \(name)")
                continue
            }
            fields.removeAll { $0.name == name }
            add(name, value)
        }
    }

    private func pair(_ text: String) -> (name: String, value: String)? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    /// Any JSON value; nil when it is none.
    private static func value(_ text: String) -> JSONValue? {
        Payload.object(Array("{\"value\":\(text)}".utf8)).flatMap { $0.count == 1 ? $0["value"] : nil }
    }
}
