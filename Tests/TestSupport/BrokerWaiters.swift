import EventLoop

/// Tasks that wait for something to become true, and are asked again whenever something has changed.
package final class Waiters: Sendable {
    private struct State {
        var last = 0
        var waiting: [Int: @Sendable (Bool) -> Bool] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    package init() {}

    /// Asks all who wait.
    ///
    /// Any thread.
    package func check() {
        for (number, ask) in state.withLock({ $0.waiting }) where ask(false) { _ = take(number) }
    }

    /// Waits until the question has an answer.
    ///
    /// - Parameter question: asked at once and at each `check()`, on any thread; nil means not yet.
    /// - Returns: the answer.
    /// - Throws: `CancellationError`.
    package func wait<Answer: Sendable>(for question: @escaping @Sendable () -> Answer?) async throws -> Answer {
        if let answer = question() { return answer }
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return try await withTaskCancellationHandler {
            try await handedOver { (done: @escaping @Sendable (Result<Answer, any Error>) -> Void) in
                let once = Locked<(@Sendable (Result<Answer, any Error>) -> Void)?>(done)
                let ask: @Sendable (Bool) -> Bool = { isCancelled in
                    let answer = isCancelled ? nil : question()
                    guard isCancelled || answer != nil else { return false }
                    let done = once.withLock { stored in
                        defer { stored = nil }
                        return stored
                    }
                    done?(answer.map(Result.success) ?? .failure(CancellationError()))
                    return true
                }
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.waiting[number] = ask
                    return false
                }
                // What changed before the question was entered has been asked by nobody.
                if ask(isCancelled) { _ = take(number) }
            }.get()
        } onCancel: {
            let ask = state.withLock { state in
                let ask = state.waiting.removeValue(forKey: number)
                if ask == nil { state.cancelled.insert(number) }
                return ask
            }
            _ = ask?(true)
        }
    }

    private func take(_ number: Int) -> Bool { state.withLock { $0.waiting.removeValue(forKey: number) != nil } }
}

/// Things in the order in which they happened, that tests wait for.
package final class Log<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])
    private let waiters = Waiters()

    package init() {}

    /// Adds an element.
    ///
    /// Any thread.
    package func append(_ element: Element) {
        elements.withLock { $0.append(element) }
        waiters.check()
    }

    /// All so far.
    package var all: [Element] { elements.withLock { $0 } }

    /// Waits until that many elements fulfil the condition.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - condition: on any thread.
    /// - Returns: the last of them.
    /// - Throws: `CancellationError`.
    @discardableResult
    package func wait(_ count: Int = 1, where condition: @escaping @Sendable (Element) -> Bool) async throws -> Element
    {
        try await waiters.wait {
            let found = self.elements.withLock { $0.filter(condition) }
            return found.count >= count ? found[count - 1] : nil
        }
    }

    /// Waits until there are that many elements.
    ///
    /// - Parameter count: of all.
    /// - Returns: the first of them, that many.
    /// - Throws: `CancellationError`.
    package func first(_ count: Int) async throws -> [Element] {
        try await waiters.wait {
            self.elements.withLock { $0.count >= count ? Array($0[..<count]) : nil }
        }
    }
}
