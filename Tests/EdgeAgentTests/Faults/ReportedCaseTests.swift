import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// Faults that people have reported of gateways like this one; each test carries the number of its case.
    ///
    /// Times are shorter than in the field, in proportion.
    @Suite(.timeLimit(.minutes(10)))
    struct ReportedCaseTests {
        private static let value = #""service":"ffe0","characteristic":"ffe1""#

        private func with(
            _ scenario: String,
            keys: [String: String] = [:],
            _ body: (Gateway) async throws -> Void
        ) async throws {
            var setup = try AgentSetup(scenario: scenario)
            setup.keys = keys
            try await withAgent(setup, body)
        }

        private func events(_ gateway: Gateway, _ name: String) -> [Received] {
            gateway.caller.all(suffix: "/event").filter { $0.json["event"].text == name }
        }

        // MARK: B01

        @Test(arguments: ["B01-once", "B01-always"])
        func `B01: a discovery that is in progress already is listened to`(_ scenario: String) async throws {
            try await with(scenario) { gateway in
                let answer = try await gateway.send("scan", #""durationMs":2500"#)
                #expect(answer["status"] == "ok", "\(answer)")
                #expect(answer["result"]["devices"].list.count == 2, "\(answer)")
                // About one try a second, no storm.
                let starts = await gateway.world.count(of: "StartDiscovery")
                #expect((1...5).contains(starts))
                #expect(scenario == "B01-always" || starts <= 3)
                let filters = await gateway.world.count(of: "SetDiscoveryFilter")
                #expect(filters <= 4)
                // A second scan goes as well.
                #expect(try await gateway.send("scan", #""durationMs":300"#)["status"] == "ok")
            }
        }

        // MARK: B03

        @Test func `B03: a scanner that goes quiet is started anew, and ever more seldom where nobody is`() async throws
        {
            try await with("B03", keys: ["bluetooth.scanSilenceMs": "1000"]) { gateway in
                _ = try await gateway.send("scan.start", #""session":"all","emit":"all""#)
                try await gateway.hear(on: "scan/all", count: 5)
                #expect(await gateway.world.count(of: "StopDiscovery") == 0)
                let mark = gateway.caller.mark
                try await gateway.world.trigger("quiet")
                let health = try await gateway.hear(on: "health", from: mark) { $0["recoveries"]["scan-restart"] == 1 }
                #expect(health.json["lastRecovery"].text != nil && health.json["scan"]["holders"] == ["all"])
                try await gateway.hear(on: "scan/all", from: health.number, count: 5)
                #expect(await gateway.world.count(of: "StartDiscovery") == 2)
                #expect(gateway.agent.lines(with: "step=scan-restart reason=scanner-silent").count == 1)
                // Nobody is there any more: after 1, 2 and 4 s.
                let before = ContinuousClock.now
                try await gateway.world.trigger("empty")
                try await gateway.hear(on: "health") { $0["recoveries"]["scan-restart"] == 4 }
                #expect(ContinuousClock.now - before > .milliseconds(6500))
            }
        }

        // MARK: B09

        @Test func `B09: signals of strength alone keep a device known as heard`() async throws {
            try await with("B09") { gateway in
                let first = try await gateway.send("scan.start", #""session":"all","emit":"all","durationMs":60000"#)
                #expect(first["status"] == "ok", "\(first)")
                let mark = gateway.caller.mark
                for count in 1...8 { try await gateway.hear(on: "scan/all", from: mark, count: count) }
                let filter = await gateway.world.discoveryFilter()
                #expect(filter["Transport"] == "le" && filter["DuplicateData"] == "true")
                let devices = gateway.caller.all(from: mark, suffix: "scan/all").map { $0.json["devices"][0] }
                let last = devices.compactMap { $0["last"].text }
                // Heard again and again, though its payload never changes.
                #expect(Set(last).count > 3 && last == last.sorted())
                #expect(Set(devices.compactMap { $0["manufacturer"]["ffff"].text }) == ["010203"])
            }
        }

        // MARK: B11

        @Test func `B11: a link that flickers and fails is one job, one success and one event`() async throws {
            try await with("B11") { gateway in
                let answer = try await gateway.send("connect", on: .thing)
                #expect(answer["status"] == "ok" && answer["attempt"] == 2, "\(answer)")
                try await gateway.settle()
                let connects = await gateway.world.times(of: "Connect")
                #expect(connects.count == 2)
                // Not before the false link had gone, 100 ms behind the error.
                let gap = try #require(connects.last) - connects[0]
                #expect(gap >= .milliseconds(100))
                #expect(events(gateway, "connected").count == 1)
                #expect(events(gateway, "disconnected").isEmpty)
            }
        }

        // MARK: B15

        @Test func `B15: a link whose Connect is never answered is a link`() async throws {
            try await with("B15-connected") { gateway in
                let answer = try await gateway.send("connect", on: .thing)
                #expect(answer["status"] == "ok", "\(answer)")
                let read = try await gateway.send("read", Self.value, on: .thing)
                #expect(read["result"]["value"]["hex"] == "01", "\(read)")
            }
        }

        @Test func `B15: a bluetoothd that hangs ends each job by its own deadline and is told of`() async throws {
            try await with("B15-silent", keys: ["bluetooth.settleMs": "1000"]) { gateway in
                let mark = gateway.caller.mark
                let start = ContinuousClock.now
                var ids: [String] = []
                for device in [TestDevice.thing, .second, .third] {
                    ids.append(try await gateway.start("connect", #""timeoutMs":1000"#, on: device))
                }
                for id in ids {
                    let answer = try await gateway.result(id).json
                    #expect(answer["error"]["code"] == "connect-timeout" && answer["status"] == "timeout", "\(answer)")
                }
                #expect(ContinuousClock.now - start < .seconds(15))
                // MQTT is not behind it.
                #expect(try await gateway.send("ping")["status"] == "ok")
                try await gateway.hear("not-responding", on: "bluetooth", from: mark)
            }
        }

        // MARK: B17

        @Test func `B17: services that are never known end the job in time, and the link with it`() async throws {
            try await with("B17-never") { gateway in
                let answer = try await gateway.send("read", Self.value + #","timeoutMs":1000"#, on: .thing)
                #expect(answer["error"]["code"] == "discover-timeout" && answer["error"]["stage"] == "discover")
                await gateway.world.waitForCalls(of: "Disconnect")
                // The queue is free.
                #expect(try await gateway.send("rssi", on: .thing)["error"]["code"] == "not-in-range")
                #expect(await !gateway.world.isConnected(.thing))
            }
        }

        @Test func `B17: services that are late are waited for as long as the job allows`() async throws {
            try await with("B17-slow") { gateway in
                let answer = try await gateway.send("read", Self.value + #","timeoutMs":20000"#, on: .thing)
                #expect(answer["status"] == "ok" && answer["attempt"] == 1, "\(answer)")
                #expect(try #require(answer["timing"]["connectMs"].number) >= 1500)
            }
        }

        @Test func `B17: a link that ends right after its services are known is link-lost`() async throws {
            try await with("B17-drop") { gateway in
                let answer = try await gateway.send("read", Self.value, on: .thing)
                #expect(answer["status"] == "failed" && answer["error"]["code"] == "link-lost", "\(answer)")
                #expect(answer["error"]["stage"] == "operate")
            }
        }

        // MARK: B19

        @Test func `B19: a peer that drops the link again and again is tried until the deadline`() async throws {
            try await with("B19-drop") { gateway in
                let id = try await gateway.start("read", Self.value + #","timeoutMs":2000"#, on: .thing)
                let other = try await gateway.send("ping")
                #expect(other["status"] == "ok")
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "timeout", "\(answer)")
                #expect(["connect-timeout", "discover-timeout"].contains(answer["error"]["code"].text), "\(answer)")
                #expect(try #require(answer["attempt"].number) >= 2)
                let tries = await gateway.world.count(of: "Connect")
                #expect((2...6).contains(tries))
            }
        }

        @Test func `B19: a device that is removed and not heard again ends the job without a dead wait`() async throws {
            try await with("B19-vanish") { gateway in
                let answer = try await gateway.send("read", Self.value + #","timeoutMs":3000"#, on: .thing)
                #expect(answer["status"] == "failed" || answer["status"] == "timeout", "\(answer)")
                #expect(answer["error"]["code"] == "not-in-range", "\(answer)")
                #expect(answer["error"]["retryable"] == true)
                #expect(await gateway.world.count(of: "Connect") == 1)
                #expect(try await gateway.send("rssi", on: .thing)["status"] == "failed")
            }
        }

        @Test func `B19: an error and a removal in the same moment are one failed try`() async throws {
            try await with("B19-both") { gateway in
                let answer = try await gateway.send("read", Self.value, on: .thing)
                #expect(answer["status"] == "ok", "\(answer)")
                #expect(await gateway.world.count(of: "Connect") == 2)
                #expect(events(gateway, "connected").count == 1)
            }
        }

        // MARK: B21

        @Test func `B21: a device that is paged over BR-EDR is not tried for ever, and the error says so`() async throws
        {
            try await with("B21") { gateway in
                let answer = try await gateway.send("discover", #""timeoutMs":2500"#, on: .thing)
                #expect(answer["status"] == "timeout" && answer["error"]["code"] == "connect-timeout", "\(answer)")
                #expect(answer["error"]["dbus"] == "org.bluez.Error.NotAvailable", "\(answer)")
                #expect(
                    answer["error"]["detail"].text?.contains("br-connection-profile-unavailable") == true,
                    "\(answer)"
                )
                let tries = await gateway.world.count(of: "Connect")
                #expect((2...7).contains(tries))
                // No list of services is kept from the classic link.
                #expect(gateway.caller.all(suffix: "/gatt").allSatisfy { $0.message.payload.isEmpty })
                #expect(try await gateway.send("ping")["status"] == "ok")
            }
        }
    }
}
