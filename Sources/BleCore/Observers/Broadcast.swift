internal import Synchronization

/// Hands each element to any number of observers: handlers at once, sequences through a bounded buffer.
///
/// Confined to the actor that owns it.
struct Broadcast<Element: Sendable> {
    private var handlers: [Int: (Element) -> Void] = [:]
    private var last = 0

    var isEmpty: Bool { handlers.isEmpty }

    mutating func add(_ handler: @escaping (Element) -> Void) -> Int {
        last += 1
        handlers[last] = handler
        return last
    }

    mutating func remove(_ number: Int) { handlers[number] = nil }

    func send(_ element: Element) {
        for handler in handlers.values { handler(element) }
    }
}

/// A bounded sequence of elements: when its reader is slower than they come, the oldest are dropped and counted.
public struct BoundedSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Element>
    private let counter: DropCounter

    init(bound: Int, _ attach: (AsyncStream<Element>.Continuation, DropCounter) -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(bound))
        self.stream = stream
        counter = DropCounter()
        attach(continuation, counter)
    }

    /// How many elements were dropped so far.
    public var dropped: Int { counter.value }

    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
}

/// Counts what a bounded sequence had to drop.
final class DropCounter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func note<Element>(_ result: AsyncStream<Element>.Continuation.YieldResult) {
        if case .dropped = result { count.add(1, ordering: .relaxed) }
    }
}
