import TaskQueue
import Testing

private func started(_ actions: [Queue.Action]) -> [Int] {
    actions.compactMap { if case .start(let job) = $0 { job.id } else { nil } }
}

private func expired(_ actions: [Queue.Action]) -> [Int] {
    actions.compactMap { if case .expire(let job) = $0 { job.id } else { nil } }
}

@Suite(.timeLimit(.minutes(10)))
struct QueueStateTests {
    @Test func `jobs of one device run one at a time and in order`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        #expect(started(try queue.submit(Job(id: 1), for: "a", expiry: 100, at: 0)) == [1])
        #expect(started(try queue.submit(Job(id: 2), for: "a", expiry: 100, at: 0)) == [])
        #expect(started(try queue.submit(Job(id: 3), for: "a", expiry: 100, at: 0)) == [])
        #expect(queue.running(on: "a") == 1)
        #expect(started(queue.finished(1, of: "a", at: 1)) == [2])
        #expect(started(queue.finished(2, of: "a", at: 1)) == [3])
        #expect(started(queue.finished(3, of: "a", at: 1)) == [])
        #expect(queue.running == 0)
        #expect(queue.waiting == 0)
    }

    @Test func `a job put first goes before those that wait, not before the one that runs`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        for id in 1...3 { _ = try queue.submit(Job(id: id), for: "a", expiry: 100, at: 0) }
        #expect(started(try queue.submit(Job(id: 4), for: "a", first: true, expiry: 100, at: 0)) == [])
        #expect(started(queue.finished(1, of: "a", at: 1)) == [4])
        #expect(started(queue.finished(4, of: "a", at: 1)) == [2])
    }

    @Test func `deadlines of jobs that have started do not pile up`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        _ = try queue.submit(Job(id: 0), for: "a", expiry: 1_000_000, at: 0)
        for id in 1...20_000 {
            _ = try queue.submit(Job(id: id), for: "a", expiry: 1_000_000 - id, at: 0)
            #expect(started(queue.finished(id - 1, of: "a", at: 0)) == [id])
        }
        // All are gone but the few since the last clearing.
        #expect(queue.expire(at: 999_999).isEmpty)
        #expect(queue.nextDeadline == nil)
    }

    @Test func `jobs of different devices run side by side`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        for (id, device) in ["a", "b", "c"].enumerated() {
            #expect(started(try queue.submit(Job(id: id), for: device, expiry: 9, at: 0)) == [id])
        }
        #expect(queue.running == 3)
    }

    @Test func `a device that is not freed keeps only its own jobs waiting`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        _ = try queue.submit(Job(id: 1), for: "dead", expiry: 100, at: 0)
        _ = try queue.submit(Job(id: 2), for: "dead", expiry: 100, at: 0)
        #expect(started(try queue.submit(Job(id: 3), for: "well", expiry: 100, at: 0)) == [3])
        #expect(started(queue.finished(3, of: "well", at: 5)) == [])
        #expect(queue.waiting(for: "dead") == 1)
    }

    @Test func `past a bound a job is refused at once and the queue stays as it was`() throws {
        var queue = Queue(limits: .init(perDevice: 1, total: 2))
        _ = try queue.submit(Job(id: 1), for: "a", expiry: 9, at: 0)
        _ = try queue.submit(Job(id: 2), for: "a", expiry: 9, at: 0)
        #expect(throws: Queue.Refusal.deviceFull) { try queue.submit(Job(id: 3), for: "a", expiry: 9, at: 0) }
        _ = try queue.submit(Job(id: 4), for: "b", expiry: 9, at: 0)
        _ = try queue.submit(Job(id: 5), for: "b", expiry: 9, at: 0)
        _ = try queue.submit(Job(id: 6), for: "c", expiry: 9, at: 0)
        #expect(throws: Queue.Refusal.totalFull) { try queue.submit(Job(id: 7), for: "c", expiry: 9, at: 0) }
        #expect(queue.waiting == 2)
        #expect(started(queue.finished(1, of: "a", at: 1)) == [2])
    }

    @Test func `expiry is checked when a job would start`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        _ = try queue.submit(Job(id: 1), for: "a", expiry: 100, at: 0)
        _ = try queue.submit(Job(id: 2), for: "a", expiry: 10, at: 0)
        _ = try queue.submit(Job(id: 3), for: "a", expiry: 30, at: 0)
        let actions = queue.finished(1, of: "a", at: 20)
        #expect(expired(actions) == [2])
        #expect(started(actions) == [3])
        #expect(queue.waiting == 0)
    }

    @Test func `a job that arrives too late never starts`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        let actions = try queue.submit(Job(id: 1), for: "a", expiry: 5, at: 5)
        #expect(expired(actions) == [1])
        #expect(queue.running(on: "a") == nil)
    }

    @Test func `waiting jobs expire at their deadline though their device is busy`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        _ = try queue.submit(Job(id: 1), for: "a", expiry: 100, at: 0)
        _ = try queue.submit(Job(id: 2), for: "a", expiry: 20, at: 0)
        _ = try queue.submit(Job(id: 3), for: "a", expiry: 10, at: 0)
        #expect(queue.nextDeadline == 10)
        #expect(expired(queue.expire(at: 10)) == [3])
        #expect(queue.nextDeadline == 20)
        #expect(expired(queue.expire(at: 25)) == [2])
        #expect(queue.waiting == 0)
        #expect(started(queue.finished(1, of: "a", at: 30)) == [])
    }

    @Test func `finishing a job that does not have the device changes nothing`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        _ = try queue.submit(Job(id: 1), for: "a", expiry: 100, at: 0)
        _ = try queue.submit(Job(id: 2), for: "a", expiry: 100, at: 0)
        #expect(started(queue.finished(2, of: "a", at: 1)) == [])
        #expect(started(queue.finished(1, of: "b", at: 1)) == [])
        #expect(queue.running(on: "a") == 1)
    }

    @Test func `closing gives back what waits and refuses what comes`() throws {
        var queue = Queue(limits: .init(perDevice: 10, total: 10))
        for id in 1...3 { _ = try queue.submit(Job(id: id), for: "a", expiry: 100, at: 0) }
        #expect(queue.close().map(\.id) == [2, 3])
        #expect(throws: Queue.Refusal.closed) { try queue.submit(Job(id: 4), for: "b", expiry: 100, at: 0) }
        #expect(started(queue.finished(1, of: "a", at: 1)) == [])
        #expect(queue.running == 0)
    }
}
