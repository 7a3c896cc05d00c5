import TestSupport

/// The world of the tests of jobs: devices of one kind, known to bluetoothd, and what goes wrong with them.
///
/// Their service ffe0: ffe1 and ffe3 can be read and written, ffe1 notifies too; a read of ffe2 is answered with ATT
/// error 0x80.
enum JobWorld {
    /// The characteristics as commands name them.
    static let one = #""service":"ffe0","characteristic":"ffe1""#
    static let two = #""service":"ffe0","characteristic":"ffe2""#
    static let three = #""service":"ffe0","characteristic":"ffe3""#
    /// A value to be written.
    static let value = #""value":{"hex":"02"}"#

    /// An agent in that world.
    ///
    /// - Parameters:
    ///   - devices: How many there are.
    ///   - faults: Of the scenario, one line each.
    ///   - events: Of the scenario, one line each.
    ///   - more: Further lines of the scenario.
    ///   - keys: Of the agent's configuration.
    /// - Returns: How the agent is set up.
    /// - Throws: When the scenario is none.
    static func setup(
        devices: Int = 1,
        faults: [String] = [],
        events: [String] = [],
        more: [String] = [],
        keys: [String: String] = [:]
    ) throws -> AgentSetup {
        var lines = more + ["devices:"]
        for number in 0..<devices {
            lines += [
                "  - address: \"\(TestDevice.thing(number).address)\"",
                "    known: true",
                "    advertise: {name: Thing \(number), services: [\"ffe0\"], intervalMs: 20}",
                "    services:",
                "      - uuid: ffe0",
                "        characteristics:",
                "          - {uuid: ffe1, flags: [read, write, notify], value: \"01\"}",
                "          - {uuid: ffe2, flags: [read], readError: 0x80}",
                "          - {uuid: ffe3, flags: [read, write], value: \"03\"}",
            ]
        }
        if !faults.isEmpty { lines += ["faults:"] + faults.map { "  - \($0)" } }
        if !events.isEmpty { lines += ["events:"] + events.map { "  \($0)" } }
        var setup = AgentSetup()
        setup.world.scenario = try ScenarioFiles.parse(lines.joined(separator: "\n") + "\n")
        setup.keys = keys
        return setup
    }
}

extension TestDevice {
    /// The devices of the tests of jobs, counted from 0.
    static func thing(_ number: Int) -> TestDevice {
        let last = String(0x41 + number, radix: 16, uppercase: true)
        return named("Thing \(number)", address: "C0:5A:00:00:00:\(last)")
    }
}

extension Gateway {
    /// The steps of a command that its caller was told, the result among them: their states in order.
    func statuses(of id: String, client: String = "test") -> [String] {
        let topic = topic("res/\(client)/\(id)")
        return caller.all(topic).filter { $0.topic == topic }.compactMap(\.json["status"].text)
    }

    /// The final results of a command, on whatever topic they came to the caller.
    func finals(of id: String) -> [Received] {
        caller.all().filter { !$0.topic.hasSuffix("/job") && $0.json["id"].text == id && $0.json["final"] == true }
    }

    /// What observers of a device were told, as `id status`.
    func observed(_ device: TestDevice) -> [String] {
        caller.all(topic(device, "job")).map { "\($0.json["id"].text ?? "?") \($0.json["status"].text ?? "?")" }
    }
}
