import TaskQueue
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SlotTests {
    @Test func `as many devices have jobs as there are slots`() {
        var play = Play(slots: ["p": 2])
        #expect(play.submit(1, "a", slot: "p") == "start 1")
        #expect(play.submit(2, "b", slot: "p") == "start 2")
        #expect(play.submit(3, "c", slot: "p") == "")
        #expect(play.submit(4, "d", slot: "p") == "")
        #expect(play.slots() == "2/2, 2 waiting")
        #expect(play.queue.isWaitingForSlot("c"))
        #expect(!play.queue.isWaitingForSlot("a"))
        #expect(play.queue.running(on: "c") == nil)
        #expect(play.finish(2, "b") == "start 3")
        #expect(play.finish(1, "a") == "start 4")
        #expect(play.finish(3, "c") == "")
        #expect(play.finish(4, "d") == "")
        #expect(play.slots() == "0/2, 0 waiting")
    }

    @Test func `a pool without a limit has room for all`() {
        var play = Play()
        for id in 0..<50 { #expect(play.submit(id, "d\(id)", slot: "p") == "start \(id)") }
        #expect(play.slots() == "50/-, 0 waiting")
        #expect(play.slots("never named") == "0/-, 0 waiting")
    }

    @Test func `waiters are served by priority, then in the order in which they began to wait`() {
        var play = Play(slots: ["p": 1])
        _ = play.submit(0, "a", slot: "p")
        let waiters: [(Int, JobPriority)] = [
            (1, .low), (2, .normal), (3, .urgent), (4, .low), (5, .normal), (6, .urgent),
        ]
        for (id, priority) in waiters { #expect(play.submit(id, "d\(id)", priority, slot: "p") == "") }
        var running = 0
        for id in [3, 6, 2, 5, 1, 4] {
            #expect(play.finish(running, running == 0 ? "a" : "d\(running)") == "start \(id)")
            running = id
        }
    }

    @Test func `a device with many jobs takes turns with the others`() {
        var play = Play(slots: ["p": 1])
        for id in 1...3 { _ = play.submit(id, "a", slot: "p") }
        _ = play.submit(4, "b", slot: "p")
        _ = play.submit(5, "c", slot: "p")
        #expect(play.finish(1, "a") == "start 4")
        #expect(play.finish(4, "b") == "start 5")
        #expect(play.finish(5, "c") == "start 2")
        #expect(play.finish(2, "a") == "start 3")
    }

    @Test(arguments: [1, 4])
    func `urgent waiters do not keep a low one waiting for ever`(overtaking: Int) {
        var play = Play(overtaking: overtaking, slots: ["p": 1])
        _ = play.submit(0, "d0", slot: "p")
        _ = play.submit(1, "low", .low, slot: "p")
        var running = 0
        for id in 2..<20 {
            #expect(play.submit(id, "d\(id)", .urgent, slot: "p") == "")
            let next = id < 2 + overtaking ? id : 1
            #expect(play.finish(running, "d\(running)") == "start \(next)")
            running = next
            if next == 1 { break }
        }
        #expect(running == 1)
    }

    @Test func `a job that needs no slot passes the one that waits for it`() {
        var play = Play(slots: ["p": 1])
        _ = play.submit(0, "z", slot: "p")
        _ = play.submit(1, "y", slot: "p")
        #expect(play.submit(2, "a", slot: "p") == "")
        #expect(play.submit(3, "a") == "")
        #expect(play.submit(4, "b", slot: "p") == "")
        #expect(play.submit(5, "a", first: true) == "start 5")
        #expect(!play.queue.isWaitingForSlot("a"))
        #expect(play.slots() == "1/1, 2 waiting")
        // A slot that comes free meanwhile goes to another; the place is kept.
        #expect(play.finish(0, "z") == "start 1")
        #expect(play.finish(5, "a") == "")
        #expect(play.finish(1, "y") == "start 2")
        #expect(play.finish(2, "a") == "start 3, start 4")
    }

    @Test func `a device that begins to wait for something else queues up behind`() {
        var play = Play(slots: ["p": 1])
        _ = play.submit(0, "z", slot: "p")
        _ = play.submit(1, "a", slot: "p")
        _ = play.submit(2, "b", slot: "p")
        _ = play.submit(3, "b", .urgent, slot: "p")
        _ = play.submit(4, "a", .urgent, slot: "p")
        #expect(play.cancel(3) == "3: ")
        // b is where it was last: a waits for something urgent, but its other job came before.
        #expect(play.cancel(4) == "4: ")
        #expect(play.finish(0, "z") == "start 2")
        #expect(play.finish(2, "b") == "start 1")
    }

    @Test func `a link keeps the slot`() {
        var play = Play(slots: ["p": 1])
        #expect(play.submit(1, "a", slot: "p") == "start 1")
        #expect(play.up("a", reclaimable: false) == "")
        #expect(play.submit(2, "b", slot: "p") == "")
        #expect(play.finish(1, "a") == "")
        #expect(play.submit(3, "a", slot: "p") == "start 3")
        #expect(play.down("a") == "")
        #expect(play.slots() == "1/1, 1 waiting")
        #expect(play.finish(3, "a") == "start 2")
        #expect(play.down("a") == "")
    }

    @Test func `links that nobody asked for use slots`() {
        var play = Play(slots: ["p": 1])
        #expect(play.up("x", reclaimable: false) == "")
        #expect(play.up("y", reclaimable: false) == "")
        #expect(play.up("y", reclaimable: false) == "")
        #expect(play.slots() == "2/1, 0 waiting")
        #expect(play.submit(1, "a", slot: "p") == "")
        #expect(play.submit(2, "x", slot: "p") == "start 2")
        #expect(play.down("y") == "")
        #expect(play.finish(2, "x") == "")
        #expect(play.down("x") == "start 1")
        #expect(play.slots() == "1/1, 0 waiting")
    }

    @Test func `a link that comes up lets the jobs of its device start`() {
        var play = Play(slots: ["p": 0, "q": 0])
        #expect(play.submit(1, "a", slot: "p") == "")
        #expect(play.up("a", "q", reclaimable: false) == "")
        #expect(play.up("a", "p", reclaimable: false) == "start 1")
        #expect(play.slots("p") == "1/0, 0 waiting")
        #expect(play.slots("q") == "0/0, 0 waiting")
    }

    @Test func `a link that moves gives its slot back`() {
        var play = Play(slots: ["p": 1, "q": 1])
        #expect(play.up("a", "p", reclaimable: false) == "")
        #expect(play.submit(1, "b", slot: "p") == "")
        #expect(play.up("a", "q", reclaimable: false) == "start 1")
        #expect(play.slots("q") == "1/1, 0 waiting")
        // While a job runs, its own slot stays with it.
        #expect(play.up("b", "q", reclaimable: false) == "")
        #expect(play.slots("p") == "1/1, 0 waiting")
        #expect(play.slots("q") == "2/1, 0 waiting")
        #expect(play.submit(2, "c", slot: "p") == "")
        #expect(play.finish(1, "b") == "start 2")
        #expect(play.down("b") == "")
        #expect(play.slots("q") == "1/1, 0 waiting")
    }

    @Test func `a device may need a slot of another pool than its link's`() {
        var play = Play(slots: ["p": 1, "q": 1])
        _ = play.up("a", "p", reclaimable: false)
        #expect(play.submit(1, "a", slot: "q") == "start 1")
        #expect(play.slots("p") == "1/1, 0 waiting")
        #expect(play.slots("q") == "1/1, 0 waiting")
        #expect(play.submit(2, "b", slot: "q") == "")
        #expect(play.finish(1, "a") == "start 2")
        #expect(play.slots("p") == "1/1, 0 waiting")
    }

    @Test func `a higher limit lets as many start, a lower one takes nothing away`() {
        var play = Play(slots: ["p": 0])
        for id in 1...5 { _ = play.submit(id, "d\(id)", slot: "p") }
        #expect(play.limit(2, "p") == "start 1, start 2")
        #expect(play.limit(1, "p") == "")
        #expect(play.slots() == "2/1, 3 waiting")
        #expect(play.finish(1, "d1") == "")
        #expect(play.finish(2, "d2") == "start 3")
        #expect(play.limit(-1, "p") == "")
        #expect(play.finish(3, "d3") == "")
        #expect(play.limit(nil, "p") == "start 4, start 5")
    }

    @Test func `a device that is free takes no slot from those who wait`() {
        var play = Play(slots: ["p": 1])
        _ = play.submit(1, "a", slot: "p")
        _ = play.submit(2, "b", slot: "p")
        // A head that needs no slot runs, and then the device waits with the rest.
        #expect(play.submit(3, "b", .urgent) == "start 3")
        #expect(play.submit(4, "c", slot: "p") == "")
        #expect(play.finish(1, "a") == "start 4")
        #expect(play.finish(3, "b") == "")
        #expect(play.finish(4, "c") == "start 2")
    }
}
