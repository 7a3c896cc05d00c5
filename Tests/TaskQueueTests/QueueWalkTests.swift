import PaceSupport
import TaskQueue
import Testing

@Suite(.timeLimit(.minutes(10)))
struct QueueWalkTests {
    /// 200 queues, each of its own kind, 500 steps each.
    @Test(.apart, arguments: 0..<10 as Range<UInt64>)
    func `a random walk agrees with lists`(part: UInt64) {
        for seed in (part * 20)..<(part * 20 + UInt64(Rounds.of(20))) {
            var walk = QueueWalk(seed: seed)
            walk.run(steps: 500)
        }
    }
}
