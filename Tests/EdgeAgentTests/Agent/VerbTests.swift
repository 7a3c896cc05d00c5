import MQTT
import TestSupport
import Testing

/// What each verb answers when all goes well.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct VerbTests {
    @Test func `ping answers on the response topic with the caller's correlation data and properties`() async throws {
        try await withAgent { gateway in
            let command = #"{"id":"p1","client":"test","verb":"ping"}"#
            try await gateway.start(command, to: "cmd", responseTopic: "reply/here", correlation: "ä b")
            let answer = try await gateway.hear("the answer") { $0.topic == "reply/here" }
            #expect(answer.message.correlationData == Array("ä b".utf8))
            #expect(answer.message.contentType == "application/json")
            #expect(answer.properties == ["status": "ok"])
            #expect(!answer.message.retain && answer.message.qos == .atLeastOnce)
            let json = answer.json
            #expect(json["id"] == "p1")
            #expect(json["client"] == "test" && json["verb"] == "ping" && json["status"] == "ok")
            #expect(json["final"] == true && json["confirmed"] == "local" && json["gw"] == "gw")
            #expect(json["result"].keys == ["version", "uptimeMs"])
            #expect(json["seq"] == 1)
            #expect(json["boot"].text?.isEmpty == false)
            #expect(json["ts"].text?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(gateway.caller.all(gateway.topic("res/")).isEmpty)
            let second = try await gateway.send("ping")
            #expect(second["seq"] == 2 && second["boot"] == json["boot"])
        }
    }
}
