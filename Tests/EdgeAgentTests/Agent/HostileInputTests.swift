import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// Whatever comes in, the agent lives and answers once or not at all.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct HostileInputTests {
        /// Payloads and how many answers each gets.
        private static let payloads: [(payload: [UInt8], answers: Int)] = {
            let texts: [(String, Int)] = [
                ("", 0), ("online", 1), ("{", 1), ("[]", 1), ("null", 1), ("42", 1), ("\"x\"", 1), ("{}", 1),
                (String(repeating: "[", count: 10_000), 1), (#"{"id":"a","id":"b","verb":"ping"}"#, 1),
                ("\u{FEFF}{\"verb\":\"ping\"}", 1), (#"{"verb":"ping","timeoutMs":NaN}"#, 1),
                (#"{"verb":"ping","timeoutMs":1e999}"#, 1), (#"{"verb":"ping","timeoutMs":9223372036854775808}"#, 1),
                (#"{"verb":"ping","timeoutMs":-1}"#, 1), (#"{"verb":"ping","timeoutMs":1.5}"#, 1),
                (#"{"verb":"pi\u0000ng"}"#, 1), (#"{"verb":"ping","x":"\u0000"}"#, 1), (#"{"verb":"fly"}"#, 1),
                (#"{"id":{},"verb":"ping"}"#, 1), (#"{"id":["x"],"verb":"ping"}"#, 1),
                (#"{"verb":"ping","extra":1}"#, 1),
                (#"{"verb":"ping","client":"\ud800"}"#, 1), ("{\"verb\":\"ping\"}\u{0}", 1),
                (#"{"id":"\#(String(repeating: "x", count: 300))","verb":"ping"}"#, 1),
                (#"{"verb":"ping","id":123456789012345678901234567890}"#, 1),
            ]
            let bytes: [([UInt8], Int)] = [
                (Array("\u{FEFF}".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) + [0, 0x7B, 0, 0x7D], 1),
                ([0xFF, 0xFE], 1), ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], 1), ([0], 1),
                ([UInt8](repeating: 0x80, count: 1000), 1),
                (Array(#"{"verb":"ping","x":"\#u{7F}"#.utf8) + [0xC0, 0x80] + Array("\"}".utf8), 1),
            ]
            return texts.map { (Array($0.0.utf8), $0.1) } + bytes
        }()

        @Test(arguments: ["cmd/test", "dev/c05a00000003/cmd/test", "group/g/cmd/test", "cmd"])
        func `B53 each payload that is no command gets the one answer that it should`(topic: String) async throws {
            try await withAgent(isReady: false) { gateway in
                for (payload, answers) in Self.payloads {
                    let mark = gateway.caller.mark
                    try await gateway.publish(payload, to: topic)
                    try await gateway.settle()
                    // The answer to what settled is one of them.
                    let heard = gateway.caller.all(from: mark, gateway.topic("res/"))
                    #expect(heard.count == answers + 1, "\(payload.prefix(60)): \(heard.map(\.text))")
                    for answer in heard { #expect(answer.json["final"] == true && answer.json["status"].text != nil) }
                }
                #expect(
                    gateway.caller.all(gateway.topic("dev/"), suffix: "/job").allSatisfy {
                        $0.json["status"] != "started"
                    }
                )
                let longest = gateway.agent.log.split(separator: "\n").map(\.utf8.count).max() ?? 0
                #expect(longest < 4096)
            }
        }

        @Test func `B53 a flood of rubbish does not flood the log`() async throws {
            try await withAgent(isReady: false) { gateway in
                for _ in 0..<300 { try await gateway.publish("rubbish".utf8, to: "cmd/test") }
                try await gateway.settle()
                #expect(gateway.caller.all(gateway.topic("res/test/")).count == 301)
                #expect(gateway.agent.lines(with: "info agent: Command refused").count <= 20)
            }
        }

        @Test func `B87 text that libdbus would abort on is refused before it gets there`() async throws {
            try await withAgent { gateway in
                let devices = ["AA:BB:CC:DD:EE:F\u{E9}", "..", "", "hci 0", "AABBCCDDEEFF", "aabbccddeef", "é", "$SYS"]
                for (number, device) in devices.enumerated() {
                    try await gateway.publish(
                        #"{"id":"v\#(number)","verb":"connect"}"#.utf8,
                        to: "dev/\(device)/cmd/test"
                    )
                    let answer = try await gateway.result("v\(number)").json
                    #expect(answer["error"]["code"] == "unknown-device", "\(device)")
                }
                // With a slash it is another topic, which the agent does not subscribe to.
                try await gateway.publish(
                    #"{"id":"s","verb":"connect"}"#.utf8,
                    to: "dev/AA:BB:CC:DD:EE:FF/char/cmd/test"
                )
                let fields = [
                    #""verb":"adapter.power","on":true,"adapter":"hci0;rm""#,
                    #""verb":"adapter.power","on":true,"adapter":"hci 0""#,
                    #""verb":"adapter.power","on":true,"adapter":"""#,
                    #""verb":"adapter.power","on":true,"adapter":"../hci0""#,
                    #""verb":"adapter.power","on":true,"adapter":"hci\u0000""#,
                    #""verb":"scan","services":["not-a-uuid"]"#,
                    #""verb":"scan","services":["180\u0000f"]"#, #""verb":"scan","name":"a\u0000b""#,
                    #""verb":"scan","namePrefix":"\ud800""#, #""verb":"scan","addresses":["../../x"]"#,
                    #""verb":"scan","manufacturer":"zz""#, #""verb":"scan","rssiMin":-99999999999999999999"#,
                    #""verb":"scan.start","session":"x/y""#, #""verb":"scan.start","session":"+""#,
                    #""verb":"scan.stop","session":"\u0001""#, #""verb":"connect","match":{"name":"\udfff"}"#,
                ]
                for (number, field) in fields.enumerated() {
                    try await gateway.publish("{\"id\":\"w\(number)\",\(field)}".utf8, to: "cmd/test")
                    try await gateway.settle()
                }
                // What would have changed something is refused by way of the journal, a moment later.
                let results = gateway.topic("res/test/")
                let isAnswer = { @Sendable (one: Received) in one.topic.hasPrefix(results) && one.json["verb"] != "ping"
                }
                _ = try await gateway.hear("all answers", count: devices.count + fields.count, where: isAnswer)
                let answers = gateway.caller.all(gateway.topic("res/test/")).filter { $0.json["verb"] != "ping" }
                #expect(answers.count == devices.count + fields.count)
                #expect(answers.dropFirst(devices.count).allSatisfy { $0.json["error"]["code"] == "bad-request" })
                let onDevice = [
                    #""verb":"read","service":"not-a-uuid","characteristic":"2a19""#,
                    #""verb":"read","service":"180f","characteristic":"2a19\u0000""#,
                    #""verb":"read","service":"180f","characteristic":"2a19","descriptor":"/org/bluez""#,
                    #""verb":"read","handle":70000"#, #""verb":"read","handle":-1"#,
                    #""verb":"read","service":"180f","characteristic":"2a19","offset":65536"#,
                    #""verb":"write","service":"180f","characteristic":"2a19","value":{"utf8":"\ud800"}"#,
                    #""verb":"write","service":"180f","characteristic":"2a19","value":{"hex":"0g"}"#,
                    #""verb":"write","service":"180f","characteristic":"2a19","value":{"hex":"00"},"mode":"raw""#,
                    #""verb":"connect","adapter":"hci0/dev_AA""#,
                ]
                let mark = gateway.caller.mark
                for (number, field) in onDevice.enumerated() {
                    let topic = "dev/\(TestDevice.battery.hex)/cmd/test"
                    try await gateway.publish("{\"id\":\"y\(number)\",\(field)}".utf8, to: topic)
                    try await gateway.settle()
                }
                _ = try await gateway.hear("all refusals", from: mark, count: onDevice.count, where: isAnswer)
                let refused = gateway.caller.all(from: mark, gateway.topic("res/test/")).filter {
                    $0.json["verb"] != "ping"
                }
                #expect(refused.count == onDevice.count)
                #expect(refused.allSatisfy { $0.json["error"]["code"] == "bad-request" })
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
            }
        }

        @Test func `B59 an alias is what topics say, and commands reach the device under it`() async throws {
            var setup = AgentSetup()
            setup.aliases = [("cell", .battery), ("status", .heart), ("cmd", .awkward)]
            try await withAgent(setup) { gateway in
                for (alias, device) in setup.aliases {
                    let answer = try await gateway.send("discover", on: device)
                    #expect(answer["status"] == "ok" && answer["dev"].text == alias)
                    #expect(answer["address"].text == device.hex)
                    try await gateway.hear("resolved", on: "dev/\(alias)/link")
                }
                let devices = Set(
                    gateway.caller.all(gateway.topic("dev/")).map { String($0.topic.split(separator: "/")[4]) }
                )
                #expect(devices == ["cell", "status", "cmd"])
            }
        }

        @Test(arguments: [
            "bulb #1", "a+b", "room/lamp", "x y", "", "$x", "ü", "\u{1}", String(repeating: "a", count: 70_000), "A",
            "c05a00000003",
        ])
        func `B59 an alias that cannot stand in a topic is refused before anything is published`(alias: String)
            async throws
        {
            let escaped = alias == "\u{1}" ? "\\x01" : alias
            let text = """
                gateway: gw
                broker: mqtt://127.0.0.1:1
                devices:
                  - address: "c0:5a:00:00:00:03"
                    alias: "\(escaped)"
                """
            let agent = try await AgentProgram.start(configuration: text, bus: "unix:path=/nonexistent")
            let status = try await within("the end") { try await agent.exitStatus() }
            #expect(status == 78)
            #expect(agent.log.contains("devices[0].alias"))
            #expect(agent.log.split(separator: "\n").allSatisfy { $0.utf8.count < 4096 })
        }
    }
}
