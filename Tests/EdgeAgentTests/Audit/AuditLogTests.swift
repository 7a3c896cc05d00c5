import BleCore
import EdgeAgent
import EventLoop
import Frames
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AuditLogTests {
    /// Runs the body on a loop, with the audit log of a configuration whose lines go to a sink.
    private func withAudit(
        configured change: (inout Configuration) -> Void = { _ in },
        level: LogLevel = .info,
        _ body: @escaping @Sendable (AuditLog, DecoderFixture) throws -> Void
    ) async throws -> [String] {
        var configuration = Configuration(gateway: "shop-3")
        change(&configuration)
        let fixture = try DecoderFixture()
        let sink = CollectingSink()
        let log = EdgeAgent.Log(level: level, sink: sink)
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        // Unstructured because the audit log is confined to the loop; awaited in place.
        try await Task(executorPreference: loop) { [configuration] in
            let gateway = fixture.tree.gateway
            let audit = AuditLog(configuration, gateway: gateway, boot: "b00t", log: log, loop: loop)
            try body(audit, fixture)
            await audit.close()
        }.value
        return sink.all
    }

    @Test func `it begins with the boot that its hashes belong to, and the policy`() async throws {
        #expect(
            try await withAudit { _, _ in } == [
                "info audit: Audit log begins gateway=shop-3 boot=b00t policy=none"
            ]
        )
        let lines = try await withAudit {
            $0.policy = Policy(rules: [PolicyRule(.deny, [.any])])
        } _: { _, _ in
        }
        #expect(lines == ["info audit: Audit log begins gateway=shop-3 boot=b00t policy=\"1 rules\""])
    }

    @Test func `its lines come whatever the level of the log is`() async throws {
        let lines = try await withAudit(level: .error) { audit, fixture in
            audit.bonded(fixture.door, true)
            audit.bonded(fixture.door, false)
        }
        #expect(
            lines.dropFirst() == [
                "notice audit: Device was paired device=door address=a1b2c3d4e5f6",
                "notice audit: Device is not paired any more device=door address=a1b2c3d4e5f6",
            ]
        )
    }

    @Test func `writes and denials get a line, reads and other refusals none`() async throws {
        let lines = try await withAudit { audit, fixture in
            let write = try fixture.command(#"{"id":"w","verb":"write","handle":3,"value":{"hex":"00"}}"#)
            let read = try fixture.command(#"{"id":"r","verb":"read","handle":3}"#)
            audit.ended(.ok(write, confirmed: .sent, payload: nil))
            audit.ended(.ok(read, confirmed: .read, payload: .value([1])))
            audit.ended(.refused(read.refusal(.queueFull, detail: "x")))
            audit.ended(.refused(read.refusal(.denied, detail: "x")))
            audit.ended(.refused(write.refusal(.queueFull, detail: "x")))
            let broken = try fixture.refusal(#"{"id":"b","verb":"write","handle":3}"#)
            audit.ended(.refused(broken))
            let all = try fixture.refusal(#"{"id":"a","verb":"adapter.power","on":true}"#, on: .all(client: "x"))
            audit.ended(.refused(all))
        }
        let parts = lines.dropFirst().map { line in
            line.split(separator: " ").filter { word in
                !["hash", "bytes", "address", "handle"].contains { word.hasPrefix($0) }
            }.joined(separator: " ")
        }
        #expect(
            parts == [
                "info audit: Command ended unverified=anonymous device=door verb=write status=ok id=w",
                "notice audit: Command denied unverified=anonymous device=door verb=read status=rejected code=denied id=r",
                "info audit: Command ended unverified=anonymous device=door verb=write status=rejected code=queue-full "
                    + "applied=no id=w",
                "notice audit: Command denied caller=x gateway=shop-3 all=true verb=adapter.power status=rejected "
                    + "code=denied applied=no id=a",
            ]
        )
    }

    @Test func `a flood of refusals is bounded and counted, and hides no write`() async throws {
        let lines = try await withAudit { audit, fixture in
            for number in 0..<500 {
                let topic = CommandTopic.device("door", client: "c\(number % 50)")
                let read = try fixture.command(#"{"verb":"read","handle":3}"#, on: topic)
                audit.ended(.refused(read.refusal(.denied, detail: "x")))
            }
            let write = try fixture.command(#"{"id":"w","verb":"write","handle":3,"value":{"hex":"00"}}"#)
            audit.ended(.ok(write, confirmed: .sent, payload: nil))
            let error = OperationError(.linkLost, detail: "x")
            audit.ended(.failed(write, error, applied: .maybe))
        }
        #expect(lines.count { $0.contains("Command denied") } == UnstartedWindow.most)
        #expect(lines.count { $0.contains("Command ended") } == 2)
        #expect(lines.last == "notice audit: More commands that did nothing were left out suppressed=470")
    }

    @Test func `the bytes of a write are in no line unless they are asked for`() async throws {
        func lines(showing: Bool) async throws -> [String] {
            try await withAudit(configured: { $0.audit.showsValues = showing }, level: .debug) { audit, fixture in
                let value = #"{"utf8":"S3cr3t-needle"}"#
                let write = try fixture.command(#"{"verb":"write","handle":3,"value":\#(value)}"#)
                audit.ended(.ok(write, confirmed: .sent, payload: nil))
                audit.ended(.refused(write.refusal(.denied, detail: "x")))
            }
        }
        let needle = Hex.text(Array("S3cr3t-needle".utf8))
        let (without, with) = (try await lines(showing: false), try await lines(showing: true))
        #expect(without.allSatisfy { !$0.contains(needle) && !$0.contains("S3cr3t") })
        #expect(without.count { $0.contains(" bytes=13 hash=") } == 2)
        #expect(with.count { $0.contains(" bytes=13 value=\(needle) ") } == 2)
    }

    @Test func `a file of its own takes all lines, and the end waits for them`() async throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTemporaryDirectory(directory) }
        let path = directory + "/audit.log"
        let inLog = try await withAudit(configured: { $0.audit.file = path }) { audit, fixture in
            for _ in 0..<100 { audit.bonded(fixture.door, true) }
        }
        #expect(inLog.isEmpty)
        let file = String(decoding: try BoundedFile.read(path, limit: 100_000).bytes, as: UTF8.self)
        #expect(file.split(separator: "\n").count == 101)
    }
}
