internal import EdgeAgent
internal import MQTT

extension ControlSession {
    /// One scan, printed at its end.
    func scanOnce(_ command: OutgoingCommand, _ topics: ControlTopics) async throws -> ControlOutcome {
        var command = command
        let span = scanSpan
        if !command.fields.contains(where: { $0.name == "durationMs" }) {
            command.fields.append(("durationMs", .integer(TimeText.milliseconds(span))))
        }
        let result = try await perform(command, topics)
        guard result.outcome == .ok else { return show(result, of: command) }
        warn(result)
        printList((result.result["devices"]?.array ?? []).compactMap(\.object)) { tableOfHeard($0) }
        if result.result["truncated"]?.bool == true { output.note("there were more devices than one answer holds") }
        return .ok
    }

    /// A lasting scan of its own, in a table that is drawn anew, until its time is over or Ctrl-C.
    func scanLive(_ command: OutgoingCommand, _ topics: ControlTopics) async throws -> ControlOutcome {
        let (span, session) = (scanSpan, "ctl-\(BootID.make())")
        var start = command
        start.verb = "scan.start"
        start.usual = .seconds(10)
        start.fields.append(("session", .string(session)))
        start.fields.append(("emit", .object(JSONObject([JSONObject.Entry(key: "everyMs", value: .integer(1000))]))))
        // It ends by itself, should this program not be there any more to stop it.
        start.fields.append(("durationMs", .integer(TimeText.milliseconds(span + .seconds(2)))))
        let topic = topics.scan(session)
        try await subscribe([topic])
        var heard = HeardDevices()
        let result = try await perform(start, topics) { happening in
            if case .message(let message) = happening, message.topic == topic { heard.take(message.payload) }
        }
        guard result.outcome == .ok else { return show(result, of: start) }
        warn(result)
        let end = ContinuousClock.now + span
        var drawn = 0
        var drawnAt = ContinuousClock.now - .seconds(1)
        var isStopped = isInterrupted
        while !isStopped, .now < end, !output.isReaderGone {
            switch await next() {
            case .message(let message) where message.topic == topic: heard.take(message.payload)
            case .interrupt: isStopped = true
            default: break
            }
            guard .now - drawnAt >= .milliseconds(250) || isStopped else { continue }
            drawnAt = .now
            let left = max(Duration.zero, end - .now).components.seconds
            let lines = heard.lines(isStopped ? "stopped" : "\(left) s left, Ctrl-C ends it") { tableOfHeard($0) }
            output.raw((drawn > 0 ? "\u{1B}[\(drawn)A\u{1B}[J" : "") + lines.map { $0 + "\n" }.joined())
            drawn = lines.count
        }
        let stop = OutgoingCommand(verb: "scan.stop", fields: [("session", .string(session))], usual: .seconds(5))
        _ = try await perform(stop, topics)
        return .ok
    }

    private var scanSpan: Duration { invocation.value("--duration").flatMap { TimeText.duration($0) } ?? .seconds(10) }

    private func tableOfHeard(_ devices: [JSONObject]) -> [String] {
        var table = Table("DEVICE", "NAME", "RSSI", "SIGNALS", "LAST", "SERVICES")
        for device in devices {
            let services = (device["uuids"]?.array ?? []).compactMap(\.string)
            let data = device["serviceData"]?.object?.entries.map(\.key) ?? []
            let makers = device["manufacturer"]?.object?.entries.map { "maker \($0.key)" } ?? []
            let names = (services + data + makers).joined(separator: " ")
            table.rows.append([
                Cell.of(device["dev"]), Cell.of(device["name"], limit: 28), Cell.of(device["rssi"]),
                Cell.of(device["signals"]), Cell.time(device["last"]),
                names.isEmpty ? "-" : Cell.plain(names, limit: 60),
            ])
        }
        return table.lines
    }
}

/// What a lasting scan has heard, the newest report of each device.
private struct HeardDevices {
    private var reports: [String: JSONObject] = [:]

    mutating func take(_ payload: [UInt8]) {
        for device in (Payload.object(payload)?["devices"]?.array ?? []).compactMap(\.object) {
            guard let address = device["address"]?.string else { continue }
            reports[address] = device
        }
    }

    /// The table, strongest first, no longer than the terminal.
    func lines(_ state: String, table: ([JSONObject]) -> [String]) -> [String] {
        let sorted = reports.values.sorted { left, right in
            let (one, two) = (left["rssi"]?.integer ?? -999, right["rssi"]?.integer ?? -999)
            return one == two ? left["address"]?.string ?? "" < right["address"]?.string ?? "" : one > two
        }
        let room = max(1, ControlOutput.rows - 3)
        let shown = table(Array(sorted.prefix(room))).map { String($0.prefix(ControlOutput.columns - 1)) }
        let hidden = sorted.count > room ? ", \(sorted.count - room) more" : ""
        return shown + ["\(sorted.count) devices\(hidden); \(state)"]
    }
}
