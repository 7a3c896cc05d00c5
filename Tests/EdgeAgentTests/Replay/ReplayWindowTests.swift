import EdgeAgent
import Journal
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReplayWindowTests {
    private static let first = ReplyAddress(topic: "edge/v1/gw/res/me/1")

    private func window(span: Int = 600, commands: Int = 100, bytes: Int = 1_000_000) -> ReplayWindow {
        ReplayWindow(bounds: .init(span: .seconds(span), commands: commands, bytes: bytes))
    }

    private func key(_ id: String, client: String = "me", isIdentified: Bool = true) -> ReplayWindow.Key {
        ReplayWindow.Key(client: client, isIdentified: isIdentified, id: id)
    }

    private func sent(_ text: String = #"{"verb":"ping"}"#) -> SentCommand {
        SentCommand(topic: .gateway(client: "me"), payload: Array(text.utf8))
    }

    private func answer(_ text: String = "{}") -> EncodedResult {
        EncodedResult(reply: Self.first, payload: Array(text.utf8), status: .ok, code: nil)
    }

    /// A command comes in, `now` seconds after the epoch.
    private func admit(
        _ key: ReplayWindow.Key,
        _ sent: SentCommand? = nil,
        to reply: ReplyAddress = Self.first,
        expiry: Int = 0,
        at now: Int,
        in window: inout ReplayWindow
    ) -> ReplayWindow.Admission {
        window.admit(key, sent ?? self.sent(), reply: reply, expiry: .seconds(expiry), now: .seconds(now))
    }

    /// A command comes in, is answered, and the broker has the answer.
    private func carryOut(_ key: ReplayWindow.Key, at now: Int, in window: inout ReplayWindow) {
        #expect(admit(key, at: now, in: &window) == .new)
        #expect(window.end(key, with: answer(key.id)) == [Self.first])
        window.acknowledged(key)
    }

    @Test func `a command is new, then under way, then answered`() {
        var window = window()
        #expect(admit(key("1"), at: 0, in: &window) == .new)
        #expect(admit(key("1"), at: 1, in: &window) == .joined)
        #expect(window.end(key("1"), with: answer("a")) == [Self.first])
        #expect(admit(key("1"), at: 2, in: &window) == .replay(answer("a")))
        #expect(admit(key("1"), at: 3, in: &window) == .replay(answer("a")))
        #expect(window.count == 1)
    }

    @Test func `one answer goes to each place that asked, once, in the order of asking`() {
        var window = window()
        let other = ReplyAddress(topic: "reply/x", correlationData: [1])
        let third = ReplyAddress(topic: "reply/x", correlationData: [2])
        #expect(admit(key("1"), at: 0, in: &window) == .new)
        for reply in [other, Self.first, third, other] {
            #expect(admit(key("1"), to: reply, at: 0, in: &window) == .joined)
        }
        #expect(window.end(key("1"), with: answer()) == [Self.first, other, third])
        #expect(window.end(key("1"), with: answer("b")) == nil)
        #expect(admit(key("1"), at: 0, in: &window) == .replay(answer()))
    }

    @Test func `an id that stood for another command conflicts, and the first goes on`() {
        var window = window()
        #expect(admit(key("1"), at: 0, in: &window) == .new)
        let other = sent(#"{"verb":"info"}"#)
        #expect(admit(key("1"), other, to: ReplyAddress(topic: "reply/x"), at: 0, in: &window) == .conflict)
        #expect(window.end(key("1"), with: answer()) == [Self.first])
        #expect(admit(key("1"), other, at: 0, in: &window) == .conflict)
        #expect(admit(key("1"), at: 0, in: &window) == .replay(answer()))
    }

    @Test func `callers and ids are told apart, and a vouched name from a label`() {
        var window = window()
        for key in [key("1"), key("2"), key("1", client: "you"), key("1", isIdentified: false)] {
            #expect(admit(key, at: 0, in: &window) == .new)
            #expect(window.contains(key))
        }
        #expect(window.count == 4)
        #expect(!window.contains(key("2", isIdentified: false)))
    }

    @Test(arguments: [(0, 600), (500, 600), (900, 900)])
    func `a command is remembered for the window, or until it cannot start any more`(expiry: Int, end: Int) {
        var window = window(span: 600)
        #expect(admit(key("1"), expiry: expiry, at: 0, in: &window) == .new)
        #expect(window.end(key("1"), with: answer()) != nil)
        window.acknowledged(key("1"))
        #expect(admit(key("1"), expiry: expiry, at: end - 1, in: &window) == .replay(answer()))
        #expect(admit(key("1"), sent(#"{"verb":"info"}"#), at: end, in: &window) == .new)
        #expect(window.count == 1)
    }

    @Test func `a command is never forgotten before its answer is with the broker`() {
        var window = window(span: 10)
        #expect(admit(key("1"), at: 0, in: &window) == .new)
        window.prune(now: .seconds(1000))
        #expect(admit(key("1"), at: 1000, in: &window) == .joined)
        #expect(window.end(key("1"), with: answer()) != nil)
        window.prune(now: .seconds(2000))
        #expect(admit(key("1"), at: 2000, in: &window) == .replay(answer()))
        window.acknowledged(key("1"))
        #expect(admit(key("1"), at: 2000, in: &window) == .new)
    }

    @Test func `what is older than the window is pruned, the bytes with it`() {
        var window = window(span: 10)
        carryOut(key("1"), at: 0, in: &window)
        carryOut(key("2"), at: 5, in: &window)
        let both = window.bytes
        window.prune(now: .seconds(10))
        #expect(!window.contains(key("1")) && window.contains(key("2")))
        #expect(window.bytes * 2 == both)
        window.prune(now: .seconds(15))
        #expect(window.count == 0 && window.bytes == 0)
        carryOut(key("1"), at: 16, in: &window)
        #expect(window.bytes * 2 == both)
    }

    @Test func `past the bound of commands the oldest that are answered go`() {
        var window = window(commands: 3)
        #expect(admit(key("0"), at: 0, in: &window) == .new)
        for number in 1...5 { carryOut(key("\(number)"), at: number, in: &window) }
        #expect(window.count == 3)
        // The one under way stays, whatever its age.
        #expect((0...5).map { window.contains(key("\($0)")) } == [true, false, false, false, true, true])
        #expect(window.end(key("0"), with: answer("0")) == [Self.first])
        window.acknowledged(key("0"))
        carryOut(key("6"), at: 6, in: &window)
        #expect((0...6).map { window.contains(key("\($0)")) } == [false, false, false, false, true, true, true])
    }

    @Test func `commands under way may be more than the bound`() {
        var window = window(commands: 2)
        for number in 0..<10 { #expect(admit(key("\(number)"), at: 0, in: &window) == .new) }
        #expect(window.count == 10)
        for number in 0..<10 {
            #expect(window.end(key("\(number)"), with: answer("\(number)")) == [Self.first])
            window.acknowledged(key("\(number)"))
        }
        #expect(admit(key("x"), at: 0, in: &window) == .new)
        #expect(window.count == 2 && window.contains(key("9")) && window.contains(key("x")))
    }

    @Test func `past the bound of bytes the oldest that are answered go, a large answer's own not before it is out`() {
        var window = window(bytes: 10_000)
        let small = String(repeating: "a", count: 2000)
        for number in 0..<3 {
            #expect(admit(key("\(number)"), at: 0, in: &window) == .new)
            #expect(window.end(key("\(number)"), with: answer(small)) != nil)
            window.acknowledged(key("\(number)"))
        }
        #expect(window.count == 3 && window.bytes > 6000)
        #expect(admit(key("large"), at: 0, in: &window) == .new)
        let large = answer(String(repeating: "b", count: 20_000))
        #expect(window.end(key("large"), with: large) == [Self.first])
        #expect(window.count == 1)
        #expect(admit(key("large"), at: 0, in: &window) == .replay(large))
        window.acknowledged(key("large"))
        #expect(admit(key("next"), at: 0, in: &window) == .new)
        #expect(!window.contains(key("large")) && window.bytes < 10_000)
    }

    @Test func `an answer of what is not remembered goes nowhere from here`() {
        var window = window()
        #expect(window.end(key("1"), with: answer()) == nil)
        window.acknowledged(key("1"))
        #expect(window.count == 0 && window.bytes == 0)
    }

    @Test func `a command has a key when its caller named both itself and the command`() throws {
        let fixture = try DecoderFixture()
        let named = #"{"id":"1","client":"me","verb":"rssi"}"#
        #expect(try fixture.command(named).origin.replayKey == key("1", isIdentified: false))
        let onLevel = CommandTopic.device("door", client: "me")
        #expect(try fixture.command(#"{"id":7,"verb":"rssi"}"#, on: onLevel).origin.replayKey == key("7"))
        #expect(try fixture.command(#"{"id":"7","verb":"rssi"}"#, on: onLevel).origin.replayKey == key("7"))
        let correlation = IncomingCommand.Properties(correlationData: Array("7".utf8))
        let other = try fixture.command(#"{"verb":"rssi"}"#, on: onLevel, properties: correlation)
        #expect(other.origin.replayKey == key("7"))
        #expect(try fixture.command(#"{"verb":"rssi"}"#, on: onLevel).origin.replayKey == nil)
        #expect(try fixture.command(#"{"id":"1","verb":"rssi"}"#).origin.replayKey == nil)
    }
}
