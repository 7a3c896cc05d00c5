internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Runs an operation within a time limit and the caller's cancellation.
    func withScope<Value: Sendable>(
        _ limit: Duration,
        _ body: (OperationScope) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let scope = OperationScope(timeout: limit, on: loop)
        defer { scope.finish() }
        return try await within(scope, body)
    }

    /// Runs a part of an operation that the caller's cancellation ends.
    func within<Value: Sendable>(
        _ scope: OperationScope,
        _ body: (OperationScope) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await body(scope)
        } onCancel: {
            loop.execute { scope.cancel() }
        }
    }

    /// Waits until the probe has an answer.
    ///
    /// It is asked now and at each change of the link, or of the adapters and the bus where no link is given.
    func suspend<Value: Sendable>(
        _ scope: OperationScope,
        on link: Link? = nil,
        _ probe: @escaping () -> Result<Value, any Error>?
    ) async throws -> Value {
        try scope.check()
        let pokes = link?.pokes
        if let answer = probe() { return try answer.get() }
        return try await withCheckedThrowingContinuation { hold(Wait($0), scope, link, pokes, probe) }
    }

    /// Has a wait looked after until it is over.
    @inline(never)
    private func hold<Value: Sendable>(
        _ wait: Wait<Value>,
        _ scope: OperationScope,
        _ link: Link?,
        _ pokes: Int?,
        _ probe: @escaping () -> Result<Value, any Error>?
    ) {
        let look = {
            // A round of looks may come to one whose wait an earlier look has ended.
            guard !wait.isOver, let answer = probe() else { return }
            wait.resume(answer)
        }
        if let link {
            let number = link.add(look)
            wait.whenOver = { link.remove(number) }
        } else {
            lastNumber += 1
            let number = lastNumber
            stateProbes[number] = look
            wait.whenOver = { [unowned self] in assumeIsolated { $0.stateProbes[number] = nil } }
        }
        scope.setOnEnd { wait.resume(.failure($0)) }
        // A task that does not run on this loop comes here by a detour, in which everything may have changed.
        do {
            try scope.check()
            if link == nil || link?.pokes != pokes { look() }
        } catch {
            wait.resume(.failure(error))
        }
    }

    /// Waits until the probe gives its verdict: success, or the failure to end with.
    func wait(_ scope: OperationScope, on link: Link? = nil, _ probe: @escaping () -> Verdict?) async throws {
        try await suspend(scope, on: link, probe)
    }

    /// Waits for a start that is under way, then fails when Bluetooth cannot be used.
    func requireReady(_ scope: OperationScope) async throws {
        if isStarting { try await wait(scope) { self.isStarting ? nil : .success(()) } }
        if cyclingRadio(for: scope.adapter) != nil {
            try await wait(scope) { self.cyclingRadio(for: scope.adapter) == nil ? .success(()) : nil }
        }
        if let failure = unavailability(of: scope.adapter) { throw failure }
    }

    /// What a wait comes to.
    typealias Verdict = Result<Void, any Error>

    /// Pauses within an operation.
    package func pause(for duration: Duration, _ scope: OperationScope) async throws {
        try await pause(duration, scope)
    }

    func pause(_ duration: Duration, _ scope: OperationScope) async throws {
        try scope.check()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let wait = Wait(continuation)
            let timer = loop.schedule(after: duration) { wait.resume(.success(())) }
            wait.whenOver = { [loop] in loop.cancel(timer) }
            scope.setOnEnd { wait.resume(.failure($0)) }
        }
    }

    /// Calls BlueZ on behalf of a link.
    ///
    /// The link counts the call until its reply, though its caller may be gone.
    func send(_ message: DBusMessage, for link: Link, _ completion: @escaping (DBusConnection.Outcome) -> Void) {
        let box = CompletionBox(link: link, life: link.callBegins(), completion: completion)
        guard let connection else {
            box.complete(.failure(.disconnected))
            return
        }
        connection.assumeIsolated { $0.call(message) { box.complete($0) } }
    }

    /// Calls BlueZ on behalf of nobody in particular; those who wait for the state look again with the reply.
    func send(_ message: DBusMessage) -> ReplySlot {
        let reply = ReplySlot()
        let box = SlotBox(reply: reply, manager: self)
        guard let connection else {
            reply.outcome = .failure(.disconnected)
            return reply
        }
        connection.assumeIsolated { $0.call(message) { box.complete($0) } }
        return reply
    }

    /// Lets those look again who wait for adapters, the bus or bluetoothd.
    func pokeState() {
        for probe in Array(stateProbes.values) { probe() }
    }
}

/// One wait: resumed once, by whatever comes first.
private final class Wait<Value: Sendable> {
    private var continuation: CheckedContinuation<Value, any Error>?
    var isOver: Bool { continuation == nil }
    var whenOver: (() -> Void)?

    init(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = continuation }

    func resume(_ result: Result<Value, any Error>) {
        guard let continuation else { return }
        self.continuation = nil
        whenOver?()
        whenOver = nil
        continuation.resume(with: result)
    }
}

/// Carries a completion through the connection's `@Sendable` closure.
private final class CompletionBox: @unchecked Sendable {
    // Safe because: made and completed on the loop's thread.
    private let link: Link
    private let life: Int
    private let completion: (DBusConnection.Outcome) -> Void

    init(link: Link, life: Int, completion: @escaping (DBusConnection.Outcome) -> Void) {
        self.link = link
        self.life = life
        self.completion = completion
    }

    func complete(_ outcome: DBusConnection.Outcome) {
        completion(outcome)
        link.callEnds(of: life)
    }
}

/// Carries a reply through the connection's `@Sendable` closure into its slot.
private final class SlotBox: @unchecked Sendable {
    // Safe because: made and completed on the loop's thread.
    private let reply: ReplySlot
    private let manager: BluetoothManager

    init(reply: ReplySlot, manager: BluetoothManager) {
        self.reply = reply
        self.manager = manager
    }

    func complete(_ outcome: DBusConnection.Outcome) {
        reply.outcome = outcome
        manager.assumeIsolated { $0.pokeState() }
    }
}

/// Where the reply of a call lands.
final class ReplySlot {
    var outcome: DBusConnection.Outcome?
}
