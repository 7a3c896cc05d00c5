import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NotificationCoalescerTests {
    /// What happens to a coalescer, at a time in milliseconds.
    enum Step: Sendable {
        /// A value of this one byte arrives.
        case value(UInt8, at: Int)
        /// Its owner wakes it.
        case wake(at: Int)
        case flush(at: Int)
        case change(Coalesce, at: Int)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: Coalesce
        let steps: [Step]
        /// `5:1` is the value 1 in a message of its own at 5 ms; `5:[1,2]` a batch.
        let messages: [String]
        /// The deadline at the end, in milliseconds.
        var deadline: Int?
    }

    private static let latest = Coalesce.latest(.milliseconds(100))
    private static let batch = Coalesce.batch(count: 3, maxDelay: .milliseconds(100))

    static let cases: [Case] = [
        Case(
            testDescription: "every value goes out at once",
            rule: .every,
            steps: [.value(1, at: 0), .value(2, at: 0), .wake(at: 1), .value(3, at: 1)],
            messages: ["0:1", "0:2", "1:3"]
        ),
        Case(
            testDescription: "latest: the first value goes out at once",
            rule: latest,
            steps: [.value(1, at: 7)],
            messages: ["7:1"]
        ),
        Case(
            testDescription: "latest: of the values within the span the newest goes out at its end",
            rule: latest,
            steps: [.value(1, at: 0), .value(2, at: 10), .value(3, at: 99), .wake(at: 100)],
            messages: ["0:1", "100:3"]
        ),
        Case(
            testDescription: "latest: the span begins again with each message",
            rule: latest,
            steps: [.value(1, at: 0), .value(2, at: 50), .wake(at: 100), .value(3, at: 150)],
            messages: ["0:1", "100:2"],
            deadline: 200
        ),
        Case(
            testDescription: "latest: a value after a quiet span goes out at once",
            rule: latest,
            steps: [.value(1, at: 0), .wake(at: 100), .value(2, at: 100)],
            messages: ["0:1", "100:2"]
        ),
        Case(
            testDescription: "latest: a value at the end of the span goes out at once, the older one does not",
            rule: latest,
            steps: [.value(1, at: 0), .value(2, at: 50), .value(3, at: 100), .wake(at: 101)],
            messages: ["0:1", "100:3"]
        ),
        Case(
            testDescription: "latest: a waking before the end is harmless",
            rule: latest,
            steps: [.value(1, at: 0), .value(2, at: 50), .wake(at: 99)],
            messages: ["0:1"],
            deadline: 100
        ),
        Case(
            testDescription: "latest: what waits goes out when the subscription ends",
            rule: latest,
            steps: [.value(1, at: 0), .value(2, at: 50), .flush(at: 60), .flush(at: 61)],
            messages: ["0:1", "60:2"]
        ),
        Case(
            testDescription: "batch: goes out with the last value that it has room for",
            rule: batch,
            steps: [.value(1, at: 0), .value(2, at: 1), .value(3, at: 2), .value(4, at: 3)],
            messages: ["2:[1,2,3]"],
            deadline: 103
        ),
        Case(
            testDescription: "batch: goes out when its first value has waited long enough",
            rule: batch,
            steps: [.value(1, at: 0), .value(2, at: 90), .wake(at: 99), .wake(at: 100)],
            messages: ["100:[1,2]"]
        ),
        Case(
            testDescription: "batch: one value alone is a batch too",
            rule: batch,
            steps: [.value(1, at: 0), .wake(at: 100)],
            messages: ["100:[1]"]
        ),
        Case(
            testDescription: "batch: what waits goes out when the subscription ends",
            rule: batch,
            steps: [.value(1, at: 0), .value(2, at: 1), .flush(at: 2), .flush(at: 3)],
            messages: ["2:[1,2]"]
        ),
        Case(
            testDescription: "another rule: what waited by the old one goes out first",
            rule: batch,
            steps: [.value(1, at: 0), .change(.every, at: 5), .value(2, at: 6)],
            messages: ["5:[1]", "6:2"]
        ),
        Case(
            testDescription: "the same rule again changes nothing",
            rule: batch,
            steps: [.value(1, at: 0), .change(batch, at: 5)],
            messages: [],
            deadline: 100
        ),
        Case(
            testDescription: "another span: the next value goes out at once",
            rule: latest,
            steps: [.value(1, at: 0), .change(.latest(.milliseconds(500)), at: 5), .value(2, at: 6), .value(3, at: 7)],
            messages: ["0:1", "6:2"],
            deadline: 506
        ),
    ]

    @Test(arguments: cases) func `what goes out, and when`(_ row: Case) {
        let start = ContinuousClock.now
        var coalescer = NotificationCoalescer(row.rule)
        var messages: [String] = []
        var number: Int64 = 0
        for step in row.steps {
            let (at, releases): (Int, [NotificationCoalescer.Release])
            switch step {
            case .value(let byte, let time):
                number += 1
                let value = NotificationCoalescer.Value([byte], number: number)
                (at, releases) = (time, coalescer.arrived(value, at: start + .milliseconds(time)))
            case .wake(let time): (at, releases) = (time, coalescer.due(at: start + .milliseconds(time)))
            case .flush(let time): (at, releases) = (time, coalescer.flush(at: start + .milliseconds(time)))
            case .change(let rule, let time):
                (at, releases) = (time, coalescer.change(to: rule, at: start + .milliseconds(time)))
            }
            messages += releases.map { release in
                switch release {
                case .single(let value): "\(at):\(value.bytes[0])"
                case .batch(let values): "\(at):[\(values.map { String($0.bytes[0]) }.joined(separator: ","))]"
                }
            }
        }
        #expect(messages == row.messages)
        #expect(coalescer.nextDeadline == row.deadline.map { start + .milliseconds($0) })
    }

    @Test func `a batch of long values goes out before it is too long for a message`() {
        let now = ContinuousClock.now
        var coalescer = NotificationCoalescer(.batch(count: Coalesce.longestBatch, maxDelay: .seconds(1)))
        var sizes: [Int] = []
        var values = 0
        for number in 1...100 {
            let value = NotificationCoalescer.Value([UInt8](repeating: 0, count: 512), number: Int64(number))
            for case .batch(let batch) in coalescer.arrived(value, at: now) {
                sizes.append(batch.reduce(0) { $0 + $1.bytes.count })
                values += batch.count
            }
        }
        #expect(sizes.count == 3)
        #expect(sizes.allSatisfy { $0 == NotificationCoalescer.maxBatchBytes })
        guard case .batch(let rest)? = coalescer.flush(at: now).first else {
            Issue.record("nothing was left")
            return
        }
        #expect(values + rest.count == 100)
        #expect(rest.last?.number == 100)
    }
}
