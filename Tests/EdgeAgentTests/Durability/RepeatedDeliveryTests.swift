import EventLoop
import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// A broker that delivers a message more than once: packets as they stand on the wire.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct RepeatedDeliveryTests {
        private static let write =
            #""client":"me","verb":"write","service":"fff0","characteristic":"fff5","value":{"hex":"2a"}"#
        private static let results = "edge/v1/gw/res/"

        /// The packets of MQTT 3.1.1 that a broker sends here.
        private enum Packet {
            static func publish(_ payload: String, id: UInt16, qos: UInt8, duplicate: Bool = false) -> [UInt8] {
                let topic = Array("edge/v1/gw/dev/\(TestDevice.awkward.hex)/cmd".utf8)
                let body = number(UInt16(topic.count)) + topic + number(id) + Array(payload.utf8)
                return ScriptedBroker.packet(0x30 | qos << 1 | (duplicate ? 8 : 0), body)
            }
            static func pubrel(_ id: UInt16) -> [UInt8] { ScriptedBroker.packet(0x62, number(id)) }
            static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

            static let puback: UInt8 = 4
            static let pubrec: UInt8 = 5
            static let pubcomp: UInt8 = 7
        }

        /// Runs a body with a broker that delivers what it is told, and an agent.
        private func withDelivery(
            attDelay: Duration = .zero,
            _ body: (ScriptedBroker, AgentWorld) async throws -> Void
        ) async throws {
            let broker = try ScriptedBroker([BrokerBehaviour()])
            var options = AgentWorld.Options()
            options.devices = [.awkward]
            options.attDelay = attDelay
            try await withAgentWorld(options) { world in
                var setup = AgentSetup()
                setup.version = "3.1.1"
                let agent = try await AgentProgram.start(
                    configuration: setup.configuration(port: broker.port),
                    bus: world.busAddress
                )
                try await within("the agent") {
                    try await agent.waitForLog("agent: Subscribed ", count: 11)
                    try await broker.packets.wait { packet in
                        packet.topic == "edge/v1/gw/bluetooth" && text(packet).contains(#""state":"ready""#)
                    }
                }
                try await body(broker, world)
                try await agent.kill()
            }
        }

        /// Waits for results, as they were published.
        private func answers(_ count: Int, from broker: ScriptedBroker) async throws -> [String] {
            try await within("\(count) results") {
                try await broker.packets.wait(count) { $0.topic?.hasPrefix(Self.results) == true }
            }
            return broker.packets.all.filter { $0.topic?.hasPrefix(Self.results) == true }.map(text)
        }

        /// Waits until the agent has taken up all that was sent before.
        private func settle(_ broker: ScriptedBroker, id: UInt16) async throws {
            let topic = Self.results + "fence/1"
            let payload = #"{"id":1,"client":"fence","verb":"rssi"}"#
            broker.send(Packet.publish(payload, id: id, qos: 1))
            _ = try await within("the fence") { try await broker.packets.wait { $0.topic == topic } }
        }

        @Test func `B55 a command that is delivered again with DUP is carried out once, and acknowledged at once`()
            async throws
        {
            try await withDelivery(attDelay: .milliseconds(400)) { broker, world in
                let command = #"{"id":"one",\#(Self.write)}"#
                broker.send(Packet.publish(command, id: 7, qos: 1))
                broker.send(Packet.publish(command, id: 7, qos: 1, duplicate: true))
                await world.waitForCalls(of: "WriteValue")
                // The library is not held up by what a command takes.
                _ = try await within("both acknowledgements") {
                    try await broker.packets.wait(2) { $0.type == Packet.puback && $0.body == [0, 7] }
                }
                #expect(broker.packets.all.allSatisfy { $0.topic?.hasPrefix(Self.results) != true })
                // Both are the one command under way: the one answer is for both.
                let answers = try await answers(1, from: broker)
                #expect(answers.count == 1 && answers[0].contains(#""status":"ok""#))
                broker.send(Packet.publish(command, id: 7, qos: 1, duplicate: true))
                let repeated = try await self.answers(2, from: broker)[1]
                #expect(repeated == answers[0].dropLast() + #","replayed":true}"#)
                #expect(await world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `B55 a command of QoS 2 that comes twice before its release is carried out once`() async throws {
            try await withDelivery { broker, world in
                let command = #"{"id":"two",\#(Self.write)}"#
                broker.send(Packet.publish(command, id: 9, qos: 2))
                broker.send(Packet.publish(command, id: 9, qos: 2, duplicate: true))
                _ = try await within("both receipts") {
                    try await broker.packets.wait(2) { $0.type == Packet.pubrec && $0.body == [0, 9] }
                }
                broker.send(Packet.pubrel(9))
                broker.send(Packet.pubrel(9))
                _ = try await within("both ends") {
                    try await broker.packets.wait(2) { $0.type == Packet.pubcomp && $0.body == [0, 9] }
                }
                let first = try await answers(1, from: broker)[0]
                #expect(first.contains(#""status":"ok""#) && !first.contains("replayed"))
                try await settle(broker, id: 11)
                #expect(await world.count(of: "WriteValue") == 1)
                // Whatever the library handed over twice was answered as a repetition.
                let own = broker.packets.all.filter { $0.topic == Self.results + "me/two" }.map(text)
                #expect(own.dropFirst().allSatisfy { $0 == first.dropLast() + #","replayed":true}"# })
            }
        }

        @Test func `B55 the same id later has the answer of the first, within the window`() async throws {
            try await withDelivery { broker, world in
                let command = #"{"id":"three",\#(Self.write)}"#
                broker.send(Packet.publish(command, id: 1, qos: 1))
                let first = try await answers(1, from: broker)[0]
                // The ten seconds of the case are within the window of ten minutes as a moment is.
                broker.send(Packet.publish(command, id: 2, qos: 1))
                #expect(try await answers(2, from: broker)[1] == first.dropLast() + #","replayed":true}"#)
                #expect(await world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `B55 a command without an id is carried out as often as it is delivered`() async throws {
            try await withDelivery { broker, world in
                let command = "{\(Self.write)}"
                broker.send(Packet.publish(command, id: 3, qos: 1))
                broker.send(Packet.publish(command, id: 3, qos: 1, duplicate: true))
                let answers = try await answers(2, from: broker)
                #expect(answers.allSatisfy { $0.contains(#""status":"ok""#) && !$0.contains("replayed") })
                #expect(await world.count(of: "WriteValue") == 2)
            }
        }
    }
}

/// The payload of a PUBLISH of MQTT 3.1.1 with QoS 1.
private func text(_ packet: BrokerPacket) -> String {
    let start = 2 + (packet.topic?.utf8.count ?? 0) + (packet.flags & 6 == 0 ? 0 : 2)
    return String(decoding: packet.body.dropFirst(start), as: UTF8.self)
}
