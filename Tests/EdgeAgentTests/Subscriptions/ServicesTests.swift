import BlueZSimulator
import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// `discover`, the retained services, and what is told when a device changes.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct ServicesTests {
        @Test func `discover publishes all services as retained, whatever it was asked for`() async throws {
            try await withAgent(.meter()) { gateway in
                let result = try await gateway.send(
                    "discover",
                    #""services":["ffd0"],"characteristics":["ffd1","ffd3"]"#,
                    on: .meter
                )
                let services = result["result"]["services"].list
                #expect(services.map(\.["uuid"]) == ["ffd0"])
                let characteristics = services.first?["characteristics"].list ?? []
                #expect(characteristics.map(\.["uuid"]) == ["ffd1", "ffd3"])
                let gatt = try await gateway.hear(on: "dev/\(gateway.name(of: .meter))/gatt")
                #expect(gatt.message.retain)
                #expect(gatt.json.keys == ["services", "dev", "address", "gw", "boot", "seq", "ts"])
                #expect(gatt.json["dev"].text == gateway.name(of: .meter))
                let all = gatt.json["services"].list
                #expect(all.contains { $0["uuid"] == "ffe0" })
                #expect(all.first { $0["uuid"] == "ffd0" }?["characteristics"].list.count == 5)
            }
        }

        @Test(arguments: [
            (#""services":["ffd0","180a","180d"]"#, "no-service", ["180a", "180d"]),
            (#""services":["ffd0"],"characteristics":["ffd1","2a19"]"#, "no-characteristic", ["2a19"]),
            (#""services":["ffe0"],"characteristics":["ffd1"]"#, "no-characteristic", ["ffd1"]),
        ])
        func `what was asked for and is missing is named`(_ fields: String, _ code: String, _ missing: [String])
            async throws
        {
            try await withAgent(.meter()) { gateway in
                let result = try await gateway.send("discover", fields, on: .meter)
                #expect(result["status"] == "failed" && result["error"]["code"].text == code)
                #expect(result["error"]["missing"].list.compactMap(\.text) == missing)
            }
        }

        @Test func `refresh forgets the device and finds what it has become`() async throws {
            try await withAgent(.meter()) { gateway in
                #expect(try await gateway.send("discover", on: .meter)["status"] == "ok")
                var model = TestDevice.meter.model
                model.services = [ServiceModel("ffd8", [CharacteristicModel("ffd9", [.read])])]
                let changed = TestDevice(model)
                await gateway.world.remove(.meter)
                await gateway.world.add(changed)
                let mark = gateway.caller.mark
                let result = try await gateway.send("discover", #""refresh":true"#, on: .meter)
                #expect(result["status"] == "ok")
                #expect(result["result"]["services"].list.map(\.["uuid"]).contains("ffd8"))
                #expect(await gateway.world.count(of: "RemoveDevice") == 1)
                let gatt = try await gateway.hear(on: "dev/\(gateway.name(of: .meter))/gatt", from: mark) {
                    $0["services"].list.contains { $0["uuid"] == "ffd8" }
                }
                #expect(gatt.json["services"].list.allSatisfy { $0["uuid"] != "ffd0" })
            }
        }

        @Test func `services that change are told once, and published`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.send("connect", on: .meter)
                await gateway.world.setService(.meter, "ffd0", present: false)
                let gone = try await gateway.hear(event: "services")
                let gatt = "dev/\(gateway.name(of: .meter))/gatt"
                let rest = try await gateway.hear(on: gatt, from: gone.number)
                #expect(rest.message.retain)
                #expect(rest.json["services"].list.contains { $0["uuid"] == "ffe0" })
                #expect(rest.json["services"].list.allSatisfy { $0["uuid"] != "ffd0" })
                let failed = try await gateway.subscribe("ffd1")
                #expect(failed["error"]["code"] == "no-service")
                await gateway.world.setService(.meter, "ffd0", present: true)
                try await gateway.hear(on: gatt, from: rest.number + 1) {
                    $0["services"].list.contains { $0["uuid"] == "ffd0" }
                }
                #expect(try await gateway.subscribe("ffd1")["status"] == "ok")
                let events = gateway.caller.all(gateway.topic("dev/"), suffix: "/event")
                #expect(events.filter { $0.json["event"] == "services" }.count == 2)
            }
        }

        @Test func `another name of a device in use is an event`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.send("connect", on: .meter)
                await gateway.world.rename(.meter, "Meter 2")
                #expect(try await gateway.hear(event: "name").json["name"] == "Meter 2")
            }
        }
    }
}
