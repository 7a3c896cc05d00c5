import TaskQueue
import Testing

/// Jobs that wait for one device while another runs, and the order in which they start.
struct OrderCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// u, n or l for the priority, f before it for `first`, and an id.
    let waiting: String
    let order: String
    var overtaking = 8
}

private let orders = [
    OrderCase(testDescription: "arrival", waiting: "n1 n2 n3", order: "1 2 3"),
    OrderCase(testDescription: "priority", waiting: "l1 n2 u3 l4 n5 u6", order: "3 6 2 5 1 4"),
    OrderCase(testDescription: "the last put first goes first", waiting: "u1 fl2 fn3 u4", order: "3 2 1 4"),
    OrderCase(
        testDescription: "those who came before do not overtake",
        waiting: "u1 u2 u3 u4 l5",
        order: "1 2 3 4 5",
        overtaking: 2
    ),
    OrderCase(
        testDescription: "overtaken twice is enough",
        waiting: "l1 l2 u3 u4 u5 u6 u7",
        order: "3 4 1 5 6 2 7",
        overtaking: 2
    ),
    OrderCase(
        testDescription: "of two that were overtaken the one that came first",
        waiting: "l1 n2 u3 u4 u5 u6",
        order: "3 4 1 2 5 6",
        overtaking: 2
    ),
    OrderCase(testDescription: "by nobody", waiting: "l1 u2 n3 u4 l5", order: "1 2 3 4 5", overtaking: 0),
    OrderCase(testDescription: "less than nobody", waiting: "l1 u2 n3", order: "1 2 3", overtaking: -1),
    OrderCase(
        testDescription: "those put first overtake nobody",
        waiting: "l1 u2 u3 fu4 fu5",
        order: "5 4 2 1 3",
        overtaking: 1
    ),
]

@Suite(.timeLimit(.minutes(10)))
struct OrderTests {
    @Test(arguments: orders)
    func `jobs of a device start in order`(_ order: OrderCase) {
        var play = Play(overtaking: order.overtaking)
        #expect(play.submit(0) == "start 0")
        for job in order.waiting.split(separator: " ") {
            let first = job.hasPrefix("f")
            let kind = job.drop { $0 == "f" }
            let priority: JobPriority = kind.hasPrefix("u") ? .urgent : kind.hasPrefix("n") ? .normal : .low
            #expect(play.submit(Int(kind.dropFirst()) ?? 0, "a", priority, first: first) == "")
        }
        let ids = order.order.split(separator: " ").compactMap { Int($0) }
        #expect(play.order() == order.order)
        for (place, id) in ids.enumerated() { #expect(play.queue.place(of: id) == place + 1) }
        var running = 0
        for id in ids {
            #expect(play.finish(running) == "start \(id)")
            #expect(play.queue.running(on: "a") == id)
            running = id
        }
        #expect(play.finish(running) == "")
        #expect(play.queue.running == 0)
        #expect(play.queue.waiting == 0)
    }

    @Test(arguments: [1, 3, 8])
    func `an endless stream of urgent jobs lets the others pass`(overtaking: Int) {
        var play = Play(overtaking: overtaking)
        _ = play.submit(0, "a", .urgent)
        _ = play.submit(1, "a", .normal)
        _ = play.submit(2, "a", .low)
        var running = 0
        var passed: [Int: Int] = [:]
        for id in 100..<150 {
            #expect(play.submit(id, "a", .urgent) == "")
            let actions = play.queue.finished(running, of: "a", at: 0)
            guard case .start(let job)? = actions.first else { break }
            running = job.id
            if job.id < 100 { passed[job.id] = id - 100 }
        }
        #expect(passed == [1: overtaking, 2: overtaking + 1])
    }

    @Test func `a priority that was served waits for its next turn`() {
        var play = Play(overtaking: 2)
        _ = play.submit(0)
        for id in [1, 2, 3] { _ = play.submit(id, "a", .low) }
        for id in 10...17 { _ = play.submit(id, "a", .urgent) }
        #expect(play.order() == "10 11 1 12 13 2 14 15 3 16 17")
    }

    @Test func `who waits longest knows how often it was overtaken when the one before it leaves`() {
        var play = Play(overtaking: 2)
        _ = play.submit(0)
        for id in [1, 2] { _ = play.submit(id, "a", .low) }
        for id in [3, 4, 5] { _ = play.submit(id, "a", .urgent) }
        #expect(play.finish(0) == "start 3")
        #expect(play.cancel(1) == "1: ")
        #expect(play.order() == "4 2 5")
        #expect(play.cancel(2) == "2: ")
        // The count begins anew with a job that was not there.
        #expect(play.submit(6, "a", .low) == "")
        #expect(play.submit(7, "a", .urgent) == "")
        #expect(play.finish(3) == "start 4")
        #expect(play.order() == "5 7 6")
    }

    @Test func `jobs of different devices do not overtake one another`() {
        var play = Play(overtaking: 1)
        for (id, device) in ["a", "b", "c"].enumerated() { #expect(play.submit(id, device) == "start \(id)") }
        #expect(play.submit(3, "a", .low) == "")
        #expect(play.submit(4, "b", .urgent) == "")
        #expect(play.finish(1, "b") == "start 4")
        #expect(play.finish(0, "a") == "start 3")
        #expect(play.queue.running == 3)
    }

    @Test func `the place counts what comes before`() {
        var play = Play(slots: ["p": 0])
        #expect(play.submit(1, slot: "p") == "")
        #expect(play.queue.place(of: 1) == 0)
        #expect(play.submit(2, slot: "p") == "")
        #expect(play.queue.place(of: 2) == 1)
        #expect(play.submit(3, "a", .urgent) == "start 3")
        #expect(play.queue.place(of: 2) == 2)
        #expect(play.queue.place(of: 3) == nil)
        #expect(play.queue.place(of: 9) == nil)
        #expect(play.queue.waitingJobs == [Job(id: 1), Job(id: 2)])
        #expect(play.queue.waitingJobs(of: "z").isEmpty)
    }

    @Test func `priorities are sorted by what goes first`() {
        #expect([JobPriority.low, .urgent, .normal].sorted() == JobPriority.allCases)
        #expect(JobPriority.allCases == [.urgent, .normal, .low])
    }
}
