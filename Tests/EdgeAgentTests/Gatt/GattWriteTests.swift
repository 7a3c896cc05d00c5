import TestSupport
import Testing

extension AgentLane4 {
    /// How values are cut, with which of BlueZ's types they are written, and what becomes of a refusal.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct GattWriteTests {
        private static func place(_ characteristic: String) -> String {
            #""service":"ccc0","characteristic":"\#(characteristic)""#
        }

        private static func value(_ count: Int) -> (fields: String, bytes: [UInt8]) {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return (#","value":{"hex":"\#(hex)"}"#, bytes)
        }

        /// Waits until the agent has taken up what bluetoothd says of the MTU.
        private func tell(_ mtu: UInt16, _ device: TestDevice, _ gateway: Gateway) async throws {
            await gateway.world.tellMTU(device, mtu)
            for _ in 0..<500 {
                let answer = try await gateway.send("connect", on: device)
                if answer["result"]["mtu"].number == Double(mtu) { return }
            }
            Issue.record("the agent does not take up an MTU of \(mtu)")
        }

        @Test func `B29: packets are as long as the link takes, whatever is said of its MTU, and nothing is lost`()
            async throws
        {
            let device = TestDevice.writable(toldMTU: nil)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                #expect(try await gateway.send("connect", on: device)["result"]["mtu"] == nil)
                var seen = 0
                let told: [(mtu: UInt16?, longest: Int)] = [
                    (nil, 20), (23, 20), (185, 182), (517, 512), (0, 20), (65_535, 512), (64, 61),
                ]
                for (mtu, longest) in told {
                    if let mtu { try await tell(mtu, device, gateway) }
                    for length in [0, 1, 20, 21, 100, 512, 513, 5_000] {
                        let (fields, bytes) = Self.value(length)
                        let more = fields + #","mode":"command","chunk":{"gapMs":0}"#
                        let answer = try await gateway.send("write", Self.place("ccc3") + more, on: device)
                        let writes = await gateway.world.writes().dropFirst(seen)
                        seen += writes.count
                        #expect(writes.flatMap(\.bytes) == bytes)
                        #expect(writes.allSatisfy { $0.type == "command" })
                        #expect(writes.dropLast().allSatisfy { $0.bytes.count == longest }, "MTU \(mtu ?? 0)")
                        let count = max(1, (length + longest - 1) / longest)
                        #expect(writes.count == count && (writes.last?.bytes.count ?? 0) <= longest)
                        #expect(answer["confirmed"] == "sent", "\(answer)")
                        #expect(
                            answer["result"]
                                == .object(["bytes": .number(Double(length)), "packets": .number(Double(count))])
                        )
                    }
                }
            }
        }

        @Test func `B29: a packet without response is never longer than the link takes, whatever the command asks for`()
            async throws
        {
            let device = TestDevice.writable(toldMTU: 64)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                let (fields, bytes) = Self.value(200)
                func lengths(_ place: String, _ chunk: String) async throws -> [Int] {
                    let seen = await gateway.world.writes().count
                    let answer = try await gateway.send("write", place + fields + ",\"chunk\":" + chunk, on: device)
                    #expect(answer["status"] == "ok", "\(answer)")
                    let writes = await gateway.world.writes().dropFirst(seen)
                    #expect(writes.flatMap(\.bytes) == bytes)
                    return writes.map(\.bytes.count)
                }
                let command = Self.place("ccc2")
                #expect(try await lengths(command, #"{"size":100,"gapMs":0}"#) == [61, 61, 61, 17])
                #expect(try await lengths(command, #"{"first":20,"then":512,"gapMs":0}"#) == [20, 61, 61, 58])
                #expect(try await lengths(command, #"{"size":40,"gapMs":0}"#) == [40, 40, 40, 40, 40])
                // With response BlueZ sends a long value in parts that the device puts together.
                #expect(try await lengths(Self.place("ccc1"), #"{"first":20,"then":512}"#) == [20, 180])
                #expect(try await lengths(Self.place("ccc1"), #""mtu""#) == [61, 61, 61, 17])
                let transact =
                    #""service":"ccc0","write":"ccc2","data":{"hex":"\#(String(repeating: "5a", count: 200))"}"#
                let sent = try await gateway.send("transact", transact + #","gapMs":0"#, on: device)
                #expect(sent["result"] == .object(["bytes": 200, "packets": 4]))
                #expect(await gateway.world.writes().suffix(4).map(\.bytes.count) == [61, 61, 61, 17])
            }
        }

        @Test func `B29: a value that is not to be cut is written whole or refused before any write`() async throws {
            let device = TestDevice.writable(toldMTU: 64)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                let refused: [(String, Int, String)] = [
                    ("ccc1", 513, "at most 512 bytes"), ("ccc2", 62, "at most 61 bytes"),
                    ("ccc2", 5_000, "at most 61 bytes"),
                ]
                for (characteristic, length, limit) in refused {
                    let fields = Self.place(characteristic) + Self.value(length).fields
                    let answer = try await gateway.send("write", fields, on: device)
                    #expect(answer["status"] == "failed" && answer["error"]["code"] == "value-too-long")
                    #expect(answer["error"]["stage"] == "operate" && answer["applied"] == "no")
                    #expect(answer["error"]["detail"].text?.contains(limit) == true, "\(answer)")
                }
                #expect(await gateway.world.writes().isEmpty)
                for (characteristic, length, type) in [("ccc1", 512, "request"), ("ccc2", 61, "command")] {
                    let (fields, bytes) = Self.value(length)
                    let answer = try await gateway.send("write", Self.place(characteristic) + fields, on: device)
                    #expect(answer["result"] == .object(["bytes": .number(Double(length)), "packets": 1]))
                    let last = await gateway.world.writes().last
                    #expect(last?.bytes == bytes && last?.type == type)
                }
            }
        }

        @Test func `B31: the mode follows the properties, and one that is not offered is refused before any write`()
            async throws
        {
            let device = TestDevice.writable(toldMTU: 185)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                let expected: [(characteristic: String, auto: String?, request: String?, command: String?)] = [
                    ("ccc1", "request", "request", nil), ("ccc2", "command", nil, "command"),
                    ("ccc3", "request", "request", "command"), ("ccc4", nil, nil, nil), ("ccc5", nil, nil, nil),
                ]
                for row in expected {
                    let modes = [
                        ("auto", row.auto), ("request", row.request), ("command", row.command), ("reliable", nil),
                    ]
                    for (mode, type) in modes {
                        let seen = await gateway.world.writes().count
                        let fields = Self.place(row.characteristic) + #","value":{"hex":"01"},"mode":"\#(mode)""#
                        let answer = try await gateway.send("write", fields, on: device)
                        let types = await gateway.world.writes().dropFirst(seen).map(\.type)
                        guard let type else {
                            #expect(
                                answer["error"]["code"] == "not-supported",
                                "\(row.characteristic) \(mode): \(answer)"
                            )
                            #expect(answer["applied"] == "no" && types.isEmpty)
                            continue
                        }
                        #expect(types == [type], "\(row.characteristic) \(mode)")
                        #expect(
                            answer["status"] == "ok"
                                && answer["confirmed"].text == (type == "request" ? "response" : "sent")
                        )
                    }
                }
            }
        }

        @Test func `B33: each error of a write has its code, nothing is written twice, and the link stays`()
            async throws
        {
            let device = TestDevice.writable(toldMTU: 185)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                let rows: [(error: String, text: String, code: String, att: Json, applied: Json)] = [
                    ("Failed", "Operation failed with ATT error: 0x82", "att-error", "0x82", "no"),
                    ("Failed", "Operation failed with ATT error: 0x0e", "att-error", "0x0e", "maybe"),
                    ("NotPermitted", "Write not permitted", "not-permitted", .missing, "no"),
                    ("NotPermitted", "Not paired", "needs-pairing", .missing, "no"),
                    ("NotPermitted", "Write acquired", "busy", .missing, "no"),
                    ("NotAuthorized", "Operation Not Authorized", "not-permitted", .missing, "no"),
                    ("InvalidArguments", "Invalid Length", "att-error", "0x0d", "no"),
                    ("InvalidArguments", "Invalid offset", "att-error", "0x07", "no"),
                    ("NotSupported", "Operation is not supported", "not-supported", .missing, "no"),
                    ("InProgress", "In Progress", "busy", .missing, "no"),
                    ("ImproperlyConfigured", "Improperly Configured", "att-error", "0xfd", "no"),
                    ("Failed", "Failed to initiate write", "internal", .missing, "maybe"),
                ]
                for (index, row) in rows.enumerated() {
                    await gateway.world.refuse("WriteValue", row.error, row.text)
                    let fields = Self.place("ccc1") + #","value":{"hex":"01"}"#
                    let answer = try await gateway.send("write", fields, on: device)
                    #expect(answer["status"] == "failed", "\(answer)")
                    #expect(answer["error"]["code"].text == row.code, "\(row): \(answer)")
                    #expect(answer["error"]["att"] == row.att && answer["applied"] == row.applied, "\(row): \(answer)")
                    #expect(answer["error"]["dbus"].text == "org.bluez.Error." + row.error)
                    #expect(answer["attempt"] == 1)
                    #expect(await gateway.world.writes().count == index + 1)
                }
                #expect(await gateway.world.isConnected(device))
                #expect(await gateway.world.count(of: "Connect") == 1)
                let after = try await gateway.send("write", Self.place("ccc1") + #","value":{"hex":"01"}"#, on: device)
                #expect(after["status"] == "ok")
            }
        }
    }
}
