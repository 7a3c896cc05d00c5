import EdgeAgent
import Foundation
import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MetricsTests {
    /// A page's families: help, type, and samples by their whole names.
    struct Page {
        var types: [String: String] = [:]
        var samples: [(name: String, labels: String, value: Double)] = []
        var problems: [String] = []

        init(_ text: String) {
            var current = ""
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if let match = line.wholeMatch(of: /# HELP ([a-z_]+) [A-Z].*\./) {
                    current = String(match.1)
                    if types[current] != nil { problems.append("twice: \(current)") }
                } else if let match = line.wholeMatch(of: /# TYPE ([a-z_]+) (counter|gauge)/) {
                    types[String(match.1)] = String(match.2)
                    if match.1 != current { problems.append("no help: \(line)") }
                } else if let match = line.wholeMatch(
                    of: /([a-z_]+)(\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? (-?[0-9.e+]+)/
                ) {
                    if match.1 != current { problems.append("out of place: \(line)") }
                    let value = Double(match.3) ?? .nan
                    samples.append((String(match.1), String(match.2 ?? ""), value))
                } else {
                    problems.append("not understood: \(line)")
                }
            }
        }

        func value(_ name: String, _ labels: String = "") -> Double? {
            samples.first { $0.name == name && $0.labels == labels }?.value
        }
    }

    private func figures() -> AgentFigures {
        var figures = AgentFigures()
        figures.gateway = "gw"
        figures.startedMs = 1_790_000_000_500
        figures.isConnected = true
        figures.bluetooth = .ready
        figures.health.cpuMs = 1250
        figures.health.residentBytes = 7_000_000
        figures.health.counters.commands = 12
        figures.health.drops.notifications = 3
        figures.health.coalesced.advertisements = 4
        figures.health.journal = HealthMessage.Journal()
        figures.health.journal?.events = 4
        figures.mqtt.published = 99
        figures.adapters = [("hci0", LinkCounts(used: 2, max: 7)), ("hci1", LinkCounts(used: 1))]
        return figures
    }

    @Test func `the page has each figure once, and names by Prometheus' conventions`() {
        let page = Page(String(decoding: figures().metrics, as: UTF8.self))
        #expect(page.problems.isEmpty, "\(page.problems)")
        for (name, type) in page.types {
            #expect(name.hasPrefix("edge_agent_") || name.hasPrefix("process_"))
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name)")
            #expect(name.wholeMatch(of: /.*(_ms|_milliseconds|_kb|_percent)(_.*)?/) == nil, "\(name)")
        }
        #expect(page.value("process_cpu_seconds_total") == 1.25)
        #expect(page.value("process_start_time_seconds") == 1_790_000_000.5)
        #expect(page.value("edge_agent_commands_total") == 12)
        #expect(page.value("edge_agent_dropped_total", #"{class="notification"}"#) == 3)
        #expect(page.value("edge_agent_coalesced_total", #"{class="advertisement"}"#) == 4)
        #expect(page.value("edge_agent_links", #"{adapter="hci1"}"#) == 1)
        #expect(page.value("edge_agent_links_limit", #"{adapter="hci0"}"#) == 7)
        #expect(page.value("edge_agent_links_limit", #"{adapter="hci1"}"#) == nil)
        #expect(page.value("edge_agent_bluetooth_state", #"{state="ready"}"#) == 1)
        #expect(page.samples.filter { $0.name == "edge_agent_bluetooth_state" }.map(\.value).reduce(0, +) == 1)
        #expect(page.value("edge_agent_outbox_messages", #"{class="event"}"#) == 4)
        #expect(page.value("edge_agent_mqtt_published_messages_total") == 99)
    }

    @Test func `the operator's page lists each figure, and no other`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/operations.md")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let listed = text.split(separator: "\n").filter { $0.hasPrefix("| `edge_agent") || $0.hasPrefix("| `process") }
            .flatMap { line in line.matches(of: /`((?:edge_agent|process)_[a-z_]+)`/).map { String($0.1) } }
        #expect(Set(listed) == Set(Page(String(decoding: figures().metrics, as: UTF8.self)).types.keys))
        #expect(listed.count == Set(listed).count)
    }

    @Test func `the alerts are about figures that exist, and the operator's page lists each`() throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let text = { (path: String) in
            String(decoding: try Data(contentsOf: package.appending(path: path)), as: UTF8.self)
        }
        let rules = try text("deploy/alerts.yml")
        let page = try text("docs/operations.md")
        let used = rules.matches(of: /(?:edge_agent|process)_[a-z_]+/).map { String($0.output) }
        #expect(Set(used).isSubset(of: Page(String(decoding: figures().metrics, as: UTF8.self)).types.keys))
        let alerts = rules.matches(of: /alert: ([A-Za-z]+)/).map { String($0.1) }
        #expect(alerts.count > 5 && alerts.allSatisfy { page.contains("| `\($0)` |") })
    }

    @Test func `a label's value is escaped`() {
        var text = MetricsText()
        text.family("x", .gauge, "X.") { $0.sample(1, [("label", "a\"b\\c\nd")]) }
        #expect(String(decoding: text.bytes, as: UTF8.self).hasSuffix("x{label=\"a\\\"b\\\\c\\nd\"} 1\n"))
    }

    @Test func `health names what is amiss`() {
        var figures = figures()
        #expect(figures.complaints.isEmpty)
        figures.isConnected = false
        figures.bluetooth = .noAdapter
        figures.storageProblem = "disk full"
        figures.health.refusedSubscriptions = ["edge/v1/gw/cmd"]
        let expected = [
            "broker: not connected", "bluetooth: no-adapter", "storage: disk full", "broker: refuses edge/v1/gw/cmd",
        ]
        #expect(figures.complaints == expected)
    }
}

extension AgentLane2 {
    /// The local endpoint of a running agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct MetricsAgentTests {
        private func curl(_ port: Int, _ path: String) async throws -> (code: String, text: String) {
            let arguments = ["-sS", "-m", "5", "-w", "%{http_code}", "http://127.0.0.1:\(port)\(path)"]
            let text = try await ChildProcess.run("/usr/bin/curl", arguments)
            return (String(text.suffix(3)), String(text.dropLast(3)))
        }

        private func setup(_ port: Int?) -> AgentSetup {
            var setup = AgentSetup()
            if let port { setup.keys["metrics.listen"] = "\"127.0.0.1:\(port)\"" }
            return setup
        }

        @Test func `figures and health can be read while the agent runs`() async throws {
            let port = try freePort()
            try await withAgent(setup(port)) { gateway in
                _ = try await gateway.send("read", Gateway.level, on: .battery)
                let (code, text) = try await curl(port, "/metrics")
                let page = MetricsTests.Page(text)
                #expect(code == "200" && page.problems.isEmpty, "\(page.problems)")
                #expect(page.value("edge_agent_mqtt_connected") == 1)
                #expect(page.value("edge_agent_commands_total") ?? 0 >= 1)
                #expect(page.value("edge_agent_links", #"{adapter="hci0"}"#) == 1)
                #expect(page.value("edge_agent_storage_working") == 1)
                let healthy = try await curl(port, "/healthz")
                #expect(healthy.code == "200" && healthy.text == "ok\n")
                await gateway.world.setPowered(false)
                try await gateway.hear("off", on: "bluetooth")
                let ill = try await curl(port, "/healthz")
                #expect(ill.code == "503" && ill.text == "bluetooth: off\n", "\(ill)")
                try await gateway.broker.kill()
                try await gateway.agent.waitForLog("Broker lost")
                #expect(try await curl(port, "/healthz").text.hasPrefix("broker: not connected\n"))
                #expect(try await curl(port, "/else").code == "404")
            }
        }

        @Test
        func `under a flood the newest report of each device waits for a broker that stands, and none is dropped`()
            async throws
        {
            let port = try freePort()
            var setup = setup(port)
            setup.keys["mqtt.qos.scan"] = "1"
            setup.keys["mqtt.maxOutgoingMessages"] = "60"
            setup.world.devices = (1...4).map {
                TestDevice.named("Beacon", number: $0).advertising(every: .milliseconds(5))
            }
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("scan.start", #""session":"each","emit":"all""#)
                _ = try await gateway.send("scan.start", #""session":"some","emit":{"everyMs":100}"#)
                try await gateway.hear(on: "scan/each", count: 20)
                try await gateway.hear(on: "scan/some", count: 4)
                func page() async throws -> MetricsTests.Page {
                    MetricsTests.Page(try await curl(port, "/metrics").text)
                }
                let advertisement = #"{class="advertisement"}"#
                #expect(try await page().value("edge_agent_coalesced_total", advertisement) == 0)
                let mark = gateway.caller.mark
                gateway.broker.freeze()
                defer { gateway.broker.thaw() }
                var frozen = try await page()
                while (frozen.value("edge_agent_coalesced_total", advertisement) ?? 0) < 200 {
                    frozen = try await page()
                }
                // Each report waits in the queue until that is half full.
                #expect(frozen.value("edge_agent_mqtt_queued_messages") ?? 0 > 30)
                #expect(frozen.value("edge_agent_mqtt_queued_messages") ?? 0 < 60)
                gateway.broker.thaw()
                let each = try await gateway.hear("what was coalesced", from: mark) {
                    $0.topic == gateway.topic("scan/each") && $0.json["coalesced"].number ?? 0 > 0
                }
                #expect(each.json["dropped"] == 0)
                // What goes out then is as new as it can be: the count of its device has gone on.
                let before = gateway.caller.all(from: mark, gateway.topic("scan/each")).filter {
                    $0.number < each.number
                        && $0.json["devices"].list.first?["dev"] == each.json["devices"].list.first?["dev"]
                }
                let last = try #require(before.last?.json["devices"].list.first?["signals"].number)
                #expect(try #require(each.json["devices"].list.first?["signals"].number) > last + 1)
                for session in ["each", "some"] {
                    _ = try await gateway.send("scan.stop", "\"session\":\"\(session)\"")
                }
                let end = try await gateway.hear(on: "scan/each/state") { $0["state"] == "stopped" }.json
                let (published, coalesced) = (end["published"].number ?? 0, end["coalesced"].number ?? 0)
                #expect(end["dropped"] == 0 && coalesced > 0 && end["signals"].number == published + coalesced)
                let after = try await page()
                #expect(after.value("edge_agent_dropped_total", advertisement) == 0)
                #expect(after.value("edge_agent_coalesced_total", advertisement) ?? 0 >= coalesced)
            }
        }

        @Test func `an address in use is an error of the log, and the agent works`() async throws {
            let port = try freePort()
            try await withAgent(setup(port)) { first in
                var second = setup(port)
                second.gateway = "gw2"
                let other = try await startAgent(second, first.world, first.broker, first.caller)
                try await other.agent.waitForLog("Metrics cannot be read")
                try await other.hear("ready", on: "bluetooth")
                #expect(
                    other.agent.lines(with: "Metrics cannot be read").first?.contains("Address already in use") == true
                )
            }
        }

        @Test func `without being asked for nothing listens`() async throws {
            try await withAgent(setup(nil)) { gateway in
                let folder = "/proc/\(gateway.agent.pid)/fd"
                let links = try FileManager.default.contentsOfDirectory(atPath: folder).map { name in
                    // A descriptor may have been closed meanwhile.
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) ?? ""
                }
                for table in ["net/tcp", "net/tcp6"] {
                    for line in try gateway.agent.proc(table).split(separator: "\n").dropFirst() {
                        let fields = line.split(separator: " ")
                        // 0A is TCP_LISTEN, the tenth field the socket's inode.
                        #expect(fields[3] != "0A" || !links.contains("socket:[\(fields[9])]"), "\(line)")
                    }
                }
            }
        }
    }
}
