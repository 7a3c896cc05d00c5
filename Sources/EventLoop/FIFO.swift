/// A first-in, first-out queue in one array, whose taken front is given back in steps.
///
/// Public and inlinable, because other modules would run it unspecialised otherwise, many times slower.
public struct FIFO<Element> {
    @usableFromInline var storage: [Element?] = []
    @usableFromInline var head = 0

    @inlinable public init() {}

    @inlinable public var isEmpty: Bool { head == storage.count }
    @inlinable public var count: Int { storage.count - head }
    @inlinable public var first: Element? { head < storage.count ? storage[head] : nil }

    @inlinable public mutating func append(_ element: Element) { storage.append(element) }

    @inlinable public mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        let element = storage[head]
        storage[head] = nil
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: storage.capacity <= 4096)
            head = 0
        } else if head >= 4096, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes and returns the first element that fulfils the condition.
    @inlinable public mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
        for index in head..<storage.count {
            if let element = storage[index], condition(element) {
                storage.remove(at: index)
                return element
            }
        }
        return nil
    }
}
