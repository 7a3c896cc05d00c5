import EdgeAgentControl
import Foundation
import TestSupport
import Testing

/// `edge-agent ctl` with a broker, an agent and simulated devices.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ControlTests {
    @Test func `a value is read and written, for people and as JSON`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.battery, .awkward]
        try await withControlWorld(options) { world in
            let read = try await world.run("read", "door", "180f", "2a19")
            #expect(read.status == 0 && read.lines.count == 1, "\(read)")
            #expect(read.errors.isEmpty)
            let json = try await world.run("read", "door", "180f", "2a19", "--json", "--gateway", "gw")
            #expect(json.objects.first?["status"] as? String == "ok")
            #expect(json.objects.first?["client"] as? String == "ctl")
            let value = (json.objects.first?["result"] as? [String: Any])?["value"] as? [String: String]
            #expect(value?["hex"] == read.lines.first)
            let write = try await world.run("write", TestDevice.awkward.hex, "fff0", "fff5", "01 02")
            #expect(write.output == "2 bytes written: the device has confirmed it\n", "\(write)")
            let text = try await world.run("write", TestDevice.awkward.hex, "fff0", "fff5", "ab", "--as", "utf8")
            #expect(text.status == 0)
            #expect(await world.world.writes().map(\.bytes) == [[1, 2], Array("ab".utf8)])
        }
    }

    @Test func `a command by name shows what was read from its answer`() async throws {
        let profile = """
            profile: door
            title: Door
            commands:
              - name: level
                read: {service: 180f, uuid: 2a19}
                parse: [{name: battery, offset: 0, type: u8}, {name: "a-text", offset: 0, type: hex}]
                readOnly: true

            """
        let folder = NSTemporaryDirectory() + "profiles-" + UUID().uuidString.prefix(13)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) } }
        try profile.write(toFile: folder + "/door.yaml", atomically: true, encoding: .utf8)
        let more = "    profile: door\nprofiles:\n  directory: \(folder)"
        try await withControlWorld(more: more) { world in
            let level = try await world.run("run", "door", "level")
            #expect(level.status == 0 && level.lines.count == 2, "\(level)")
            #expect(level.lines.first?.hasPrefix("battery: ") == true)
            #expect(level.lines.last?.contains("\\") == false, "\(level)")
        }
    }

    @Test func `the exit code tells how a command ended, and one line why`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.battery, .deaf]
        try await withControlWorld(options) { world in
            let failed = try await world.run("read", "door", "180f", "2a00")
            #expect(failed.status == ControlOutcome.failed.rawValue)
            #expect(failed.errors.hasPrefix("edge-agent ctl: door: read: failed: no-characteristic: "))
            #expect(failed.output.isEmpty && failed.errors.split(separator: "\n").count == 1)
            let timeout = try await world.run("read", TestDevice.deaf.hex, "180f", "2a19", "--timeout", "3s")
            #expect(timeout.status == ControlOutcome.timeout.rawValue, "\(timeout)")
            let rejected = try await world.run("read", "nobody", "180f", "2a19")
            #expect(rejected.status == ControlOutcome.rejected.rawValue && rejected.errors.contains("unknown-device"))
            let unknownVerb = try await world.run("run", "door", "open", "speed=2")
            #expect(unknownVerb.status == ControlOutcome.rejected.rawValue, "\(unknownVerb)")
            let usage = try await world.run("read", "door")
            #expect(usage.status == ControlOutcome.usage.rawValue && usage.output.isEmpty)
            let gateway = try await world.run("jobs", "--gateway", "other")
            #expect(gateway.status == ControlOutcome.broker.rawValue)
            #expect(gateway.errors.contains("no gateway other is known") && gateway.errors.contains("known: gw"))
            let file = try await world.run("jobs", "--config", "/nonexistent")
            #expect(file.status == ControlOutcome.noInput.rawValue)
            try await world.broker.kill()
            let broker = try await world.run("jobs")
            #expect(broker.status == ControlOutcome.broker.rawValue)
            #expect(broker.errors.contains("mqtt://127.0.0.1:\(world.broker.port): no connection"))
        }
    }

    @Test func `gateways, devices, jobs and scans are tables, or JSON a line each`() async throws {
        try await withControlWorld { world in
            let gateways = try await world.run("gateways")
            #expect(gateways.lines.count == 2, "\(gateways)")
            #expect(gateways.lines.first?.hasPrefix("GATEWAY") == true)
            #expect(gateways.lines.last?.split(separator: " ").prefix(3) == ["gw", "online", "ready"])
            let scan = try await world.run("scan", "--duration", "1500ms")
            #expect(scan.status == 0 && scan.lines.contains { $0.hasPrefix("door ") }, "\(scan)")
            let heard = try await world.run("scan", "--duration", "1500ms", "--json", "--service", "180f")
            #expect(heard.objects.contains { $0["dev"] as? String == "door" }, "\(heard)")
            let devices = try await world.run("devices", "--field", "limit=1", "--json")
            #expect(devices.objects.count > 1, "pages are put together: \(devices)")
            let table = try await world.run("devices")
            #expect(table.lines.count == devices.objects.count + 1)
            let jobs = try await world.run("jobs")
            #expect(jobs.status == 0 && jobs.lines.count == 1)
            let none = try await world.run("devices", "--connected")
            #expect(none.lines.count == 1)
        }
    }

    @Test func `a transaction prints its answer`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.framer]
        try await withControlWorld(options) { world in
            let services = try await world.run("transact", TestDevice.framer.hex, "ffe0", "ffe1", "ffe2", "aa0100")
            #expect([0, 1, 3].contains(services.status), "\(services)")
            let wrong = try await world.run("transact", TestDevice.framer.hex, "ffe0", "ffe1", "ffe2", "zz")
            #expect(wrong.status == ControlOutcome.rejected.rawValue, "\(wrong)")
        }
    }

    @Test func `values are printed as they come, and the subscription ends with the command`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.heart]
        try await withControlWorld(options) { world in
            let heart = TestDevice.heart
            let run = try await world.run("subscribe", heart.hex, "180d", "2a37", "--count", "2", "--json")
            #expect(run.status == 0 && run.objects.count == 2, "\(run)")
            #expect(run.objects.allSatisfy { $0["kind"] as? String == "notify" })
            #expect(await world.world.isSubscribed(heart, "2a37") == false)
        }
    }

    @Test func `Ctrl-C ends a subscription in order`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.heart]
        try await withControlWorld(options) { world in
            let service = "0000180d-0000-1000-8000-00805f9b34fb"
            let child = try await world.start(["subscribe", TestDevice.heart.hex, service, "2A37", "--json"])
            try await child.waitFor("\"kind\"")
            child.send(SIGINT)
            let run = try await world.end(child)
            #expect(run.status == 0, "\(run)")
            await world.world.waitForCalls(of: "StopNotify")
        }
    }

    @Test func `Ctrl-C cancels a command, whose own result is told`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.slow]
        try await withControlWorld(options) { world in
            let child = try await world.start(["read", TestDevice.slow.hex, "180f", "2a19"])
            await world.world.waitForCalls(of: "Connect")
            let jobs = try await world.run("jobs", "--json")
            #expect(jobs.objects.first?["state"] as? String == "running")
            child.send(SIGINT)
            let run = try await world.end(child)
            #expect(run.status == ControlOutcome.cancelled.rawValue, "\(run)")
            let all = try await world.run("cancel", "--all")
            #expect(all.output == "0 cancelled\n")
        }
    }

    @Test func `a command without an answer is sent again and done once`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.awkward]
        try await withControlWorld(options) { world in
            // The process stands still, and the broker keeps what is for it.
            world.agent.send(SIGSTOP)
            let child = try await world.start(["write", TestDevice.awkward.hex, "fff0", "fff5", "07", "--id", "w1"])
            let topic = "edge/v1/gw/dev/\(TestDevice.awkward.hex)/cmd/ctl"
            try await world.broker.waitForLog("Received PUBLISH from ctl-ctl-", count: 2)
            #expect(world.broker.log.contains(topic))
            world.agent.send(SIGCONT)
            let run = try await world.end(child)
            #expect(run.status == 0, "\(run)")
            #expect(await world.world.writes().count == 1)
            let again = try await world.run(
                "write",
                TestDevice.awkward.hex,
                "fff0",
                "fff5",
                "07",
                "--id",
                "w1",
                "--json"
            )
            #expect(again.objects.first?["replayed"] as? Bool == true, "\(again)")
            #expect(await world.world.writes().count == 1)
        }
    }

    @Test func `a gateway that says nothing leaves the outcome unknown`() async throws {
        try await withControlWorld { world in
            world.agent.send(SIGSTOP)
            let run = try await world.run("read", "door", "180f", "2a19", "--wait", "1s", "--id", "r1")
            world.agent.send(SIGCONT)
            #expect(run.status == ControlOutcome.unknown.rawValue, "\(run)")
            #expect(run.errors.contains("no answer came") && run.errors.contains("--id r1"))
        }
    }

    @Test func `a gateway that is gone is told at once, and nothing is sent to it`() async throws {
        try await withControlWorld { world in
            world.agent.send(SIGTERM)
            _ = try await world.agent.exitStatus()
            let run = try await world.run("read", "door", "180f", "2a19", "--gateway", "gw")
            #expect(run.status == ControlOutcome.broker.rawValue)
            #expect(run.errors.contains("gateway gw is offline"))
            #expect(!world.broker.log.contains("edge/v1/gw/dev/door/cmd/ctl"))
            let none = try await world.run("jobs")
            #expect(none.errors.contains("no gateway is online"))
        }
    }

    @Test func `watch prints what happens, and no command of others`() async throws {
        try await withControlWorld { world in
            let child = try await world.start(["watch", "--json"])
            try await child.waitFor("edge/v1/gw/status")
            _ = try await world.run("read", "door", "180f", "2a19")
            try await child.waitFor(#""status":"ok""#)
            child.send(SIGINT)
            let run = try await world.end(child)
            #expect(run.status == 0)
            let topics = Set(run.objects.compactMap { $0["topic"] as? String })
            #expect(topics.isSuperset(of: ["edge/v1/gw/dev/door/job", "edge/v1/gw/dev/door/link"]))
            #expect(topics.allSatisfy { !$0.contains("/cmd") && !$0.contains("/res/") })
            let one = try await world.run("watch", "door", "--count", "1")
            #expect(one.lines.count == 1 && one.status == 0)
        }
    }

    @Test func `on a terminal a scan is a live table and a line tells how far a command is`() async throws {
        var options = AgentWorld.Options()
        options.devices = [.battery, .slow]
        try await withControlWorld(options) { world in
            let scan = try await world.runOnTerminal("scan --duration 2s")
            #expect(scan.status == 0, "\(scan)")
            #expect(scan.output.contains("\u{1B}[") && scan.output.contains("s left, Ctrl-C ends it"))
            #expect(scan.output.contains("door "))
            let read = try await world.runOnTerminal("read \(TestDevice.slow.hex) 180f 2a19 --timeout 1s")
            #expect(read.status == ControlOutcome.timeout.rawValue)
            #expect(read.output.contains("read: started, 0"), "\(read)")
        }
    }

    @Test func `the caller's name is the broker's user`() async throws {
        var broker = BrokerOptions()
        broker.users = ["ops": "pass"]
        broker.lines = []
        try await withBroker(broker) { broker in
            let folder = NSTemporaryDirectory() + "ctl-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            // A directory that stays behind in /tmp harms nobody.
            defer { try? FileManager.default.removeItem(atPath: folder) }
            for (name, text) in [("good", "pass\n"), ("bad", "wrong\n")] {
                try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/\(name)")
            }
            func gateways(_ file: String) async throws -> (Int32, String) {
                let arguments = [
                    "ctl", "gateways", "--broker", "mqtt://ops@127.0.0.1:\(broker.port)", "--password-file",
                    "\(folder)/\(file)",
                ]
                let child = try await ChildProcess.spawn(try AgentProgram.path(), arguments, environment: [:])
                return (try await child.exitStatus(), child.errors)
            }
            #expect(try await gateways("good").0 == 0)
            let bad = try await gateways("bad")
            #expect(bad.0 == ControlOutcome.broker.rawValue && bad.1.contains("refused the connection"), "\(bad)")
        }
    }
}
