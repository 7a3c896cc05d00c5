package import EventLoop

/// A connection to a message bus, driven by an event loop.
///
/// Signals and method calls go to one handler, synchronously, in the order of arrival; replies resume their callers.
package actor DBusConnection {
    /// Receives what is no reply to our own calls.
    ///
    /// Runs on the loop; must not block.
    package typealias Handler = @Sendable (DBusMessage) -> Void

    /// What became of a call: its reply, `DBusFailure.error`, or `DBusFailure.disconnected`.
    package typealias Outcome = Result<DBusMessage, DBusFailure>

    /// Receives the outcome of a call.
    ///
    /// Runs on the loop, in the order of the messages; must not block.
    package typealias Completion = @Sendable (Outcome) -> Void

    /// Our name on the bus, such as `:1.42`.
    package nonisolated let uniqueName: String
    package nonisolated let loop: EventLoop
    private let handle: ConnectionHandle
    private var pending: [UInt32: Completion] = [:]
    private var handler: Handler?
    private var onDisconnect: (@Sendable () -> Void)?
    private var hook: UInt64?
    private var open = true

    private init(handle: ConnectionHandle, loop: EventLoop) {
        self.handle = handle
        self.loop = loop
        uniqueName = handle.uniqueName
    }

    /// An open connection that nobody holds any more is closed; isolated, as libdbus is the loop's alone.
    isolated deinit { close() }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Connects to a bus.
    ///
    /// The blocking part runs on the worker.
    ///
    /// - Throws: `DBusFailure.connect` with the library's reason.
    package static func open(_ address: BusAddress, on loop: EventLoop, worker: Worker) async throws -> DBusConnection {
        let handle = try await worker.run { try ConnectionHandle.open(address) }
        let connection = DBusConnection(handle: handle, loop: loop)
        await connection.attach()
        return connection
    }

    private func attach() {
        handle.attach(to: loop)
        hook = loop.addHook { [weak self] in self?.assumeIsolated { $0.dispatch() } ?? false }
    }

    /// Sets who receives signals and method calls, and who hears of the connection's end.
    package func setHandler(_ handler: @escaping Handler, onDisconnect: @escaping @Sendable () -> Void) {
        self.handler = handler
        self.onDisconnect = onDisconnect
        if !open { onDisconnect() }
    }

    /// Calls a method.
    ///
    /// There is no time limit; the completion comes exactly once, and before any later message is handled, so a
    /// snapshot can be taken up before the signals that follow it.
    package func call(_ message: DBusMessage, completion: @escaping Completion) {
        do throws(DBusFailure) {
            guard open else { throw .disconnected }
            pending[try handle.send(message)] = completion
        } catch {
            completion(.failure(error))
        }
    }

    /// Calls a method and waits for its reply.
    ///
    /// There is no time limit: cancel the task to stop waiting.
    ///
    /// - Throws: `DBusFailure.error` for an error reply, `.disconnected`, or `CancellationError`; the call itself is
    ///   not undone by cancellation.
    package func call(_ message: DBusMessage) async throws -> DBusMessage {
        try Task.checkCancellation()
        let waiter = ReplyWaiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.continuation.withLock { $0 = continuation }
                call(message) { waiter.resume($0.mapError { $0 }) }
                if Task.isCancelled { waiter.resume(.failure(CancellationError())) }
            }
        } onCancel: {
            waiter.resume(.failure(CancellationError()))
        }
    }

    /// Sends a signal, a reply or a call that wants no reply.
    ///
    /// - Throws: `DBusFailure.disconnected`.
    package func send(_ message: DBusMessage) throws(DBusFailure) {
        guard open else { throw .disconnected }
        _ = try handle.send(message)
    }

    /// How many calls have no reply yet.
    package var callsOut: Int { pending.count }

    /// Ends the connection.
    ///
    /// Calls that are out end with `.disconnected`.
    package func close() {
        guard open else { return }
        open = false
        if let hook { loop.removeHook(hook) }
        hook = nil
        handle.detach()
        let calls = pending
        pending = [:]
        for completion in calls.values { completion(.failure(.disconnected)) }
        handler = nil
        let onDisconnect = onDisconnect
        self.onDisconnect = nil
        onDisconnect?()
    }

    /// Handles what has arrived; true when more may be waiting.
    private func dispatch() -> Bool {
        // Bounded, so that a flood of signals does not keep MQTT and timers waiting.
        for _ in 0..<64 {
            guard open, let message = handle.popMessage() else { return false }
            switch message.kind {
            case .methodReturn, .error: settle(message)
            case .signal where message.isSignal("org.freedesktop.DBus.Local", "Disconnected"):
                close()
                return false
            case .signal, .methodCall: handler?(message)
            case nil: break
            }
        }
        return true
    }

    private func settle(_ reply: DBusMessage) {
        guard let completion = pending.removeValue(forKey: reply.replySerial) else { return }
        if reply.kind == .error {
            let name = reply.errorName ?? "org.freedesktop.DBus.Error.Failed"
            completion(.failure(.error(name: name, message: reply.errorMessage)))
        } else {
            completion(.success(reply))
        }
    }
}

/// One caller that waits; resumed once, by its reply or by cancellation, which may come from any thread.
private final class ReplyWaiter: Sendable {
    let continuation = Locked<CheckedContinuation<DBusMessage, any Error>?>(nil)

    func resume(_ outcome: Result<DBusMessage, any Error>) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(with: outcome)
    }
}
