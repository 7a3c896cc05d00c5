internal import Glibc

/// A value behind a lock.
///
/// What `Synchronization.Mutex` does, on a POSIX mutex: the thread sanitizer knows those, and takes every use of the
/// other, on Linux, for a race.
package final class Locked<Value>: @unchecked Sendable {
    // Safe because: `value` is touched with the mutex held only, and values go in and out as `sending`.

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs the body with the lock held; it must not come back to the same lock.
    ///
    /// - Parameter body: short, as others wait for it.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws.
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
