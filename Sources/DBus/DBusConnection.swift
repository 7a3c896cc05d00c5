package import EventLoop

/// A connection to a message bus, driven by an event loop.
///
/// Signals and method calls go to one handler, synchronously, in the order of arrival; replies resume their callers.
package actor DBusConnection {
    /// Receives what is no reply to our own calls. Runs on the loop; must not block.
    package typealias Handler = @Sendable (DBusMessage) -> Void

    private struct Pending {
        /// Taken when the caller is resumed: by the reply, the end of the connection, or cancellation.
        var continuation: CheckedContinuation<DBusMessage, any Error>?
        var settled: (@Sendable () -> Void)?
    }

    /// Our name on the bus, such as `:1.42`.
    package nonisolated let uniqueName: String
    package nonisolated let loop: EventLoop
    private let handle: ConnectionHandle
    private var pending: [UInt32: Pending] = [:]
    private var handler: Handler?
    private var onDisconnect: (@Sendable () -> Void)?
    private var hook: UInt64?
    private var open = true

    private init(handle: ConnectionHandle, loop: EventLoop) {
        self.handle = handle
        self.loop = loop
        uniqueName = handle.uniqueName
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Connects to a bus. The blocking part runs on the worker.
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

    /// Calls a method and waits for its reply. There is no time limit: cancel the task to stop waiting.
    ///
    /// - Parameter settled: called on the loop when the call is truly over, though the caller was cancelled before:
    ///   with the reply, or with the connection's end.
    /// - Throws: `DBusFailure.error` for an error reply, `.disconnected`, or `CancellationError`; the call itself is
    ///   not undone by cancellation.
    package func call(
        _ message: DBusMessage,
        settled: (@Sendable () -> Void)? = nil
    ) async throws -> DBusMessage {
        do {
            try Task.checkCancellation()
            guard open else { throw DBusFailure.disconnected }
        } catch {
            settled?()
            throw error
        }
        let serial: UInt32
        do {
            serial = try handle.send(message)
        } catch {
            settled?()
            throw error
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pending[serial] = Pending(continuation: continuation, settled: settled)
                if Task.isCancelled { abandon(serial) }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.abandon(serial) } }
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

    /// Ends the connection. Calls that are out end with `.disconnected`.
    package func close() {
        guard open else { return }
        open = false
        if let hook { loop.removeHook(hook) }
        hook = nil
        handle.detach()
        let calls = pending
        pending = [:]
        for call in calls.values {
            call.continuation?.resume(throwing: DBusFailure.disconnected)
            call.settled?()
        }
        handler = nil
        let onDisconnect = onDisconnect
        self.onDisconnect = nil
        onDisconnect?()
    }

    private func abandon(_ serial: UInt32) {
        guard let continuation = pending[serial]?.continuation else { return }
        pending[serial]?.continuation = nil
        continuation.resume(throwing: CancellationError())
    }

    /// Handles what has arrived; true when more may be waiting.
    private func dispatch() -> Bool {
        // Bounded, so that a flood of signals does not keep MQTT and timers waiting.
        for _ in 0..<256 {
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
        guard let call = pending.removeValue(forKey: reply.replySerial) else { return }
        if let continuation = call.continuation {
            if reply.kind == .error {
                let name = reply.errorName ?? "org.freedesktop.DBus.Error.Failed"
                continuation.resume(throwing: DBusFailure.error(name: name, message: reply.errorMessage))
            } else {
                continuation.resume(returning: reply)
            }
        }
        call.settled?()
    }
}
