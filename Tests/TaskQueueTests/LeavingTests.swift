import TaskQueue
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LeavingTests {
    @Test func `what is due leaves with any call, the earliest first`() {
        var play = Play()
        _ = play.submit(0)
        _ = play.submit(1, expiry: 30)
        _ = play.submit(2, expiry: 20)
        _ = play.submit(3, expiry: 20)
        _ = play.submit(4, expiry: 40)
        #expect(play.submit(5, "b", at: 20) == "start 5, expire 2, expire 3")
        #expect(play.queue.nextDeadline == 30)
        #expect(play.finish(5, "b", at: 30) == "expire 1")
        #expect(play.down("nobody", at: 40) == "expire 4")
        #expect(play.queue.nextDeadline == nil)
        #expect(play.finish(0, at: 41) == "")
    }

    @Test func `a call that is refused expires nothing`() {
        var play = Play(perDevice: 1)
        _ = play.submit(0)
        _ = play.submit(1, expiry: 10)
        #expect(play.submit(2, at: 10) == "deviceFull")
        #expect(play.cancel(0, at: 10) == "nil")
        #expect(play.queue.waiting == 1)
        #expect(play.expire(at: 10) == "expire 1")
    }

    @Test func `a job may be put first and too late`() {
        var play = Play()
        #expect(play.submit(1, first: true, expiry: 5, at: 5) == "expire 1")
        #expect(play.submit(1, first: true, expiry: 5, at: 9) == "expire 1")
        #expect(play.queue.running == 0)
    }

    @Test func `the next starts when the one that waited for a slot expires`() {
        var play = Play(slots: ["p": 0])
        #expect(play.submit(1, slot: "p", expiry: 10) == "")
        #expect(play.submit(2) == "")
        #expect(play.queue.isWaitingForSlot("a"))
        #expect(play.expire(at: 10) == "expire 1, start 2")
        #expect(!play.queue.isWaitingForSlot("a"))
        #expect(play.slots() == "0/0, 0 waiting")
    }

    @Test(arguments: [
        (1, "1: ", "2 3"), (2, "2: ", "1 3"), (3, "3: ", "1 2"), (0, "nil", "1 2 3"), (9, "nil", "1 2 3"),
    ])
    func `a job that waits can be cancelled`(id: Int, answer: String, left: String) {
        var play = Play()
        for id in 0...3 { _ = play.submit(id) }
        #expect(play.cancel(id) == answer)
        #expect(play.order() == left)
        #expect(play.cancel(id) == "nil")
        #expect(play.queue.waiting == left.split(separator: " ").count)
    }

    @Test func `the next starts when the one that waited for a slot is cancelled`() {
        var play = Play(slots: ["p": 0, "q": 1])
        #expect(play.submit(1, slot: "p") == "")
        #expect(play.submit(2, slot: "q") == "")
        #expect(play.submit(3) == "")
        #expect(play.cancel(1) == "1: start 2")
        #expect(play.finish(2) == "start 3")
    }

    @Test func `all jobs of a device can be cancelled, not the one that runs`() {
        var play = Play()
        for id in 0...3 { _ = play.submit(id, "a", id == 3 ? .urgent : .normal) }
        _ = play.submit(4, "b")
        _ = play.submit(5, "b")
        #expect(play.cancelWaiting(of: "a") == "3 1 2: ")
        #expect(play.cancelWaiting(of: "a") == ": ")
        #expect(play.cancelWaiting(of: "z") == ": ")
        #expect(play.queue.running(on: "a") == 0)
        #expect(play.finish(0) == "")
        #expect(play.finish(4, "b") == "start 5")
    }

    @Test func `a device whose jobs are cancelled makes room for the others`() {
        var play = Play(slots: ["p": 1])
        #expect(play.up("a") == "")
        // Needs no slot, and so keeps the device; the link has something to do as long.
        #expect(play.submit(1, "a") == "start 1")
        #expect(play.submit(2, "a", slot: "p") == "")
        #expect(play.submit(3, "b", slot: "p") == "")
        #expect(play.cancelWaiting(of: "a") == "2: ")
        #expect(play.finish(1, "a") == "reclaim a")
        #expect(play.down("a") == "start 3")
    }

    @Test func `all jobs can be cancelled and the queue stays open`() {
        var play = Play(slots: ["p": 0])
        for id in 0...2 { _ = play.submit(id) }
        _ = play.submit(3, "b", slot: "p")
        _ = play.up("c", reclaimable: false)
        _ = play.submit(4, "c", slot: "q")
        _ = play.submit(5, "c", slot: "q")
        #expect(play.queue.cancelWaiting().map(\.id).sorted() == [1, 2, 3, 5])
        #expect(play.queue.waiting == 0)
        #expect(play.queue.nextDeadline == nil)
        #expect(play.slots() == "1/0, 0 waiting")
        #expect(play.limit(1, "p") == "")
        #expect(play.submit(6, "b") == "start 6")
        #expect(play.finish(0) == "")
        #expect(play.finish(4, "c") == "")
    }

    @Test func `closing gives back what waits, and takes nothing more`() {
        var play = Play(slots: ["p": 1])
        _ = play.submit(0, slot: "p")
        _ = play.submit(1, "b", slot: "p")
        _ = play.submit(2, slot: "p")
        #expect(play.queue.close().map(\.id).sorted() == [1, 2])
        #expect(play.submit(3, "c") == "closed")
        #expect(play.submit(4, "c", expiry: 0) == "closed")
        #expect(play.queue.close().isEmpty)
        #expect(play.finish(0) == "")
        #expect(play.slots() == "0/1, 0 waiting")
        #expect(play.queue.running == 0)
    }

    @Test func `a job's id may come back when the job is gone`() {
        var play = Play()
        for round in 0..<3 {
            #expect(play.submit(0) == "start 0", "round \(round)")
            #expect(play.submit(1) == "")
            #expect(play.cancel(1) == "1: ")
            #expect(play.submit(1, expiry: 5) == "")
            #expect(play.expire(at: 5) == "expire 1")
            #expect(play.submit(1) == "")
            #expect(play.finish(0) == "start 1")
            #expect(play.cancel(1) == "nil")
            #expect(play.finish(1) == "")
        }
    }

    @Test func `two waiting jobs with one id are not lost`() {
        var play = Play()
        _ = play.submit(0)
        _ = play.submit(1)
        _ = play.submit(1)
        #expect(play.cancel(1) == "1: ")
        #expect(play.finish(0) == "start 1")
        #expect(play.cancel(1) == "nil")
        #expect(play.finish(1) == "")
    }
}
