import EdgeAgent
import Foundation
import Frames
import TestSupport
import Testing

extension AgentLane4 {
    /// What the agent writes down about its commands.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct AuditAgentTests {
        private static let needle = "S3cr3t-needle"
        /// A write that the battery refuses, of a value that must not be seen.
        private static let write = Gateway.level + #","value":{"utf8":"S3cr3t-needle"}"#
        private static let bytes = Hex.text(Array("S3cr3t-needle".utf8))

        @Test func `each write and each change of the gateway is a line in the log, without the bytes`() async throws {
            try await withAgent { gateway in
                let point = #""service":"180d","characteristic":"2a39","value":{"hex":"01"}"#
                let good = try await gateway.start("write", point, on: .heart)
                #expect(try await gateway.result(good).json["status"] == "ok")
                _ = try await gateway.send("write", Self.write, on: .battery)
                _ = try await gateway.send("adapter.power", #""on":true"#)
                _ = try await gateway.send("read", Gateway.level, on: .battery)
                _ = try await gateway.send("ping")
                let lines = gateway.agent.lines(with: " audit: ")
                #expect(lines.count == 4)
                #expect(lines.first?.contains("audit: Audit log begins gateway=gw boot=") == true)
                let first = try #require(lines.first { $0.contains(" id=\(good)") })
                #expect(first.contains("info audit: Command ended caller=test device=c05a00000002 "))
                #expect(first.contains(" verb=write service=180d characteristic=2a39 bytes=1 hash="))
                #expect(first.hasSuffix(" status=ok id=\(good)"))
                #expect(lines.contains { $0.contains(" bytes=13 hash=") && $0.contains(" applied=no ") })
                #expect(lines.contains { $0.contains(" gateway=gw verb=adapter.power status=ok ") })
                #expect(lines.allSatisfy { !$0.contains(Self.needle) && !$0.contains(Self.bytes) })
            }
        }

        @Test func `a file of its own has every line when the agent has stopped, and the log none`() async throws {
            let directory = try makeTemporaryDirectory()
            defer { removeTemporaryDirectory(directory) }
            let path = directory + "/audit.log"
            var setup = AgentSetup()
            setup.keys = ["audit.file": path, "audit.values": "true"]
            try await withAgent(setup) { gateway in
                var ids: [String] = []
                for _ in 0..<20 { ids.append(try await gateway.start("write", Self.write, on: .battery)) }
                for id in ids { _ = try await gateway.result(id) }
                #expect(try await gateway.stop() == 0)
                #expect(gateway.agent.lines(with: " audit: ").isEmpty)
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let lines = text.split(separator: "\n")
                #expect(lines.first?.contains("audit: Audit log begins gateway=gw") == true)
                // They did nothing, and are alike: one line says so, another one how many there were.
                let ended = lines.filter { $0.contains("audit: Command ended ") }
                #expect(ended.count == 1)
                #expect(ended.first?.contains(" bytes=13 value=\(Self.bytes) ") == true)
                #expect(lines.last?.hasSuffix("were left out suppressed=19") == true)
                // What is asked for in the audit log is asked for there alone.
                let log = gateway.agent.log.split(separator: "\n").filter { !$0.contains(" debug ") }
                #expect(log.allSatisfy { !$0.contains(Self.bytes) && !$0.contains(Self.needle) })
            }
        }

        @Test func `a file that cannot be written stops no command, and its lines stand in the log`() async throws {
            var setup = AgentSetup()
            setup.keys = ["audit.file": "/proc/nowhere/audit.log"]
            try await withAgent(setup) { gateway in
                let id = try await gateway.start("adapter.power", #""on":true"#)
                #expect(try await gateway.result(id).json["status"] == "ok")
                try await gateway.agent.waitForLog("error audit: Audit file cannot be written: its lines go here")
                try await gateway.agent.waitForLog("audit: Command ended caller=test gateway=gw verb=adapter.power")
                #expect(gateway.agent.lines(with: "Audit file cannot be written").count == 1)
            }
        }

        @Test func `a bond that somebody makes is written down`() async throws {
            var setup = AgentSetup()
            setup.world.devices?.append(.pairable)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .pairable)
                try await gateway.world.call(.pairable, "org.bluez.Device1", "Pair")
                try await gateway.agent.waitForLog("notice audit: Device was paired device=c05a00000024 ")
            }
        }
    }
}
