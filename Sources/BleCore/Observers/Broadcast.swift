internal import Synchronization

/// Hands each element to any number of observers: handlers at once, sequences through a bounded buffer.
///
/// Confined to the actor that owns it.
struct Broadcast<Element: Sendable> {
    private var handlers: [Int: (Element) -> Void] = [:]
    private var last = 0

    var isEmpty: Bool { handlers.isEmpty }
    var count: Int { handlers.count }

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

    /// Makes a sequence that keeps at most so many elements (at least one) for its reader, and what feeds it.
    static func make(bound: Int) -> (sequence: Self, feed: Feed<Element>) {
        let policy = AsyncStream<Element>.Continuation.BufferingPolicy.bufferingNewest(Swift.max(1, bound))
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        let counter = DropCounter()
        return (Self(stream: stream, counter: counter), Feed(continuation: continuation, counter: counter))
    }

    /// How many elements were dropped so far.
    public var dropped: Int { counter.value }

    public func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
}

/// The writing end of a bounded sequence.
struct Feed<Element: Sendable>: Sendable {
    fileprivate let continuation: AsyncStream<Element>.Continuation
    fileprivate let counter: DropCounter

    func send(_ element: Element) {
        if case .dropped = continuation.yield(element) { counter.add() }
    }

    /// Sets what to do, on any thread, when the reader's task is cancelled or nobody can read any more.
    func onEnd(_ action: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in action() } }
}

/// Counts what a bounded sequence had to drop.
private final class DropCounter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}
