import Foundation
import MQTT
import TestSupport
import Testing

/// `transact` through the whole agent, against the simulator's Sim Framer.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TransactAgentTests {
    /// One example of the page: its topic, its command and the result that stands below it.
    private struct Example {
        let topic: String
        let command: String
        let result: Json
    }

    private func examples() throws -> [String: Example] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/mqtt.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let pattern =
            /-t 'edge\/v1\/shop-3\/([^']+)' -m '(\{[^']*"transact"[^']*\})'\n```\n\n[^`{]*```json\n(\{.*\})\n```/
        let found = try page.matches(of: pattern).map { match in
            let result = try #require(Json(Array(String(match.3).utf8)))
            let example = Example(topic: String(match.1), command: String(match.2), result: result)
            return (try #require(result["id"].text), example)
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    @Test func `the page's exchange goes as it is written`() async throws {
        let examples = try examples()
        try #require(examples.keys.sorted() == ["f1", "f2", "f3", "f4", "t1", "t2"])
        var setup = AgentSetup()
        setup.gateway = "shop-3"
        try await withAgent(setup) { gateway in
            // The one that takes a part of an answer comes last, so that no other meets the rest.
            for id in ["f2", "t1", "f3", "f4", "t2", "f1"] {
                let example = try #require(examples[id])
                let mark = gateway.caller.mark
                try await gateway.publish(Array(example.command.utf8), to: example.topic)
                let real = try await gateway.result(id, client: "me").json
                for key in ["status", "confirmed", "applied", "result", "error", "dev", "address", "verb"] {
                    #expect(real[key] == example.result[key], "\(id) \(key)")
                }
                guard id == "t2" else { continue }
                let topic = "dev/c05a00000004/notify/ffe0/ffe2"
                #expect(real["result"]["subscription"]["topic"].text == gateway.topic(topic))
                let last = try await gateway.hear(on: topic, from: mark, count: 4)
                #expect(last.json["value"]["hex"] == "797a7b7c7d7e7f808182838485868744")
            }
        }
    }

    private static let framed = #""checksum":{"kind":"sum8","send":true,"verify":true}"#
    private static let places =
        #""service":"ffe0","write":"ffe1","notify":"ffe2","complete":{"length":{"offset":2,"type":"u8","adjust":4}}"#

    @Test func `an answer that fails says how, and the next one comes as if nothing had been`() async throws {
        try await withAgent { gateway in
            func send(_ data: String, _ more: String = "\"packetTimeoutMs\":5000") async throws -> Json {
                let fields = "\(Self.places),\(Self.framed),\"data\":{\"hex\":\"\(data)\"},\(more)"
                return try await gateway.send("transact", fields, on: .framer)
            }
            let wrong = try await send("7e0500")
            #expect(wrong["status"] == "failed" && wrong["error"]["code"] == "bad-checksum")
            #expect(wrong["applied"] != .missing && wrong["result"] == .missing)
            let silent = try await send("7e0400", "\"packetTimeoutMs\":300")
            #expect(silent["status"] == "timeout" && silent["error"]["code"] == "timeout")
            #expect(silent["applied"] == "maybe")
            let short = try await send("7e030102", #""parse":[{"name":"far","offset":99,"type":"u8"}]"#)
            #expect(short["error"]["code"] == "parse-failed")
            #expect(short["error"]["detail"].text?.contains("far") == true)
            let cut = try await send("7e0600")
            #expect(cut["status"] == "failed" && cut["error"]["code"] == "link-lost")
            let good = try await send("7e0104deadbeef", #""parse":[{"name":"back","offset":3,"type":"hex"}]"#)
            #expect(good["status"] == "ok" && good["confirmed"] == "notified")
            #expect(good["result"]["parsed"]["back"] == "efbeadde")
        }
    }

    @Test func `a command without an answer is a write with a checksum`() async throws {
        try await withAgent { gateway in
            let fields = #""service":"ffe0","write":"ffe1","data":{"hex":"7e0400"},"mode":"request","#
            let sent = try await gateway.send(
                "transact",
                fields + #""checksum":{"kind":"sum8","send":true}"#,
                on: .framer
            )
            #expect(sent["status"] == "ok" && sent["confirmed"] == "response")
            #expect(sent["result"] == .object(["bytes": 4, "packets": 1]))
        }
    }
}
