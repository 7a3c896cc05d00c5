import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PolicyQuestionTests {
    private let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture(limits: CommandDecoder.Limits(allMayChange: true)) }

    private func questions(_ json: String, on topic: CommandTopic = DecoderFixture.onDoor) throws -> [PolicyQuestion] {
        PolicyQuestion.questions(of: try fixture.command(json, on: topic))
    }

    @Test(arguments: [
        (
            #"{"verb":"read","service":"180f","characteristic":"2a19"}"#, VerbName.read, false,
            [AttributeSelector.battery]
        ),
        (#"{"verb":"read","handle":17}"#, .read, false, [.unknown]),
        (#"{"verb":"write","service":"180f","characteristic":"2a19","value":{"hex":"00"}}"#, .write, true, [.battery]),
        (#"{"verb":"subscribe","service":"180f","characteristic":"2a19"}"#, .subscribe, true, [.battery]),
        (#"{"verb":"unsubscribe","service":"180f","characteristic":"2a19"}"#, .unsubscribe, true, [.battery]),
        (
            #"{"verb":"transact","service":"180f","write":"2a19","notify":17,"data":{"hex":"00"}}"#, .transact, true,
            [.battery, AttributeSelector(handle: 17, service: 0x180F)]
        ),
        (#"{"verb":"transact","service":"180f","write":"2a19","data":{"hex":"00"}}"#, .transact, true, [.battery]),
        (#"{"verb":"discover","services":["180f"]}"#, .discover, false, []),
        (#"{"verb":"discover","refresh":true}"#, .discover, true, []),
        (#"{"verb":"connect"}"#, .connect, true, []),
        (#"{"verb":"rssi"}"#, .rssi, false, []),
    ])
    func `a device's command is one question about all that it touches`(
        json: String,
        verb: VerbName,
        isChanging: Bool,
        attributes: [AttributeSelector]
    ) throws {
        let question = PolicyQuestion(
            identity: nil,
            verb: verb,
            isChanging: isChanging,
            device: fixture.door,
            attributes: attributes
        )
        #expect(try questions(json) == [question])
        // Rules with characteristics may be made for just those verbs that touch some.
        #expect(verb.touchesAttributes == !attributes.isEmpty)
    }

    @Test func `the caller is the topic's level and never the label in the body`() throws {
        let json = #"{"verb":"rssi","client":"me"}"#
        #expect(try questions(json).map(\.identity) == [nil])
        #expect(try questions(json, on: .device("door", client: "me")).map(\.identity) == ["me"])
    }

    @Test func `a command by address is one for the device of that alias`() throws {
        let byAddress = CommandTopic.device("a1b2c3d4e5f6", client: nil)
        #expect(try questions(#"{"verb":"rssi"}"#, on: byAddress) == questions(#"{"verb":"rssi"}"#))
    }

    @Test func `a sequence is a question about itself, and one about each of its steps`() throws {
        let steps =
            #"[{"verb":"read","service":"180f","characteristic":"2a19"},{"verb":"connect"},"#
            + #"{"verb":"write","handle":17,"value":{"hex":"00"}}]"#
        let asked = try questions(#"{"verb":"sequence","steps":\#(steps)}"#)
        #expect(asked.map(\.verb) == [.sequence, .read, .connect, .write])
        #expect(asked.map(\.isChanging) == [true, false, true, true])
        #expect(asked.map(\.attributes) == [[.battery, .unknown], [.battery], [], [.unknown]])
        #expect(asked.allSatisfy { $0.device == fixture.door })
        let reading = try questions(#"{"verb":"sequence","steps":[{"verb":"rssi"}]}"#)
        #expect(reading.map(\.isChanging) == [false, false])
    }

    @Test func `a group's command is all its questions about each of its members`() throws {
        let group = CommandTopic.group("lights", client: "me")
        let plain = try questions(#"{"verb":"rssi"}"#, on: group)
        #expect(plain.map(\.device) == fixture.lights && plain.allSatisfy { $0.identity == "me" && !$0.isOnAll })
        let sequence = try questions(#"{"verb":"sequence","steps":[{"verb":"rssi"},{"verb":"connect"}]}"#, on: group)
        #expect(sequence.count == 6 && Set(sequence.compactMap(\.device)) == Set(fixture.lights))
    }

    @Test func `a gateway's command has no device, and says whether it came on all`() throws {
        let json = #"{"verb":"adapter.power","on":true}"#
        var question = PolicyQuestion(identity: "x", verb: .adapterPower, isChanging: true)
        #expect(try questions(json, on: .gateway(client: "x")) == [question])
        question.isOnAll = true
        #expect(try questions(json, on: .all(client: "x")) == [question])
        let connect = #"{"verb":"connect","match":{"name":"x"}}"#
        #expect(try questions(connect, on: .gateway(client: nil)).map(\.device) == [nil])
    }
}
