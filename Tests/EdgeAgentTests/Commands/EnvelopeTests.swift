import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct EnvelopeTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    @Test func `B57: ids come back as they were given`() throws {
        let text = try fixture.command(#"{"id":"7f3c","client":"nodered-1","verb":"rssi"}"#).origin
        #expect(text.id.text == "7f3c" && text.id.echo == .text("7f3c"))
        #expect(text.client == "nodered-1" && !text.isAnonymous && text.identity == nil)
        #expect(text.reply == ReplyAddress(topic: "edge/v1/shop-3/res/nodered-1/7f3c"))
        let number = try fixture.command(#"{"id":7,"verb":"rssi"}"#).origin
        #expect(number.id.text == "7" && number.id.echo == .number(7))
        let negative = try fixture.command(#"{"id":-9223372036854775808,"verb":"rssi"}"#).origin
        #expect(negative.id.text == "-9223372036854775808" && negative.id.echo == .number(.min))
    }

    @Test func `B57: a missing id is made, and told`() throws {
        for text in [#"{"verb":"rssi"}"#, #"{"id":null,"verb":"rssi"}"#] {
            let origin = try fixture.command(text).origin
            #expect(origin.id.text == "made-1" && origin.id.echo == .text("made-1"))
            #expect(origin.client == "anonymous" && origin.isAnonymous)
            #expect(origin.reply.topic == "edge/v1/shop-3/res/anonymous/made-1")
        }
    }

    @Test(
        arguments: [
            (#""""#, .text("")), (#""a b""#, .text("a b")), (#""ü""#, .text("ü")), (#""a/b""#, .text("a/b")),
            ("7.0", .null),
            ("true", .null), ("[1]", .null), ("{}", .null), ("1e3", .null),
            ("\"\(String(repeating: "x", count: 300))\"", .text(String(repeating: "x", count: 300))),
            ("\"\(String(repeating: "x", count: 1024))\"", .text(String(repeating: "x", count: 1024))),
            ("\"\(String(repeating: "x", count: 1025))\"", .null),
        ] as [(String, CommandID.Echo)]
    ) func `B57: an id that does not fit is refused and echoed`(id: String, echo: CommandID.Echo)
        throws
    {
        let refusal = try fixture.refusal("{\"id\":\(id),\"client\":\"ha\",\"verb\":\"rssi\"}")
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.origin.id.text == "made-1")
        #expect(refusal.origin.id.echo == echo)
        #expect(refusal.origin.reply.topic == "edge/v1/shop-3/res/ha/made-1")
    }

    @Test func `the longest id is taken`() throws {
        let id = String(repeating: "x", count: 64)
        #expect(try fixture.command("{\"id\":\"\(id)\",\"verb\":\"rssi\"}").origin.id.text == id)
    }

    @Test func `the level of the topic is the caller's identity`() throws {
        let topic = CommandTopic.device("door", client: "ha")
        let origin = try fixture.command(#"{"id":1,"verb":"rssi"}"#, on: topic).origin
        #expect(origin.client == "ha" && origin.identity == "ha" && !origin.isAnonymous)
        #expect(try fixture.command(#"{"id":1,"client":"ha","verb":"rssi"}"#, on: topic).origin.identity == "ha")
        #expect(try fixture.command(#"{"id":1,"client":"ha","verb":"rssi"}"#).origin.identity == nil)
    }

    @Test func `two names of one caller conflict`() throws {
        let topic = CommandTopic.device("door", client: "ha")
        let level = try fixture.refusal(#"{"id":1,"client":"other","verb":"rssi"}"#, on: topic)
        #expect(level.error.code == .conflictingEnvelope)
        #expect(level.origin.client == "ha" && level.origin.id.echo == .number(1))
        let property = IncomingCommand.Properties(client: "other")
        #expect(
            try fixture.refusal(#"{"client":"ha","verb":"rssi"}"#, properties: property).error.code
                == .conflictingEnvelope
        )
        #expect(
            try fixture.refusal(#"{"verb":"rssi"}"#, on: topic, properties: property).error.code == .conflictingEnvelope
        )
        let same = IncomingCommand.Properties(client: "ha")
        #expect(
            try fixture.command(#"{"client":"ha","verb":"rssi"}"#, on: topic, properties: same).origin.client == "ha"
        )
        #expect(try fixture.command(#"{"verb":"rssi"}"#, properties: same).origin.client == "ha")
    }

    @Test(arguments: ["\"a b\"", "7", "true", "\"\"", "\"ü\"", "\"a/b\"", "\"+\""])
    func `a caller's name that does not fit is refused and replaced`(client: String) throws {
        let refusal = try fixture.refusal("{\"id\":1,\"client\":\(client),\"verb\":\"rssi\"}")
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.contains("client"))
        #expect(refusal.origin.client == "anonymous")
        #expect(refusal.origin.reply.topic == "edge/v1/shop-3/res/anonymous/1")
        let onLevel = try fixture.refusal(
            "{\"id\":1,\"client\":\(client),\"verb\":\"rssi\"}",
            on: .device("door", client: "ha")
        )
        #expect(onLevel.origin.client == "ha")
    }

    @Test func `a level that does not fit is refused and replaced`() throws {
        for level in ["", "a b", "ü", String(repeating: "x", count: 65)] {
            let refusal = try fixture.refusal(#"{"id":1,"verb":"rssi"}"#, on: .device("door", client: level))
            #expect(refusal.error.code == .badRequest)
            #expect(refusal.origin.client == "anonymous" && refusal.origin.identity == nil)
        }
        let property = IncomingCommand.Properties(client: "a b")
        #expect(try fixture.refusal(#"{"verb":"rssi"}"#, properties: property).error.code == .badRequest)
    }

    @Test func `correlation data is the id when there is none`() throws {
        let fits = IncomingCommand.Properties(correlationData: Array("req-1".utf8))
        let origin = try fixture.command(#"{"verb":"rssi"}"#, properties: fits).origin
        #expect(origin.id.text == "req-1" && origin.id.echo == .text("req-1"))
        #expect(origin.reply.correlationData == Array("req-1".utf8))
        // printf '\x00\xff' | sha256sum
        let opaque = IncomingCommand.Properties(correlationData: [0x00, 0xFF])
        let hashed = try fixture.command(#"{"verb":"rssi"}"#, properties: opaque).origin
        #expect(hashed.id.text == "06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8")
        #expect(hashed.reply.correlationData == [0x00, 0xFF])
        let both = try fixture.command(#"{"id":"x","verb":"rssi"}"#, properties: fits).origin
        #expect(both.id.text == "x" && both.reply.correlationData == Array("req-1".utf8))
    }

    @Test func `an answer goes to the response topic where that is allowed`() throws {
        let reply = IncomingCommand.Properties(responseTopic: "reply/ha/1", correlationData: [1])
        let origin = try fixture.command(#"{"client":"ha","verb":"rssi"}"#, properties: reply).origin
        #expect(origin.reply == ReplyAddress(topic: "reply/ha/1", correlationData: [1]))
        let own = IncomingCommand.Properties(responseTopic: "edge/v1/shop-3/res/ha/inbox")
        #expect(
            try fixture.command(#"{"client":"ha","verb":"rssi"}"#, properties: own).origin.reply.topic
                == "edge/v1/shop-3/res/ha/inbox"
        )
        let refused = try fixture.refusal(#"{"verb":"explode"}"#, properties: reply)
        #expect(refused.origin.reply.topic == "reply/ha/1")
        let unreadable = try fixture.refusal("{", properties: reply)
        #expect(unreadable.origin.reply == ReplyAddress(topic: "reply/ha/1", correlationData: [1]))
    }

    @Test func `a denied response topic is told on the default one`() throws {
        let other = IncomingCommand.Properties(responseTopic: "edge/v1/shop-3/res/other/x", correlationData: [1])
        let refusal = try fixture.refusal(#"{"id":5,"client":"ha","verb":"rssi"}"#, properties: other)
        #expect(refusal.error.code == .responseTopicDenied)
        #expect(refusal.origin.reply == ReplyAddress(topic: "edge/v1/shop-3/res/ha/5", correlationData: [1]))
        #expect(refusal.origin.id.echo == .number(5))
        for topic in ["", "edge/v1/shop-3/cmd", "reply/+", "edge/v1/shop-3/status", "$SYS/x"] {
            let denied = try fixture.refusal(#"{"verb":"rssi"}"#, properties: .init(responseTopic: topic))
            #expect(denied.error.code == .responseTopicDenied, "\(topic)")
        }
    }

    @Test func `retained commands never run`() throws {
        let text = #"{"id":"a","client":"ha","verb":"rssi"}"#
        let refusal = try #require(fixture.decode(text, retained: true).refusal)
        #expect(refusal.error.code == .retainedCommand)
        #expect(refusal.origin.id.echo == .text("a") && refusal.origin.client == "ha")
        #expect(fixture.decode(text, retained: true, known: ["ha/a"]).ignored == .retainedCopy)
        #expect(fixture.decode(#"{"verb":"rssi"}"#, retained: true).ignored == .retainedWithoutID)
        #expect(fixture.decode(#"{"id":{},"verb":"rssi"}"#, retained: true).ignored == .retainedWithoutID)
        #expect(fixture.decode("{", retained: true).ignored == .retainedWithoutID)
        #expect(fixture.decode("on", on: .set(device: "door", name: "x"), retained: true).ignored == .retainedWithoutID)
        #expect(fixture.decode("", retained: true).ignored == .emptyPayload)
        let data = IncomingCommand.Properties(correlationData: Array("c".utf8))
        #expect(
            fixture.decode(#"{"verb":"rssi"}"#, retained: true, properties: data).refusal?.error.code
                == .retainedCommand
        )
        #expect(fixture.decode(text, known: ["ha/a"]).command?.request == .rssi)
    }

    @Test func `an alias and its address reach one device`() throws {
        let byAlias = try fixture.command(#"{"verb":"rssi"}"#).origin.device
        let byAddress = try fixture.command(#"{"verb":"rssi"}"#, on: .device("a1b2c3d4e5f6", client: nil)).origin.device
        #expect(byAlias == fixture.door && byAddress == fixture.door)
        let other = try fixture.command(#"{"verb":"rssi"}"#, on: .device("000000000001", client: nil)).origin.device
        #expect(other?.name.description == "000000000001")
    }

    @Test(arguments: [
        "", "../../x", "AA:BB:CC:DD:EE:F\u{e9}", "AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF/char", "A1B2C3D4E5F6",
        "window", "a b", "+",
        "#", "\u{1}",
    ]) func `B87: a name that is no device is an unknown device`(name: String) throws {
        let refusal = try fixture.refusal(#"{"id":"a","verb":"rssi"}"#, on: .device(name, client: nil))
        #expect(refusal.error.code == .unknownDevice)
        #expect(refusal.origin.id.echo == .text("a"))
        #expect(refusal.origin.device == nil)
        let set = try fixture.refusal("on", on: .set(device: name, name: "light"))
        #expect(set.error.code == .unknownDevice)
    }

    @Test func `a group is unknown that is not configured`() throws {
        #expect(try fixture.refusal(#"{"verb":"rssi"}"#, on: .group("lamps", client: nil)).error.code == .unknownGroup)
        #expect(fixture.decode(#"{"state":"lost"}"#, on: .status).ignored == .notACommand)
    }

    @Test func `a bare value is a run by the caller set`() throws {
        let set = try fixture.command("true", on: .set(device: "door", name: "light"))
        #expect(set.request == .run(RunRequest(name: "light", arguments: .bare("true"))))
        #expect(set.origin.client == "set" && set.origin.identity == "set" && set.origin.device == fixture.door)
        #expect(set.origin.reply.topic == "edge/v1/shop-3/res/set/made-1" && set.origin.replayKey == nil)
        #expect(set.request.changesSomething && set.expiry.monotonic > .zero)
        #expect(try fixture.refusal("1", on: .set(device: "no", name: "light")).error.code == .unknownDevice)
        #expect(try fixture.refusal("1", on: .set(device: "door", name: "A b")).error.code == .unknownCommand)
        let long = String(repeating: "x", count: RunRequest.maxTextBytes + 1)
        #expect(try fixture.refusal(long, on: .set(device: "door", name: "light")).error.code == .badRequest)
        #expect(fixture.decode("", on: .set(device: "door", name: "light")).ignored == .emptyPayload)
    }
}
