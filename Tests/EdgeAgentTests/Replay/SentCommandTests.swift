import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SentCommandTests {
    private static let door = CommandTopic.device("door", client: nil)
    private static let plain = #"{"id":"7","client":"me","verb":"write","handle":17,"value":{"hex":"64"}}"#

    private func sent(_ text: String, on topic: CommandTopic = Self.door) -> SentCommand {
        SentCommand(topic: topic, payload: Array(text.utf8))
    }

    @Test(arguments: [
        plain,
        #"{ "value" : { "hex" : "64" }, "verb":"write", "handle":17, "client":"me","id":"7" }"#,
        #"{"id":7,"verb":"write","handle":17,"value":{"hex":"64"}}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64"},"sentAt":"2026-10-01T10:00:00Z"}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64"},"expires":"2026-10-01T10:00:00Z","ttlMs":5}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64"},"ack":true}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64"},"priority":null}"#,
        #"{"verb":"\u0077rite","handle":17,"value":{"hex":"\u00364"}}"#,
    ])
    func `the same may be written otherwise, sent at another time, and want its steps`(text: String) {
        #expect(sent(Self.plain).isSame(as: sent(text)))
        #expect(sent(text).isSame(as: sent(Self.plain)))
    }

    @Test(arguments: [
        #"{"verb":"write","handle":17,"value":{"hex":"65"}}"#,
        #"{"verb":"write","handle":18,"value":{"hex":"64"}}"#,
        #"{"verb":"write","handle":17.0,"value":{"hex":"64"}}"#,
        #"{"verb":"write","handle":"17","value":{"hex":"64"}}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64"},"timeoutMs":5000}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64"},"priority":"urgent"}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64","ack":true}}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64","x":null}}"#,
        #"{"verb":"write","handle":17}"#,
        #"{"verb":"write","handle":17,"value":{"hex":"64"}"#,
        "[]", "", "{",
    ])
    func `another is not the same`(text: String) {
        #expect(!sent(Self.plain).isSame(as: sent(text)))
        #expect(!sent(text).isSame(as: sent(Self.plain)))
    }

    @Test func `what cannot be read is the same as its own bytes alone`() {
        #expect(sent("{").isSame(as: sent("{")))
        #expect(!sent("{").isSame(as: sent("{ ")))
    }

    @Test(
        arguments: [
            (.gateway(client: "a"), .gateway(client: nil), true), (.all(client: "a"), .all(client: "b"), true),
            (.device("door", client: nil), .device("door", client: "a"), true),
            (.group("lights", client: "a"), .group("lights", client: nil), true),
            (.device("door", client: nil), .device("lamp", client: nil), false),
            (.group("lights", client: nil), .group("doors", client: nil), false),
            (.device("lights", client: nil), .group("lights", client: nil), false),
            (.gateway(client: nil), .all(client: nil), false),
            (.set(device: "door", name: "a"), .set(device: "door", name: "b"), false),
        ] as [(CommandTopic, CommandTopic, Bool)]
    )
    func `the topic counts, without the caller's level`(left: CommandTopic, right: CommandTopic, isSame: Bool) {
        #expect(sent(Self.plain, on: left).isSame(as: sent(Self.plain, on: right)) == isSame)
    }
}
