/// Waits for what another thread hands over, once.
///
/// What `withCheckedContinuation` does, with the value behind a lock. The runtime of Swift 6.3 does not tell the thread
/// sanitizer of a continuation that is resumed just as its task begins to wait (`swift_continuation_await`, where its
/// exchange fails), and all that the other thread has written before would be taken for a race.
///
/// - Parameters:
///   - isolation: of the caller, which it keeps.
///   - body: runs at once; gets what takes the value, on any thread, to be called once.
/// - Returns: the value.
package func handedOver<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let slot = Locked<Value?>(nil)
    await withCheckedContinuation { continuation in
        body { value in
            slot.withLock { $0 = value }
            continuation.resume()
        }
    }
    guard let value = slot.withLock({ $0 }) else { preconditionFailure("a continuation was resumed without its value") }
    return value
}
