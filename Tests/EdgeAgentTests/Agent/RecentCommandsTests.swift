import BleCore
import EdgeAgent
import Testing

/// The commands that a retained copy may be a copy of.
@Suite(.timeLimit(.minutes(10)))
struct RecentCommandsTests {
    private func origin(_ client: String, _ id: String, isAnonymous: Bool = false) throws -> CommandOrigin {
        CommandOrigin(
            id: try #require(CommandID(id)),
            client: client,
            isAnonymous: isAnonymous,
            target: .gateway(all: false),
            verb: .ping,
            reply: ReplyAddress(topic: "reply/x", correlationData: nil)
        )
    }

    @Test func `a command is known by its caller and id, whoever else used the id`() throws {
        var recent = RecentCommands()
        recent.insert(try origin("a", "1"))
        recent.insert(try origin("a", "1"))
        let one = try #require(CommandID("1"))
        #expect(recent.contains(client: "a", id: one))
        #expect(!recent.contains(client: "b", id: one))
        #expect(!recent.contains(client: "a", id: try #require(CommandID("2"))))
    }

    @Test func `anonymous commands are not kept`() throws {
        var recent = RecentCommands()
        recent.insert(try origin("anonymous", "1", isAnonymous: true))
        #expect(!recent.contains(client: "anonymous", id: try #require(CommandID("1"))))
    }

    @Test func `the oldest make room`() throws {
        var recent = RecentCommands()
        for number in 0...4096 { recent.insert(try origin("a", "\(number)")) }
        #expect(!recent.contains(client: "a", id: try #require(CommandID("0"))))
        #expect(recent.contains(client: "a", id: try #require(CommandID("1"))))
        #expect(recent.contains(client: "a", id: try #require(CommandID("4096"))))
    }
}
