import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// Commands that started and did not succeed.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct FailureTests {
        private func expectFailure(
            _ answer: Json,
            _ code: String,
            status: String = "failed",
            stage: String,
            applied: Json = .missing
        ) {
            #expect(answer["status"].text == status, "\(answer)")
            #expect(answer["error"]["code"].text == code, "\(answer)")
            #expect(answer["error"]["stage"].text == stage, "\(answer)")
            #expect(answer["applied"] == applied, "\(answer)")
            #expect(answer["error"]["detail"].text?.isEmpty == false)
        }

        private static let value = #","value":{"hex":"01"}"#

        private static func attribute(_ uuid: String) -> String { #""service":"fff0","characteristic":"\#(uuid)""# }

        @Test func `without bluetoothd, without an adapter and with one that is off each command says so`() async throws
        {
            var setup = AgentSetup()
            setup.world.hasBluez = false
            try await withAgent(setup, isReady: false) { gateway in
                try await gateway.hear("absent", on: "bluetooth")
                for verb in ["connect", "discover"] {
                    let applied: Json = verb == "connect" ? "no" : .missing
                    let answer = try await gateway.send(verb, on: .battery)
                    expectFailure(answer, "bluetooth-unavailable", stage: "agent", applied: applied)
                    #expect(answer["error"]["retryable"] == true)
                }
                expectFailure(try await gateway.send("scan"), "bluetooth-unavailable", stage: "agent")
                try await gateway.world.returnToBus()
                try await gateway.hear("ready", on: "bluetooth")
                await gateway.world.setPowered(false)
                try await gateway.hear("off", on: "bluetooth")
                expectFailure(
                    try await gateway.send("connect", on: .battery),
                    "adapter-off",
                    stage: "agent",
                    applied: "no"
                )
                expectFailure(try await gateway.send("scan"), "adapter-off", stage: "agent")
                await gateway.world.unplugAdapter()
                try await gateway.hear("no-adapter", on: "bluetooth")
                expectFailure(
                    try await gateway.send("read", Gateway.level, on: .battery),
                    "adapter-missing",
                    stage: "agent"
                )
            }
        }

        @Test func `a device that is nowhere is not in range, one that does not answer ends as connect-timeout`()
            async throws
        {
            var setup = AgentSetup()
            setup.world.devices = [.deaf, .battery]
            try await withAgent(setup) { gateway in
                let nowhere = try await gateway.send("connect", #""timeoutMs":300"#, on: .heart)
                expectFailure(nowhere, "not-in-range", stage: "scan", applied: "no")
                #expect(nowhere["error"]["retryable"] == true)
                let deaf = try await gateway.send("read", Gateway.level + #","timeoutMs":4000"#, on: .deaf)
                expectFailure(deaf, "connect-timeout", status: "timeout", stage: "connect")
                #expect(deaf["error"]["dbus"] == "org.bluez.Error.Failed")
                #expect(try #require(deaf["attempt"].number) > 1)
            }
        }

        @Test func `services that do not come end as discover-timeout, and the link is dropped`() async throws {
            var setup = AgentSetup()
            setup.world.resolveDelay = .seconds(20)
            try await withAgent(setup) { gateway in
                let answer = try await gateway.send(
                    "write",
                    Gateway.level + #","timeoutMs":4000"# + Self.value,
                    on: .battery
                )
                expectFailure(answer, "discover-timeout", status: "timeout", stage: "discover", applied: "no")
                #expect(answer["error"]["retryable"] == true)
                await gateway.world.waitForCalls(of: "Disconnect")
                try await gateway.hear("disconnected", on: "dev/\(TestDevice.battery.hex)/link")
            }
        }

        @Test func `a link that ends during a read or a write is lost, and a write may have been applied`() async throws
        {
            var setup = AgentSetup()
            setup.world.attDelay = .seconds(3)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let read = try await gateway.start("read", Self.attribute("fff3"), on: .awkward)
                await gateway.world.waitForCalls(of: "ReadValue")
                await gateway.world.dropLink(.awkward)
                expectFailure(try await gateway.result(read).json, "link-lost", stage: "operate")
                let write = try await gateway.start("write", Self.attribute("fff5") + Self.value, on: .awkward)
                await gateway.world.waitForCalls(of: "WriteValue")
                await gateway.world.dropLink(.awkward)
                let answer = try await gateway.result(write).json
                expectFailure(answer, "link-lost", stage: "operate", applied: "maybe")
                #expect(answer["error"]["retryable"] == true)
            }
        }

        @Test func `an adapter that is pulled out in the middle of a read takes the link with it`() async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .seconds(3)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let mark = gateway.caller.mark
                let read = try await gateway.start("read", Self.attribute("fff3"), on: .awkward)
                await gateway.world.waitForCalls(of: "ReadValue")
                await gateway.world.unplugAdapter()
                // bluetoothd never answers the call; the end of the link is told before the object goes.
                expectFailure(try await gateway.result(read).json, "link-lost", stage: "operate")
                try await gateway.hear("disconnected", on: "dev/\(TestDevice.awkward.hex)/link", from: mark)
                try await gateway.hear("no-adapter", on: "bluetooth", from: mark)
                // The retained topic of the adapter is taken away.
                let topic = gateway.topic("adapter/hci0")
                _ = try await gateway.hear("an empty \(topic)", from: mark) {
                    $0.topic == topic && $0.message.payload.isEmpty
                }
                #expect(try await !gateway.retained().keys.contains(topic))
            }
        }

        @Test func `attributes that are not there are named`() async throws {
            try await withAgent { gateway in
                let service = try await gateway.send("read", #""service":"1234","characteristic":"2a19""#, on: .awkward)
                expectFailure(service, "no-service", stage: "discover")
                #expect(service["error"]["missing"] == ["1234"] && service["error"]["retryable"] == false)
                let characteristic = try await gateway.send("write", Self.attribute("2a19") + Self.value, on: .awkward)
                expectFailure(characteristic, "no-characteristic", stage: "discover", applied: "no")
                #expect(characteristic["error"]["missing"] == ["2a19"])
                let descriptor = try await gateway.send(
                    "read",
                    Self.attribute("fff5") + #","descriptor":"2904""#,
                    on: .awkward
                )
                expectFailure(descriptor, "no-descriptor", stage: "discover")
                #expect(descriptor["error"]["missing"] == ["2904"])
                let handle = try await gateway.send("read", #""handle":999"#, on: .awkward)
                expectFailure(handle, "no-characteristic", stage: "discover")
            }
        }

        @Test func `a UUID that stands twice is ambiguous and its handles are named`() async throws {
            try await withAgent { gateway in
                let answer = try await gateway.send("read", Self.attribute("fff1"), on: .awkward)
                expectFailure(answer, "ambiguous-characteristic", stage: "discover")
                let detail = try #require(answer["error"]["detail"].text)
                let numbers = detail.matches(of: /\b\d+\b/).map { String($0.output) }
                #expect(numbers.count == 2)
                for number in numbers {
                    #expect(try await gateway.send("read", "\"handle\":\(number)", on: .awkward)["status"] == "ok")
                }
            }
        }

        @Test func `what the attribute does not offer, does not take or refuses has a code each`() async throws {
            try await withAgent { gateway in
                let unreadable = try await gateway.send("read", Self.attribute("fff4"), on: .awkward)
                expectFailure(unreadable, "not-supported", stage: "operate")
                let unwritable = try await gateway.send("write", Self.attribute("fff3") + Self.value, on: .awkward)
                expectFailure(unwritable, "not-supported", stage: "operate", applied: "no")
                let mode = try await gateway.send(
                    "write",
                    Self.attribute("fff4") + #","mode":"request""# + Self.value,
                    on: .awkward
                )
                expectFailure(mode, "not-supported", stage: "operate", applied: "no")
                let mute = try await gateway.send("subscribe", Self.attribute("fff5"), on: .awkward)
                expectFailure(mute, "not-supported", stage: "operate", applied: "no")
                let error = try await gateway.send("read", Self.attribute("fff2"), on: .awkward)
                expectFailure(error, "att-error", stage: "operate")
                #expect(error["error"]["att"] == "0x80" && error["error"]["dbus"] == "org.bluez.Error.Failed")
                let pairing = try await gateway.send("read", Self.attribute("fff7"), on: .awkward)
                expectFailure(pairing, "needs-pairing", stage: "operate")
                let long = #","value":{"hex":"\#(String(repeating: "00", count: 62))"}"#
                let packet = try await gateway.send("write", Self.attribute("fff4") + long, on: .awkward)
                expectFailure(packet, "value-too-long", stage: "operate", applied: "no")
                let five = try await gateway.send(
                    "write",
                    Self.attribute("fff5") + #","value":{"hex":"0102030405"}"#,
                    on: .awkward
                )
                expectFailure(five, "att-error", stage: "operate", applied: "no")
                #expect(five["error"]["att"] == "0x0d")
                let passive = try await gateway.send("scan", #""mode":"passive""#)
                #expect(passive["error"]["code"] == "not-supported")
            }
        }

        @Test func `a write whose answer does not come ends as timeout, maybe applied, and the device is free again`()
            async throws
        {
            var setup = AgentSetup()
            setup.keys = ["bluetooth.settleMs": "1000"]
            setup.world.attDelay = .milliseconds(2500)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let write = try await gateway.send(
                    "write",
                    Self.attribute("fff5") + Self.value + #","timeoutMs":200"#,
                    on: .awkward
                )
                expectFailure(write, "timeout", status: "timeout", stage: "operate", applied: "maybe")
                #expect(write["error"]["retryable"] == true)
                // The link is dropped once the call has not settled in time; the next job makes a new one.
                let next = try await gateway.send("connect", on: .awkward)
                #expect(next["status"] == "ok" && next["result"]["already"] == false)
                #expect(try #require(next["timing"]["queuedMs"].number) >= 500)
                try await gateway.hear(on: "dev/\(TestDevice.awkward.hex)/event") { $0["event"] == "disconnected" }
            }
        }

        @Test func `disconnect now cancels the running job and then disconnects`() async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .seconds(2)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let write = try await gateway.start("write", Self.attribute("fff5") + Self.value, on: .awkward)
                await gateway.world.waitForCalls(of: "WriteValue")
                let waiting = try await gateway.start("read", Self.attribute("fff5"), on: .awkward)
                let disconnect = try await gateway.start("disconnect", #""now":true"#, on: .awkward)
                let cancelled = try await gateway.result(write)
                expectFailure(cancelled.json, "cancelled", status: "cancelled", stage: "operate", applied: "maybe")
                let disconnected = try await gateway.result(disconnect)
                #expect(disconnected.json["status"] == "ok" && disconnected.json["result"]["already"] == false)
                let read = try await gateway.result(waiting)
                #expect(read.json["status"] == "ok")
                #expect(cancelled.number < disconnected.number && disconnected.number < read.number)
            }
        }

        @Test func `when the bus dies during a read nobody can say what became of it`() async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .seconds(10)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let mark = gateway.caller.mark
                let read = try await gateway.start("read", Self.attribute("fff3"), on: .awkward)
                await gateway.world.waitForCalls(of: "ReadValue")
                try await gateway.world.killBus()
                let answer = try await gateway.result(read).json
                expectFailure(answer, "bus-lost", status: "unknown", stage: "operate")
                #expect(answer["error"]["retryable"] == false)
                try await gateway.hear("absent", on: "bluetooth", from: mark)
                // The log says why, in the words of the bus.
                try await gateway.agent.waitForLog(
                    "Bus not reached dbusError=org.freedesktop.DBus.Error.NoServer error="
                )
                let next = try await gateway.send("connect", on: .awkward)
                expectFailure(next, "bluetooth-unavailable", stage: "agent", applied: "no")
            }
        }

        @Test func `bluetoothd that goes away during a write leaves it unknown and maybe applied`() async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .seconds(10)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let write = try await gateway.start("write", Self.attribute("fff5") + Self.value, on: .awkward)
                await gateway.world.waitForCalls(of: "WriteValue")
                await gateway.world.leaveBus()
                let answer = try await gateway.result(write).json
                expectFailure(answer, "bus-lost", status: "unknown", stage: "operate", applied: "maybe")
            }
        }

        @Test func `a result over the limit is replaced by an error that says so`() async throws {
            var setup = AgentSetup()
            setup.keys = ["limits.maxResultBytes": "1024"]
            try await withAgent(setup) { gateway in
                let read = try await gateway.send("read", Self.attribute("fff3"), on: .awkward)
                expectFailure(read, "result-too-large", stage: "agent")
                #expect(read["error"]["retryable"] == false && read["result"] == .missing)
                let part = try await gateway.send("read", Self.attribute("fff3") + #","offset":500"#, on: .awkward)
                #expect(part["status"] == "ok")
            }
        }
    }
}
