internal import EdgeAgent

extension ControlSession {
    /// Does what the command line asks for, on a broker that is connected.
    ///
    /// - Throws: ``ControlFailure``.
    func run() async throws -> ControlOutcome {
        // Before anything is sent: a wrong option costs no connection's time.
        guard let command = try invocation.outgoing() else {
            switch invocation.command {
            case .gateways: return try await listGateways()
            case .config: return try await configuration(try await chooseGateway())
            default: return try await watch()
            }
        }
        let topics = try await chooseGateway()
        switch invocation.command {
        case .devices: return try await list(command, topics, member: "devices", place: "address", showDevices)
        case .jobs: return try await list(command, topics, member: "jobs", place: "job", showJobs)
        case .scan where output.isTerminal && !output.isJSON && !invocation.has("--once"):
            return try await scanLive(command, topics)
        case .scan: return try await scanOnce(command, topics)
        case .subscribe: return try await listen(command, topics)
        case .pair: return try await pair(command, topics)
        case .diag:
            let result = try await perform(command, topics)
            let outcome = show(result, of: command)
            // What was to be found out is found out; what it is, the exit code tells as that of `doctor`.
            return outcome == .ok && result.result["ok"]?.bool == false ? .failed : outcome
        default:
            let result = try await perform(command, topics)
            return show(result, of: command)
        }
    }

    // MARK: Results

    /// Prints a result, or says why there is none.
    func show(_ result: FinalResult, of command: OutgoingCommand) -> ControlOutcome {
        warn(result)
        if output.isJSON {
            output.json(result.payload)
        } else if result.outcome == .ok || result.outcome == .partial {
            output.line(text(of: result, command))
        }
        if result.outcome != .ok { output.note(failure(result, command)) }
        return result.outcome
    }

    /// Passes on what the gateway found odd in the command.
    func warn(_ result: FinalResult) {
        for warning in result.object["warnings"]?.array ?? [] {
            output.note("warning: \(Cell.plain(warning.string ?? JSONWriter.text(warning)))")
        }
    }

    private func text(of result: FinalResult, _ command: OutgoingCommand) -> String {
        let content = result.result
        switch command.verb {
        case "read": return Cell.of(content["value"]?.object?["hex"], limit: 2048)
        case "transact": return answer(content)
        case "run" where content["parsed"] != nil || content["value"] != nil: return answer(content)
        case "write":
            let how = result.object["confirmed"]?.string == "response" ? "the device has confirmed it" : "sent"
            return "\(Cell.of(content["bytes"])) bytes written: \(how)"
        case "log.level":
            let ends = content["ends"]?.string.map { ", until \(Cell.plain($0))" } ?? ""
            return "\(Cell.of(content["level"]))\(ends); before: \(Cell.of(content["former"]))"
        case "config.get": return Self.tree(content["configuration"] ?? .null)
        case "diag": return checks(content)
        case "cancel": return "\(Cell.of(content["count"])) cancelled"
        default: return content.count == 0 ? "done" : members(content)
        }
    }

    /// The parsed values, or the bytes.
    private func answer(_ content: JSONObject) -> String {
        if let parsed = content["parsed"]?.object, parsed.count > 0 { return members(parsed) }
        return Cell.of(content["value"]?.object?["hex"], limit: 16_384)
    }

    /// The lines that `doctor` prints.
    private func checks(_ content: JSONObject) -> String {
        let lines = (content["checks"]?.array ?? []).compactMap(\.object).map { check in
            let (name, status) = (Cell.of(check["name"]), Cell.of(check["status"]))
            let mend = check["mend"]?.string.map { "\n    mend: \(Cell.plain($0, limit: 1024))" } ?? ""
            let word = status == "failed" ? "FAILED" : status
            return "\(name): \(word): \(Cell.of(check["text"], limit: 1024))\(mend)"
        }
        return lines.joined(separator: "\n")
    }

    private func members(_ object: JSONObject) -> String {
        object.entries.map { "\(Cell.plain($0.key)): \(Cell.of($0.value, limit: 2048))" }.joined(separator: "\n")
    }

    /// One line: what, how it ended, why, and whether anything may have been done.
    func failure(_ result: FinalResult, _ command: OutgoingCommand) -> String {
        let (object, error) = (result.object, result.object["error"]?.object)
        var text = "\(command.device.map { "\($0): " } ?? "")\(command.verb): \(Cell.of(object["status"]))"
        if let error {
            text += ": \(Cell.of(error["code"]))"
            if let detail = error["detail"]?.string { text += ": \(Cell.plain(detail))" }
            if error["retryable"]?.bool == true { text += "; trying again may help" }
        }
        switch object["applied"]?.string {
        case "maybe": text += "; it may have been done"
        case "partly": text += "; a part has been done"
        case "yes": text += "; it has been done"
        default: break
        }
        return text
    }

    /// Members with those below them indented, as the file has them.
    private static func tree(_ value: JSONValue, depth: Int = 0) -> String {
        let indent = String(repeating: "  ", count: depth)
        return (value.object?.entries ?? []).map { entry in
            let name = indent + Cell.plain(entry.key) + ":"
            return entry.value.object == nil
                ? "\(name) \(Cell.of(entry.value, limit: 65_536))" : name + "\n" + tree(entry.value, depth: depth + 1)
        }.joined(separator: "\n")
    }

    // MARK: Lists

    /// Asks for all pages of a list and prints it.
    private func list(
        _ command: OutgoingCommand,
        _ topics: ControlTopics,
        member: String,
        place: String,
        _ show: ([JSONObject]) -> [String]
    ) async throws -> ControlOutcome {
        var entries: [JSONObject] = []
        var command = command
        while true {
            let result = try await perform(command, topics)
            guard result.outcome == .ok else { return self.show(result, of: command) }
            let page = (result.result[member]?.array ?? []).compactMap(\.object)
            entries += page
            guard result.result["truncated"]?.bool == true, let last = page.last?[place] else { break }
            command.fields.removeAll { $0.name == "after" }
            command.fields.append(("after", last))
        }
        printList(entries, show)
        return .ok
    }

    /// Prints the entries, each as JSON or all as a table.
    func printList(_ entries: [JSONObject], _ show: ([JSONObject]) -> [String]) {
        if output.isJSON {
            for entry in entries { output.line(JSONWriter.text(.object(entry))) }
        } else {
            for line in show(entries) { output.line(line) }
        }
    }

    private func showDevices(_ devices: [JSONObject]) -> [String] {
        var table = Table("DEVICE", "ADDRESS", "NAME", "LINK", "BONDED", "RSSI", "HEARD")
        for device in devices {
            table.rows.append([
                Cell.of(device["dev"]), Cell.of(device["address"]), Cell.of(device["name"], limit: 32),
                Cell.of(device["link"]), Cell.of(device["bonded"]), Cell.of(device["rssi"]), Cell.time(device["last"]),
            ])
        }
        return table.lines
    }

    private func showJobs(_ jobs: [JSONObject]) -> [String] {
        var table = Table("COMMAND", "VERB", "DEVICE", "STATE", "STAGE", "PLACE", "PRIORITY", "ACCEPTED")
        for job in jobs {
            table.rows.append([
                "\(Cell.of(job["client"]))/\(Cell.of(job["id"]))", Cell.of(job["verb"]), Cell.of(job["dev"]),
                Cell.of(job["state"]), Cell.of(job["stage"]), Cell.of(job["place"]), Cell.of(job["priority"]),
                Cell.time(job["accepted"]),
            ])
        }
        return table.lines
    }

    private func listGateways() async throws -> ControlOutcome {
        let found = try await gateways(["status", "info", "bluetooth"]).filter { $0.value.status != nil }
        let sorted = found.sorted { $0.key < $1.key }
        if output.isJSON {
            for (name, state) in sorted {
                let entries: [(String, JSONObject?)] = [
                    ("status", state.status), ("info", state.info), ("bluetooth", state.bluetooth),
                ]
                let gateway = JSONObject.Entry(key: "gateway", value: .string(name))
                let members = entries.map { JSONObject.Entry(key: $0, value: $1.map { .object($0) } ?? .null) }
                output.line(JSONWriter.text(.object(JSONObject([gateway] + members))))
            }
            return .ok
        }
        var table = Table("GATEWAY", "STATUS", "BLUETOOTH", "VERSION", "MQTT", "JOURNAL", "POLICY")
        for (name, state) in sorted {
            table.rows.append([
                Cell.plain(name), Cell.of(state.status?["state"]), Cell.of(state.bluetooth?["state"]),
                Cell.of(state.info?["version"]), Cell.of(state.info?["mqtt"]),
                Cell.of(state.info?["journal"]?.object?["durability"]), Cell.of(state.info?["policy"]),
            ])
        }
        for line in table.lines { output.line(line) }
        return .ok
    }
}
