import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// What each verb answers when all goes well.
    @Suite(.serialized, .timeLimit(.minutes(1)))
    struct VerbTests {
        @Test func `ping answers on the response topic with the caller's correlation data and properties`() async throws
        {
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

        @Test(arguments: ["5", "3.1.1"])
        func `the body of a result is the same on both versions of MQTT`(version: String) async throws {
            var setup = AgentSetup()
            setup.version = version
            setup.callerVersion = version == "5" ? .v5 : .v311
            try await withAgent(setup) { gateway in
                let id = try await gateway.start("read", Gateway.level, on: .battery)
                let read = try await gateway.result(id)
                #expect(
                    read.json.keys == [
                        "id", "client", "dev", "address", "verb", "status", "final", "confirmed", "result", "timing",
                        "attempt", "gw", "boot", "seq", "ts",
                    ]
                )
                #expect(read.properties == (version == "5" ? ["status": "ok"] : [:]))
                let failedID = try await gateway.start(
                    "read",
                    #""service":"180f","characteristic":"2a00""#,
                    on: .battery
                )
                let failed = try await gateway.result(failedID)
                #expect(
                    failed.json.keys == [
                        "id", "client", "dev", "address", "verb", "status", "final", "error", "timing", "attempt", "gw",
                        "boot", "seq", "ts",
                    ]
                )
                let both = ["status": "failed", "code": "no-characteristic"]
                #expect(failed.properties == (version == "5" ? both : [:]))
            }
        }

        @Test func `info tells version, verbs, limits and that there is no journal`() async throws {
            var setup = AgentSetup()
            setup.keys = ["limits.maxQueuedPerDevice": "7", "limits.maxResultBytes": "5000"]
            try await withAgent(setup) { gateway in
                let answer = try await gateway.send("info")
                #expect(answer["status"] == "ok" && answer["confirmed"] == "local")
                let info = answer["result"]
                #expect(info["mqtt"] == "5" || info["mqttVersion"] == "5")
                #expect(info["limits"]["maxQueuedPerDevice"] == 7)
                #expect(info["limits"]["maxResultBytes"] == 5000)
                #expect(info["limits"]["maxPayloadBytes"] == 262_144)
                #expect(
                    info["verbs"].list.contains("scan.start") && info["verbs"].list.contains("diag")
                        && !info["verbs"].list.contains("log.level")
                )
                let retained = try await gateway.hear(on: "info")
                #expect(retained.message.retain)
                #expect(retained.json["limits"] == info["limits"] && retained.json["verbs"] == info["verbs"])
            }
        }

        @Test func `a device is connected once, and connect and disconnect say whether it was so before`() async throws
        {
            try await withAgent { gateway in
                let first = try await gateway.send("connect", on: .heart)
                #expect(first["status"] == "ok" && first["confirmed"] == "response")
                #expect(first["dev"] == "c05a00000002" && first["address"] == "c05a00000002")
                #expect(first["result"]["already"] == false && first["result"]["address"] == "c05a00000002")
                #expect(first["result"].keys == ["mtu", "already", "address"])
                #expect(first["timing"].keys == ["queuedMs", "connectMs", "runMs"] && first["attempt"] == 1)
                #expect(await gateway.world.isConnected(.heart))
                #expect(try await gateway.send("connect", on: .heart)["result"]["already"] == true)
                let gone = try await gateway.send("disconnect", on: .heart)
                #expect(gone["status"] == "ok" && gone["result"] == .object(["already": false]))
                #expect(await !gateway.world.isConnected(.heart))
                #expect(try await gateway.send("disconnect", on: .heart)["result"]["already"] == true)
            }
        }

        @Test func `connect by a filter finds the device and names it`() async throws {
            try await withAgent { gateway in
                let answer = try await gateway.send("connect", #""match":{"namePrefix":"Sim Heart"}"#)
                #expect(answer["status"] == "ok")
                #expect(answer["dev"] == "c05a00000002" && answer["result"]["dev"] == "c05a00000002")
                #expect(await gateway.world.isConnected(.heart))
                let nobody = try await gateway.send("connect", #""match":{"name":"Nobody"},"timeoutMs":300"#)
                #expect(nobody["status"] == "failed" && nobody["error"]["code"] == "not-in-range")
                #expect(nobody["error"]["stage"] == "scan" && nobody["applied"] == "no")
            }
        }

        @Test func `discover gives the tree, or the part of it that was asked for`() async throws {
            try await withAgent { gateway in
                let all = try await gateway.send("discover", on: .awkward)
                #expect(all["status"] == "ok" && all["confirmed"] == "read")
                let service = try #require(all["result"]["services"].list.first { $0["uuid"] == "fff0" })
                #expect(service["primary"] == true && service["includes"] == [])
                let uuids = service["characteristics"].list.map(\.["uuid"])
                #expect(uuids == ["fff1", "fff1", "fff2", "fff3", "fff4", "fff5", "fff6", "fff7"])
                let labelled = service["characteristics"][5]
                #expect(labelled["properties"] == ["read", "write"])
                #expect(labelled["descriptors"].list.map(\.["uuid"]) == ["2901"])
                #expect(labelled["handle"].number != nil)
                let part = try await gateway.send(
                    "discover",
                    #""services":["FFF0"],"characteristics":["fff4"]"#,
                    on: .awkward
                )
                let kept = part["result"]["services"].list
                #expect(kept.count == 1 && kept.first?["characteristics"].list.map(\.["uuid"]) == ["fff4"])
                let missing = try await gateway.send("discover", #""services":["fff0","180a","1234"]"#, on: .awkward)
                #expect(missing["error"]["code"] == "no-service" && missing["error"]["missing"] == ["180a", "1234"])
            }
        }

        @Test func `discover with refresh forgets the device and finds it again`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let answer = try await gateway.send("discover", #""refresh":true"#, on: .awkward)
                #expect(answer["status"] == "ok")
                #expect(!answer["result"]["services"].list.isEmpty)
                #expect(await gateway.world.count(of: "RemoveDevice") == 1)
            }
        }

        @Test func `read gives a value by UUID, handle, offset and descriptor`() async throws {
            try await withAgent { gateway in
                let byUUID = try await gateway.send("read", #""service":"fff0","characteristic":"fff5""#, on: .awkward)
                #expect(byUUID["status"] == "ok" && byUUID["confirmed"] == "read" && byUUID["applied"] == .missing)
                #expect(byUUID["result"] == .object(["value": .object(["hex": "00"])]))
                let tree = try await gateway.send("discover", on: .awkward)
                let service = try #require(tree["result"]["services"].list.first { $0["uuid"] == "fff0" })
                let second = try #require(service["characteristics"][1]["handle"].number)
                let byHandle = try await gateway.send("read", "\"handle\":\(Int(second))", on: .awkward)
                #expect(byHandle["result"]["value"]["hex"] == "02")
                let rest = try await gateway.send(
                    "read",
                    #""service":"fff0","characteristic":"fff3","offset":510"#,
                    on: .awkward
                )
                #expect(rest["result"]["value"]["hex"] == "a5a5")
                let label = #""service":"fff0","characteristic":"fff5","descriptor":"2901""#
                let descriptor = try await gateway.send("read", label, on: .awkward)
                #expect(descriptor["result"]["value"]["hex"] == "6c6162656c")
            }
        }

        @Test func `write tells what the device confirmed and in how many packets`() async throws {
            try await withAgent { gateway in
                let value = #""value":{"hex":"01 02"}"#
                let confirmed = try await gateway.send(
                    "write",
                    #""service":"fff0","characteristic":"fff5","# + value,
                    on: .awkward
                )
                #expect(confirmed["status"] == "ok" && confirmed["confirmed"] == "response")
                #expect(confirmed["result"] == .object(["bytes": 2, "packets": 1]))
                let read = try await gateway.send("read", #""service":"fff0","characteristic":"fff5""#, on: .awkward)
                #expect(read["result"]["value"]["hex"] == "0102")
                let sent = try await gateway.send(
                    "write",
                    #""service":"fff0","characteristic":"fff4","# + value,
                    on: .awkward
                )
                #expect(sent["status"] == "ok" && sent["confirmed"] == "sent")
                let long = #""value":{"hex":"\#(String(repeating: "ab", count: 100))"},"chunk":{"size":20,"gapMs":1}"#
                let cut = try await gateway.send(
                    "write",
                    #""service":"fff0","characteristic":"fff4","# + long,
                    on: .awkward
                )
                #expect(cut["result"] == .object(["bytes": 100, "packets": 5]))
                let label = #""service":"fff0","characteristic":"fff5","descriptor":"2901","value":{"utf8":"x"}"#
                #expect(try await gateway.send("write", label, on: .awkward)["status"] == "ok")
            }
        }

        @Test func `scan hears what is on the air, and rssi tells what was heard last`() async throws {
            var setup = AgentSetup()
            setup.aliases = [("belt", .heart)]
            setup.world.devices = [
                .heart.advertising(every: .milliseconds(50)), .ruuvi.advertising(every: .milliseconds(50)),
            ]
            try await withAgent(setup) { gateway in
                let never = try await gateway.send("rssi", on: .heart)
                #expect(never["status"] == "failed" && never["error"]["code"] == "not-in-range")
                let answer = try await gateway.send("scan", #""durationMs":250"#)
                #expect(answer["status"] == "ok" && answer["confirmed"] == "local")
                #expect(answer["result"]["truncated"] == false)
                let devices = answer["result"]["devices"].list
                #expect(devices.count == 2)
                let belt = try #require(devices.first { $0["address"] == "c05a00000002" })
                #expect(belt["dev"] == "belt" && belt["name"] == "Sim Heart" && belt["addressType"] == "random")
                #expect(belt["uuids"] == ["180d", "180f"] && belt["adapter"] == "hci0")
                #expect(try #require(belt["rssi"].number) < 0)
                #expect(try #require(belt["signals"].number) >= 1)
                #expect(belt["first"].text != nil && belt["last"].text != nil && belt["txPower"] == nil)
                let beacon = try #require(devices.first { $0["address"] == "c05a00000013" })
                #expect(beacon["manufacturer"]["0499"].text != nil)
                let filtered = try await gateway.send("scan", #""durationMs":200,"services":["180d"]"#)
                #expect(filtered["result"]["devices"].list.map(\.["dev"]) == ["belt"])
                let rssi = try await gateway.send("rssi", on: .heart)
                #expect(rssi["status"] == "ok" && rssi["result"]["source"] == "advertisement")
                #expect(try #require(rssi["result"]["rssi"].number) < 0)
                #expect(rssi["result"]["ageMs"].number != nil)
            }
        }

        @Test func `devices lists what BlueZ knows and which of them have a link`() async throws {
            try await withAgent { gateway in
                #expect(try await gateway.send("devices")["result"]["devices"] == [])
                _ = try await gateway.send("connect", on: .battery)
                _ = try await gateway.send("scan", #""durationMs":600,"namePrefix":"Awk""#)
                let all = try await gateway.send("devices")["result"]["devices"].list
                let battery = try #require(all.first { $0["address"] == "c05a00000003" })
                #expect(battery["link"] == "resolved" && battery["bonded"] == false && battery["alias"] == nil)
                #expect(
                    battery.keys == [
                        "dev", "address", "addressType", "name", "alias", "link", "paired", "bonded", "trusted", "rssi",
                        "last",
                    ]
                )
                let linked = try await gateway.send("devices", #""connected":true"#)["result"]["devices"].list
                #expect(linked.map(\.["address"]) == ["c05a00000003"])
                #expect(try await gateway.send("devices", #""bonded":true"#)["result"]["devices"] == [])
            }
        }

        @Test func `adapter power says whether it was so before and is told on the topics`() async throws {
            try await withAgent { gateway in
                #expect(try await gateway.send("adapter.power", #""on":true"#)["result"]["already"] == true)
                let mark = gateway.caller.mark
                let off = try await gateway.send("adapter.power", #""on":false,"adapter":"hci0""#)
                #expect(off["status"] == "ok" && off["result"]["already"] == false)
                try await gateway.hear("off", on: "bluetooth", from: mark)
                try await gateway.hear(on: "adapter/hci0", from: mark) { $0["powered"] == false }
                let missing = try await gateway.send("adapter.power", #""on":true,"adapter":"hci9""#)
                #expect(missing["error"]["code"] == "adapter-missing" && missing["applied"] == "no")
                #expect(missing["error"]["retryable"] == true && missing["error"]["stage"] == "agent")
                #expect(try await gateway.send("adapter.power", #""on":true"#)["result"]["already"] == false)
            }
        }

        @Test func `a command without client and id is answered as anonymous under an id of the agent's making`()
            async throws
        {
            try await withAgent { gateway in
                try await gateway.publish(#"{"verb":"ping"}"#.utf8, to: "cmd")
                let answer = try await gateway.hear("the answer") {
                    $0.topic.hasPrefix(gateway.topic("res/anonymous/"))
                }
                #expect(answer.json["client"] == "anonymous")
                #expect(answer.json["id"].text.map { answer.topic.hasSuffix("/\($0)") } == true)
                try await gateway.publish(#"{"verb":"ping","id":12,"client":"numbers","zzz":1}"#.utf8, to: "cmd")
                let numbered = try await gateway.result("12", client: "numbers")
                #expect(numbered.json["id"] == 12)
                #expect(numbered.json["warnings"].list.count == 1)
            }
        }

        @Test func `correlation data stands for the id, and the user property client for the client`() async throws {
            try await withAgent { gateway in
                try await gateway.publish(#"{"verb":"ping"}"#.utf8, to: "cmd") {
                    $0.correlationData = Array("job-7".utf8)
                    $0.userProperties = [MQTTUserProperty("client", "prop")]
                }
                let answer = try await gateway.result("job-7", client: "prop")
                #expect(answer.message.correlationData == Array("job-7".utf8))
                #expect(answer.json["id"] == "job-7" && answer.json["client"] == "prop")
            }
        }

        @Test func `a command to all gateways is answered by each, if it only reads`() async throws {
            try await withAgent { gateway in
                let all = "edge/v1/all/cmd/test"
                func payload(_ text: String) -> MQTTPublication {
                    MQTTPublication(topic: all, payload: Array(text.utf8))
                }
                try await gateway.caller.publish(payload(#"{"id":"a1","verb":"ping","jitterMs":0}"#))
                #expect(try await gateway.result("a1").json["status"] == "ok")
                try await gateway.caller.publish(payload(#"{"id":"a2","verb":"ping","jitterMs":50}"#))
                #expect(try await gateway.result("a2").json["status"] == "ok")
                try await gateway.caller.publish(payload(#"{"id":"a3","verb":"adapter.power","on":false}"#))
                let denied = try await gateway.result("a3").json
                #expect(denied["status"] == "rejected" && denied["error"]["code"] == "denied")
                #expect(denied["applied"] == "no")
            }
        }
    }
}
