import PaceSupport
import TaskQueue
import Testing

/// Thousands of jobs and devices, whose memory is given back when the last is gone.
@Suite(.timeLimit(.minutes(10)))
struct CrowdTests {
    private static let devices = (0..<1500).map { "d\($0)" }

    /// How the crowd leaves; each gives back how many did.
    enum Exit: CaseIterable {
        case started, expired, cancelled, oneByOne, closed
    }

    @Test(.apart, arguments: Exit.allCases)
    func `a crowd comes and goes`(exit: Exit) {
        var play = Play(perDevice: 2, total: 3000, slots: ["p": 0])
        for _ in 0..<2 {
            for job in 0..<3000 {
                #expect(play.submit(job, Self.devices[job % 1500], slot: "p", expiry: 10 + job % 7) == "")
            }
            #expect(play.slots() == "0/0, 1500 waiting")
            #expect(play.submit(3000, "d0", slot: "p") == "deviceFull")
            let left = leave(&play, exit)
            #expect(left == Array(0..<3000))
            #expect(play.queue.waiting == 0)
            #expect(play.queue.running == 0)
            #expect(play.queue.nextDeadline == nil)
            #expect(play.limit(0, "p") == "")
            #expect(play.slots() == "0/0, 0 waiting")
            if exit == .closed { break }
        }
    }

    private func leave(_ play: inout Play, _ exit: Exit) -> [Int] {
        var left: [Int] = []
        switch exit {
        case .started:
            var actions = play.queue.setLimit(40, of: "p", at: 0)
            while !actions.isEmpty {
                #expect(play.queue.running <= 40)
                let started = actions.map { if case .start(let job) = $0 { job.id } else { -1 } }
                left += started
                actions = started.flatMap { play.queue.finished($0, of: Self.devices[$0 % 1500], at: 0) }
            }
        case .expired:
            left = play.queue.expire(at: 20).map { if case .expire(let job) = $0 { job.id } else { -1 } }
        case .cancelled:
            left = play.queue.cancelWaiting().map(\.id)
        case .oneByOne:
            for job in 0..<3000 {
                guard let (cancelled, actions) = play.queue.cancel(job, at: 0) else { continue }
                #expect(actions.isEmpty)
                left.append(cancelled.id)
            }
        case .closed:
            left = play.queue.close().map(\.id)
        }
        return left.sorted()
    }

    @Test func `links outlast a crowd of jobs`() {
        var play = Play(perDevice: 2, total: 3000, slots: ["p": 1])
        _ = play.up("d7", reclaimable: false)
        for job in 0..<1500 { _ = play.submit(job, Self.devices[job], slot: "p") }
        #expect(play.queue.running(on: "d7") == 7)
        #expect(play.queue.cancelWaiting().count == 1499)
        #expect(play.finish(7, "d7") == "")
        #expect(play.slots() == "1/1, 0 waiting")
        #expect(play.submit(1, "d1", slot: "p") == "")
        #expect(play.down("d7") == "start 1")
    }
}
