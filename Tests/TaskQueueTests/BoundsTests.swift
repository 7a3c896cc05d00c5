import TaskQueue
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BoundsTests {
    @Test func `a job that waits for a slot counts, one that starts at once does not`() {
        var play = Play(perDevice: 2, total: 3, slots: ["p": 1, "q": 1])
        #expect(play.submit(1, "a", slot: "p") == "start 1")
        #expect(play.submit(2, "b", slot: "p") == "")
        #expect(play.submit(3, "b") == "")
        #expect(play.submit(4, "b") == "deviceFull")
        #expect(play.submit(5, "c", slot: "p") == "")
        #expect(play.submit(6, "d", slot: "p") == "totalFull")
        #expect(play.submit(7, "d", slot: "q") == "start 7")
        #expect(play.submit(8, "e") == "start 8")
        #expect(play.submit(9, "b", .urgent) == "start 9")
        #expect(play.queue.waiting == 3)
    }

    @Test func `a refusal changes nothing`() {
        var play = Play(perDevice: 1, total: 2, slots: ["p": 1])
        _ = play.submit(1, "a", slot: "p")
        _ = play.submit(2, "a", slot: "p")
        _ = play.submit(3, "b", slot: "p")
        for _ in 0..<3 {
            #expect(play.submit(4, "a", .urgent, first: true, slot: "p") == "deviceFull")
            #expect(play.submit(5, "b", .urgent, first: true, slot: "p") == "deviceFull")
            #expect(play.submit(6, "c", slot: "p") == "totalFull")
        }
        #expect(play.queue.waitingJobs.map(\.id).sorted() == [2, 3])
        #expect(play.order("c") == "")
        #expect(play.slots() == "1/1, 1 waiting")
        #expect(play.finish(1) == "start 3")
        #expect(play.finish(3, "b") == "start 2")
    }

    @Test(arguments: [(0, 5, "deviceFull"), (5, 0, "totalFull"), (-1, -1, "deviceFull")])
    func `without room only what starts at once is taken`(perDevice: Int, total: Int, refusal: String) {
        var play = Play(perDevice: perDevice, total: total, slots: ["p": 0])
        #expect(play.submit(1) == "start 1")
        #expect(play.submit(2) == refusal)
        #expect(play.submit(3, "b", slot: "p") == refusal)
        #expect(play.finish(1) == "")
        #expect(play.submit(4) == "start 4")
    }
}
