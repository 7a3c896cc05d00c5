import BleCore
import Testing

/// When a scanner counts as quiet, with a clock that is moved by hand.
@Suite(.timeLimit(.minutes(10)))
struct ScanWatchTests {
    private let start = ContinuousClock.now
    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `B03 silence is noticed once its time is over, and each report moves that`() {
        var watch = ScanWatch(.seconds(90) ... .seconds(600))
        #expect(watch.deadline == nil && !watch.isDue(at: at(1000)))
        watch.listening(true, at: start)
        watch.heard(at: at(60))
        watch.listening(true, at: at(70))
        #expect(watch.deadline == at(150) && !watch.isDue(at: at(149)))
        #expect(watch.isDue(at: at(150)) && !watch.isDue(at: at(150)))
        watch.listening(false, at: at(151))
        #expect(watch.deadline == nil)
        watch.heard(at: at(152))
        #expect(watch.deadline == nil)
    }

    @Test func `B03 where there truly is nobody the gaps grow up to a bound, until something is heard`() {
        var watch = ScanWatch(.seconds(90) ... .seconds(600))
        watch.listening(true, at: start)
        var restarts: [Int] = []
        for second in 0...3000 where watch.isDue(at: at(second)) {
            restarts.append(second)
            // What a new start looks like.
            watch.listening(false, at: at(second))
            watch.listening(true, at: at(second))
        }
        #expect(restarts == [90, 270, 630, 1230, 1830, 2430])
        watch.heard(at: at(3000))
        #expect(watch.deadline == at(3090))
    }
}
