import MQTT
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReconnectTests {
    @Test func `gaps double up to the longest`() {
        var gap = ReconnectGap(MQTTReconnectPolicy())
        let gaps = (0..<8).map { _ in gap.next(random: 0.5) }
        #expect(gaps == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test(arguments: [(0.0, 0.75), (1.0, 1.25)])
    func `jitter moves a gap by its share`(_ random: Double, _ factor: Double) {
        var policy = MQTTReconnectPolicy()
        policy.jitter = 0.25
        var gap = ReconnectGap(policy)
        let first = gap.next(random: random)
        #expect(first == .seconds(1) * factor)
        let second = gap.next(random: random)
        #expect(second == .seconds(2) * factor)
    }

    @Test func `the longest gap is never exceeded, however many failures there were`() {
        var gap = ReconnectGap(MQTTReconnectPolicy())
        let gaps = (0..<5000).map { _ in gap.next(random: 1) }
        #expect(gaps.allSatisfy { $0 <= .seconds(60) })
    }

    @Test func `only a link that held starts the gaps anew`() {
        var gap = ReconnectGap(MQTTReconnectPolicy())
        for _ in 0..<3 { _ = gap.next(random: 0.5) }
        gap.linkEnded(after: .seconds(29))
        let after = gap.next(random: 0.5)
        #expect(after == .seconds(8))
        gap.linkEnded(after: .seconds(30))
        let anew = gap.next(random: 0.5)
        #expect(anew == .seconds(1))
    }

    @Test(arguments: [UInt8(0x84), 0x01])
    func `a refused version makes automatic choose 3.1.1`(_ code: UInt8) {
        var choice = VersionChoice(.auto)
        #expect(choice.version == .v5)
        let changed = choice.failed(.refused(code: code, text: ""))
        #expect(changed)
        #expect(choice.version == .v311)
        let again = choice.failed(.refused(code: code, text: ""))
        #expect(!again)
    }

    @Test func `two closes without an answer make automatic choose 3.1.1`() {
        var choice = VersionChoice(.auto)
        var changes = [choice.failed(.closedBeforeAnswer)]
        changes.append(choice.failed(.nameNotResolved(host: "h", code: -2, text: "")))
        changes.append(choice.failed(.closedBeforeAnswer))
        #expect(changes == [false, false, true])
        #expect(choice.version == .v311)
    }

    @Test func `a broker that has spoken 5 may close as often as it likes`() {
        var choice = VersionChoice(.auto)
        choice.succeeded()
        for _ in 0..<5 { _ = choice.failed(.closedBeforeAnswer) }
        #expect(choice.version == .v5)
    }

    @Test(arguments: [MQTTVersionPolicy.v5, .v311])
    func `a fixed version stays`(_ policy: MQTTVersionPolicy) {
        var choice = VersionChoice(policy)
        for _ in 0..<3 { _ = choice.failed(.closedBeforeAnswer) }
        _ = choice.failed(.refused(code: 0x84, text: ""))
        #expect(choice.version == (policy == .v5 ? .v5 : .v311))
    }
}
