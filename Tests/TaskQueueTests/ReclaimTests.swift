import TaskQueue
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReclaimTests {
    @Test func `a link that has nothing to do is reclaimed for one who waits, once`() {
        var play = Play(slots: ["p": 1])
        #expect(play.up("a") == "")
        #expect(play.submit(1, "b", slot: "p") == "reclaim a")
        #expect(play.submit(2, "b", slot: "p") == "")
        #expect(play.submit(3, "c", slot: "p") == "")
        #expect(play.up("a") == "")
        #expect(play.slots() == "1/1, 2 waiting")
        #expect(play.down("a") == "start 1")
        #expect(play.down("a") == "")
    }

    @Test func `a refusal that meets a job which runs frees the link that is idle the longest, one at a time`() {
        var play = Play(slots: ["p": 3])
        #expect(play.refused("p") == "")
        for device in ["a", "b"] { _ = play.up(device) }
        #expect(play.submit(1, "c", slot: "p") == "start 1")
        #expect(play.refused("p") == "reclaim a")
        #expect(play.refused("p") == "")
        #expect(play.down("a") == "")
        #expect(play.refused("p") == "reclaim b")
        #expect(play.refused("q") == "")
    }

    @Test func `one link for each who waits, the longest idle first`() {
        var play = Play(slots: ["p": 3])
        for device in ["a", "b", "c"] { _ = play.up(device) }
        // What has been used since is idle for less time.
        #expect(play.submit(1, "a", slot: "p") == "start 1")
        #expect(play.finish(1, "a") == "")
        #expect(play.submit(2, "x", slot: "p") == "reclaim b")
        #expect(play.submit(3, "y", slot: "p") == "reclaim c")
        #expect(play.submit(4, "z", slot: "p") == "reclaim a")
        #expect(play.submit(5, "w", slot: "p") == "")
        #expect(play.down("c") == "start 2")
        #expect(play.down("a") == "start 3")
        #expect(play.down("b") == "start 4")
        #expect(play.slots() == "3/3, 1 waiting")
    }

    @Test func `a link is not reclaimed while its device has something to do`() {
        var play = Play(slots: ["p": 1])
        #expect(play.submit(1, "a", slot: "p") == "start 1")
        #expect(play.up("a") == "")
        #expect(play.submit(2, "a", slot: "p") == "")
        #expect(play.submit(3, "b", slot: "p") == "")
        #expect(play.finish(1, "a") == "start 2")
        #expect(play.finish(2, "a") == "reclaim a")
    }

    @Test func `a link that has to stay is never reclaimed`() {
        var play = Play(slots: ["p": 1])
        #expect(play.up("a", reclaimable: false) == "")
        #expect(play.submit(1, "b", slot: "p") == "")
        #expect(play.up("a", reclaimable: true) == "reclaim a")
        // Kept after all: another one has to go.
        #expect(play.up("c") == "")
        #expect(play.up("a", reclaimable: false) == "reclaim c")
        #expect(play.down("c") == "")
        #expect(play.up("a", reclaimable: true) == "reclaim a")
        #expect(play.down("a") == "start 1")
    }

    @Test func `a device whose link is being reclaimed asks again when it is down`() {
        var play = Play(slots: ["p": 1])
        _ = play.up("a")
        #expect(play.submit(1, "b", slot: "p") == "reclaim a")
        #expect(play.submit(2, "a", slot: "p") == "")
        #expect(play.queue.isWaitingForSlot("a"))
        #expect(play.slots() == "1/1, 1 waiting")
        #expect(play.submit(3, "a", first: true) == "start 3")
        #expect(play.finish(3, "a") == "")
        #expect(play.down("a") == "start 1")
        #expect(play.slots() == "1/1, 1 waiting")
        #expect(play.finish(1, "b") == "start 2")
    }

    @Test func `a reclaim that is not needed any more still ends with the link`() {
        var play = Play(slots: ["p": 1])
        _ = play.up("a")
        #expect(play.submit(1, "b", slot: "p") == "reclaim a")
        #expect(play.cancel(1) == "1: ")
        #expect(play.submit(2, "a", slot: "p") == "")
        #expect(play.down("a") == "start 2")
    }

    @Test func `a reclaim ends when the link is kept, or moves`() {
        var play = Play(slots: ["p": 1, "q": 1])
        _ = play.up("a")
        #expect(play.submit(1, "b", slot: "p") == "reclaim a")
        #expect(play.submit(2, "a", slot: "p") == "")
        #expect(play.up("a", reclaimable: false) == "start 2")
        #expect(play.finish(2, "a") == "")
        #expect(play.up("a", reclaimable: true) == "reclaim a")
        #expect(play.up("a", "q") == "start 1")
        #expect(play.submit(3, "a", slot: "q") == "start 3")
    }

    @Test func `over the limit one link at a time goes until there is room`() {
        var play = Play(slots: ["p": 4])
        for device in ["a", "b", "c"] { _ = play.up(device) }
        #expect(play.limit(1, "p") == "")
        #expect(play.submit(1, "x", slot: "p") == "reclaim a")
        #expect(play.down("a") == "reclaim b")
        #expect(play.down("b") == "reclaim c")
        #expect(play.down("c") == "start 1")
    }

    @Test func `two devices that want each other's slot do not wait for ever`() {
        var play = Play(slots: ["p": 1, "q": 1])
        _ = play.up("a", "p")
        _ = play.up("b", "q")
        #expect(play.submit(1, "a", slot: "q") == "reclaim b")
        #expect(play.submit(2, "b", slot: "p") == "")
        #expect(play.down("b") == "start 1")
        #expect(play.finish(1, "a") == "reclaim a")
        #expect(play.down("a") == "start 2")
    }

    @Test(arguments: [0, 1, 3])
    func `an endless stream of jobs on a link gives way after a burst`(burst: Int) {
        var play = Play(burst: burst, slots: ["p": 1])
        _ = play.submit(1, "a", slot: "p")
        _ = play.up("a")
        for id in 2...10 { _ = play.submit(id, "a", slot: "p") }
        for id in 1...4 { #expect(play.finish(id, "a") == "start \(id + 1)", "nobody waits yet") }
        #expect(play.submit(100, "b", slot: "p") == "")
        for id in 5..<(5 + burst) { #expect(play.finish(id, "a") == "start \(id + 1)") }
        #expect(play.finish(5 + burst, "a") == "reclaim a")
        #expect(play.slots() == "1/1, 1 waiting")
        #expect(play.down("a") == "start 100")
        #expect(play.slots() == "1/1, 1 waiting")
        #expect(play.finish(100, "b") == "start \(6 + burst)")
    }

    @Test func `only as many give way as there are who wait`() {
        var play = Play(burst: 1, slots: ["p": 2])
        for (index, device) in ["a", "b"].enumerated() {
            for id in 1...4 { _ = play.submit(10 * index + id, device, slot: "p") }
            _ = play.up(device)
        }
        #expect(play.submit(100, "x", slot: "p") == "")
        #expect(play.finish(1, "a") == "start 2")
        #expect(play.finish(11, "b") == "start 12")
        #expect(play.finish(2, "a") == "reclaim a")
        #expect(play.finish(12, "b") == "start 13")
        #expect(play.finish(13, "b") == "start 14")
        #expect(play.down("a") == "start 100")
        #expect(play.finish(14, "b") == "reclaim b")
    }

    @Test func `a stream does not give way on a link that has to stay, nor for less urgent ones`() {
        var play = Play(overtaking: 1000, burst: 1, slots: ["p": 1])
        _ = play.submit(0, "a", slot: "p")
        _ = play.up("a", reclaimable: false)
        _ = play.submit(100, "b", .low, slot: "p")
        for id in 1...9 {
            _ = play.submit(id, "a", slot: "p")
            #expect(play.finish(id - 1, "a") == "start \(id)")
            _ = play.up("a", reclaimable: true)
        }
        _ = play.submit(10, "a", .low, slot: "p")
        _ = play.submit(11, "a", .low, slot: "p")
        #expect(play.finish(9, "a") == "start 10")
        #expect(play.finish(10, "a") == "reclaim a")
    }

    @Test func `an urgent stream gives way to a low one that it overtook too often`() {
        var play = Play(overtaking: 3, burst: 2, slots: ["p": 1])
        _ = play.submit(0, "a", .urgent, slot: "p")
        _ = play.up("a")
        _ = play.submit(100, "b", .low, slot: "p")
        for id in 1...9 { _ = play.submit(id, "a", .urgent, slot: "p") }
        // Three overtake, two more are the burst.
        for id in 0..<5 { #expect(play.finish(id, "a") == "start \(id + 1)") }
        #expect(play.finish(5, "a") == "reclaim a")
        #expect(play.down("a") == "start 100")
    }

    @Test func `jobs that need no slot do not count as a burst`() {
        var play = Play(burst: 1, slots: ["p": 1])
        _ = play.submit(0, "a", slot: "p")
        _ = play.up("a")
        _ = play.submit(100, "b", slot: "p")
        for id in 1...3 { _ = play.submit(id, "a") }
        for id in 4...5 { _ = play.submit(id, "a", slot: "p") }
        for id in 0..<4 { #expect(play.finish(id, "a") == "start \(id + 1)") }
        #expect(play.finish(4, "a") == "reclaim a")
    }

    @Test func `nobody gives way while there is a free slot`() {
        var play = Play(burst: 0, slots: ["p": 2, "q": 0])
        _ = play.up("a")
        #expect(play.submit(1, "b", slot: "q", expiry: 10) == "")
        #expect(play.submit(2, "a", slot: "q", expiry: 10) == "")
        #expect(play.submit(3, "b", slot: "p") == "")
        #expect(play.submit(4, "a", slot: "p") == "")
        #expect(play.expire(at: 10) == "expire 1, expire 2, start 4, start 3")
    }
}
