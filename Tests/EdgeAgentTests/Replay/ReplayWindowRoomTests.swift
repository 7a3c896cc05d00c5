import EdgeAgent
import Journal
import Testing

/// What it costs to remember commands that nobody has acknowledged.
@Suite(.timeLimit(.minutes(10)))
struct ReplayWindowRoomTests {
    @Test func `ten thousand commands under way cost no more each than the first`() {
        var window = ReplayWindow(bounds: .init(span: .seconds(600), commands: 100, bytes: 1 << 20))
        let reply = ReplyAddress(topic: "reply/a")
        let sent = SentCommand(topic: .gateway(client: "me"), payload: Array("{}".utf8))
        let answer = EncodedResult(reply: reply, payload: Array("{}".utf8), status: .ok, code: nil)
        func key(_ number: Int) -> ReplayWindow.Key { .init(client: "me", isIdentified: true, id: "\(number)") }
        let start = ContinuousClock.now
        for number in 0..<10_000 {
            #expect(window.admit(key(number), sent, reply: reply, expiry: .zero, now: .zero) == .new)
            #expect(window.end(key(number), with: answer) == [reply])
        }
        #expect(window.count == 10_000)
        // Looking at all of them each time takes minutes.
        #expect(ContinuousClock.now - start < .seconds(120))
        for number in 0..<10_000 { window.acknowledged(key(number)) }
        // One of a name that was forgotten meanwhile stands for itself.
        #expect(window.admit(key(10_000), sent, reply: reply, expiry: .zero, now: .zero) == .new)
        #expect(window.count == 100)
        #expect(window.admit(key(5), sent, reply: reply, expiry: .zero, now: .zero) == .new)
        #expect(window.contains(key(5)) && window.contains(key(9999)) && !window.contains(key(9000)))
    }
}
