import BleCore
import EdgeAgent
import Foundation
import Frames
import FramesSupport
import Testing

/// The page's examples of `transact`, carried out against frames as the simulator's Sim Framer sends them.
@Suite(.timeLimit(.minutes(10))) struct TransactPageTests {
    let fixture: DecoderFixture
    let page: String
    let commands: JSONObject
    let results: JSONObject

    init() throws {
        fixture = try DecoderFixture()
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")
        page = try String(contentsOf: docs.appending(path: "mqtt.md"), encoding: .utf8)
        commands = try parsed(Array(Data(contentsOf: docs.appending(path: "commands.schema.json"))))
        results = try parsed(Array(Data(contentsOf: docs.appending(path: "results.schema.json"))))
    }

    /// What the device answers: packets of 20 bytes.
    private func framer(_ request: [UInt8]) throws -> [[UInt8]] {
        try #require(request.count >= 4 && request.count == Int(request[2]) + 4 && request.first == 0x7E)
        try #require(request.dropLast().reduce(0, &+) == request.last)
        let frame: [UInt8]
        switch request[1] {
        case 2: frame = [0x7E, 0x82, 72] + (0x40..<0x40 + 72)
        case 3: frame = [0x7E, 0x83, request[3]] + (0..<request[3])
        default: frame = [0x7E, 0xFF, 1, request[1]]
        }
        let whole = frame + [frame.reduce(0, &+)]
        return stride(from: 0, to: whole.count, by: 20).map { Array(whole[$0..<min($0 + 20, whole.count)]) }
    }

    @Test func `each example has the result that stands below it`() throws {
        var ids: [String] = []
        let pattern = /-m '(\{[^']*"verb":"transact"[^']*\})'\n```\n\n(?:[^`{]*```json\n(\{.*\})\n```)?/
        for match in page.matches(of: pattern) {
            let command = try fixture.command(String(match.1))
            guard case .transact(let rules) = command.request, let shown = match.2 else { continue }
            let shownBody = try parsed(Array(shown.utf8))
            ids.append(command.origin.id.text)
            #expect(shownBody["id"] == .string(command.origin.id.text))
            let body: ResultBody
            switch exchange(rules, try framer(rules.framed)) {
            case .answer(let answer):
                body = .ok(command, confirmed: .notified, payload: .transact(answer))
            case .refused:
                let error = OperationError(.responseRejected, detail: "the answer fulfils the command's fail rule")
                body = .failed(command, error, applied: .maybe)
            case .longConnection:
                let connection = ResultPayload.LongConnection(
                    service: 0xFFE0,
                    characteristic: 0xFFE2,
                    handle: 17,
                    topic: "edge/v1/shop-3/dev/c05a00000004/notify/ffe0/ffe2",
                    lease: rules.lease,
                    already: false
                )
                body = .ok(command, confirmed: .response, payload: .longConnection(connection))
            case let other:
                Issue.record("\(command.origin.id.text): \(other)")
                continue
            }
            let stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: 0)
            let written = try parsed(ResultEncoder().encode(body, stamp: stamp).payload)
            #expect(written["result"] == shownBody["result"], "\(command.origin.id.text)")
            #expect(written["error"] == shownBody["error"] && written["status"] == shownBody["status"])
        }
        #expect(ids == ["t1", "t2", "f1", "f2", "f3", "f4"])
    }

    @Test func `the recording in the page is what the device sends`() throws {
        for packet in try framer([0x7E, 2, 0, 0x80]) {
            let line = packet.map { String(format: "%02x", $0) }.joined(separator: " ")
            #expect(page.contains("← ffe2   \(line)\n"))
        }
    }

    private func texts(_ path: String...) throws -> [String] {
        var value = JSONValue.object(commands)
        for name in path { value = try #require(value.object?[name], "no \(name) in \(path)") }
        return try #require(value.array).compactMap(\.string)
    }

    @Test func `the schema of commands has every value of an enumeration of transact`() throws {
        #expect(try texts("$defs", "parseField", "properties", "type", "enum") == ParseType.allCases.map(\.rawValue))
        let kinds = LengthField.Kind.allCases.map(\.rawValue)
        let length = try #require(commands["$defs"]?.object?["completion"]?.object?["anyOf"]?.array?.last?.object)
        let type = length["properties"]?.object?["length"]?.object?["properties"]?.object?["type"]
        #expect(type?.object?["enum"]?.array?.compactMap(\.string) == kinds)
        let entries = try #require(commands["oneOf"]?.array).compactMap(\.object)
        let transact = try #require(entries.first { $0["title"] == .string("transact") }?["properties"]?.object)
        let checksum = try #require(transact["checksum"]?.object?["properties"]?.object)
        #expect(checksum["kind"]?.object?["enum"]?.array?.compactMap(\.string) == ChecksumKind.allCases.map(\.rawValue))
        #expect(
            checksum["order"]?.object?["enum"]?.array?.compactMap(\.string)
                == ChecksumRule.Order.allCases.map(\.rawValue)
        )
        let on = transact["accept"]?.object?["properties"]?.object?["on"]
        #expect(on?.object?["enum"]?.array?.compactMap(\.string) == PacketScope.allCases.map(\.rawValue))
    }

    @Test func `the page names every type, checksum and form`() throws {
        let forms = ["packets", "bytes", "length", "suffix", "match", "idleMs"].map { "`{\"\($0)\":" }
        let names = (ParseType.allCases.map(\.rawValue) + ChecksumKind.allCases.map(\.rawValue)).map { "`\($0)`" }
        for text in forms + names + ["`\"first\"`", "`\"never\"`"] { #expect(page.contains(text), "\(text)") }
    }
}
