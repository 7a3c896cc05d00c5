import MQTT
import Testing

@Suite(.timeLimit(.minutes(10))) struct OutgoingQueueTests {
    private func entry(
        _ topic: String,
        _ delivery: MQTTDeliveryClass = .required,
        bytes: Int = 0,
        first: Bool = false
    ) -> OutgoingQueue.Entry {
        let payload = [UInt8](repeating: 0, count: bytes)
        var publication = MQTTPublication(topic: topic, payload: payload, delivery: delivery)
        publication.first = first
        return OutgoingQueue.Entry(publication: publication)
    }

    private func limits(messages: Int, required: Int = 100) -> MQTTOutgoingLimits {
        var limits = MQTTOutgoingLimits()
        limits.messages = messages
        limits.requiredMessages = required
        return limits
    }

    private func topics(_ queue: inout OutgoingQueue) -> [String] { queue.removeAll().map(\.publication.topic) }

    @Test func `messages of all classes leave in the order in which they came`() throws {
        var queue = OutgoingQueue(limits: limits(messages: 10))
        for (topic, delivery) in [("a", .required), ("b", .expendable), ("c", .ordered), ("d", .required)]
            as [(String, MQTTDeliveryClass)]
        {
            let dropped1 = try queue.append(entry(topic, delivery))
            #expect(dropped1.isEmpty)
        }
        #expect(queue.count == 4)
        let next = queue.first()
        #expect(next?.publication.topic == "a")
        let left = topics(&queue)
        #expect(left == ["a", "b", "c", "d"])
        #expect(queue.isEmpty && queue.bytes == 0)
    }

    @Test func `over the bound the oldest expendable goes first, then the oldest ordered, a required one never`() throws
    {
        var queue = OutgoingQueue(limits: limits(messages: 3))
        _ = try queue.append(entry("r1"))
        _ = try queue.append(entry("o1", .ordered))
        _ = try queue.append(entry("e1", .expendable))
        let dropped2 = try queue.append(entry("e2", .expendable))
        #expect(dropped2.map(\.entry.publication.topic) == ["e1"])
        let dropped3 = try queue.append(entry("r2"))
        #expect(dropped3.map(\.entry.publication.topic) == ["e2"])
        let dropped4 = try queue.append(entry("r3"))
        #expect(dropped4.map(\.entry.publication.topic) == ["o1"])
        let dropped5 = try queue.append(entry("r4"))
        #expect(dropped5.isEmpty)
        // Nothing may go for it but itself.
        let dropped = try queue.append(entry("o2", .ordered))
        #expect(dropped.map(\.entry.publication.topic) == ["o2"])
        #expect(dropped.map(\.reason) == [.queueFull])
        let left = topics(&queue)
        #expect(left == ["r1", "r2", "r3", "r4"])
    }

    @Test func `bytes are bounded as messages are`() throws {
        var limits = MQTTOutgoingLimits()
        limits.bytes = 1000
        limits.requiredBytes = 2000
        var queue = OutgoingQueue(limits: limits)
        _ = try queue.append(entry("o1", .ordered, bytes: 500))
        let dropped6 = try queue.append(entry("o2", .ordered, bytes: 500))
        #expect(dropped6.map(\.entry.publication.topic) == ["o1"])
        #expect(queue.bytes <= 1000)
        _ = try queue.append(entry("r", bytes: 1900))
        #expect(throws: MQTTRefusal.queueFull) { try queue.append(entry("r", bytes: 100)) }
        let left = topics(&queue)
        #expect(left == ["r"])
    }

    @Test func `the required class has a cap of its own`() throws {
        var queue = OutgoingQueue(limits: limits(messages: 1, required: 2))
        _ = try queue.append(entry("r1"))
        _ = try queue.append(entry("r2"))
        #expect(throws: MQTTRefusal.queueFull) { try queue.append(entry("r3")) }
        _ = queue.popFirst()
        let dropped7 = try queue.append(entry("r3"))
        #expect(dropped7.isEmpty)
        let left = topics(&queue)
        #expect(left == ["r2", "r3"])
    }

    @Test func `a newer state takes the waiting one's place at the end, even at the cap`() throws {
        var queue = OutgoingQueue(limits: limits(messages: 10, required: 2))
        func state(_ value: UInt8) -> OutgoingQueue.Entry {
            var publication = MQTTPublication(topic: "state", payload: [value])
            publication.replaces = true
            return OutgoingQueue.Entry(publication: publication)
        }
        _ = try queue.append(state(1))
        _ = try queue.append(entry("r"))
        let dropped = try queue.append(state(2))
        #expect(dropped.map(\.reason) == [.replaced])
        #expect(dropped.map(\.entry.publication.payload) == [[1]])
        let left = queue.removeAll()
        #expect(left.map(\.publication.topic) == ["r", "state"])
        #expect(left.last?.publication.payload == [2])
    }

    @Test func `many replaced messages leave nothing behind`() throws {
        var queue = OutgoingQueue(limits: limits(messages: 10))
        var publication = MQTTPublication(topic: "state", payload: [])
        publication.replaces = true
        for _ in 0..<10_000 { _ = try queue.append(OutgoingQueue.Entry(publication: publication)) }
        #expect(queue.count == 1)
        let left = topics(&queue)
        #expect(left == ["state"])
        #expect(queue.bytes == 0)
    }

    @Test func `what a lost link gave back goes first, then what is marked first`() throws {
        var queue = OutgoingQueue(limits: limits(messages: 10))
        _ = try queue.append(entry("c"))
        _ = try queue.append(entry("birth", first: true))
        queue.giveBack([entry("a"), entry("b")])
        let next = queue.first()
        #expect(next?.handedOver == true)
        let left = topics(&queue)
        #expect(left == ["a", "b", "birth", "c"])
    }

    @Test func `what was given back twice keeps its order`() throws {
        var queue = OutgoingQueue(limits: limits(messages: 10))
        queue.giveBack([entry("a"), entry("b"), entry("c")])
        let (first, second) = (queue.popFirst(), queue.popFirst())
        queue.giveBack([first, second].compactMap { $0 })
        let left = topics(&queue)
        #expect(left == ["a", "b", "c"])
    }

    @Test func `without a link expendable messages go`() throws {
        var queue = OutgoingQueue(limits: limits(messages: 10))
        for (topic, delivery) in [("e", .expendable), ("o", .ordered), ("e2", .expendable)]
            as [(String, MQTTDeliveryClass)]
        {
            _ = try queue.append(entry(topic, delivery))
        }
        let dropped = queue.dropExpendable()
        #expect(Set(dropped.map(\.entry.publication.topic)) == ["e", "e2"])
        let left = topics(&queue)
        #expect(left == ["o"])
    }
}
