package import EventLoop

/// The commands that were accepted and the messages that the broker has not got, on disk.
///
/// Confined to the loop, which never waits for the disk: a thread of the journal's own does. What is asked for while it
/// writes is gathered into one transaction. Completions come on the loop, later than the call, in the order of the calls;
/// only those that are refused without asking the thread (`busy`, `slow`, `closed`) may overtake. A change is kept once
/// its completion says so, and not kept if it fails.
package final class JournalStore {
    /// Told of each change of ``state``, before the completions that go with it.
    package var onState: ((JournalState) -> Void)?
    package private(set) var state = JournalState.opening
    /// What an earlier life left; nil until the file is open, from when on it can be read though it may be in `failed`.
    package private(set) var summary: JournalSummary?
    package private(set) var figures = JournalFigures()

    private let settings: JournalSettings
    private let loop: EventLoop
    private let inbox = Inbox<JournalThread.Item>()
    private var pending = FIFO<Pending>()
    private var pendingBytes = 0
    private var nextNumber: Int64 = 1
    private var nextMessage: Int64 = 1
    private var isStarted = false
    private var isClosing = false
    private var closing: [(Bool) -> Void] = []
    private var answered = 0
    private var stall: EventLoop.TimerID?

    private struct Pending {
        let bytes: Int
        let end: (JournalOutcome) -> Void
    }

    package init(_ settings: JournalSettings, loop: EventLoop) {
        self.settings = settings
        self.loop = loop
    }

    deinit { inbox.put(.close) }

    // MARK: Life

    /// Opens the file; ``onState`` tells what comes of it, and ``summary`` what was in it.
    ///
    /// A fault that can pass is tried again until it has: ``summary`` then comes later, with `working`.
    package func open() {
        guard !isStarted, !isClosing else { return }
        isStarted = true
        let box = StoreBox(store: self)
        let loop = loop
        let thread = JournalThread(settings: settings, inbox: inbox) { report in
            loop.execute { box.store?.take(report) }
        }
        do throws(SystemFailure) {
            try startDetachedThread { thread.run() }
        } catch {
            isStarted = false
            isClosing = true
            show(.failed(.inputOutput(code: 0, errno: error.code)))
        }
    }

    /// Carries out what waits, closes the file and ends the thread.
    ///
    /// - Parameters:
    ///   - patience: how long the disk is waited for.
    ///   - done: whether it was in time; otherwise what still waited may or may not have been kept.
    package func close(within patience: Duration = .seconds(5), _ done: @escaping (Bool) -> Void) {
        guard isStarted, state != .closed else {
            isClosing = true
            show(.closed)
            loop.schedule(after: .zero) { done(true) }
            return
        }
        closing.append(done)
        guard !isClosing else { return }
        isClosing = true
        inbox.put(.close)
        loop.schedule(after: patience) { [weak self] in self?.ended(inTime: false) }
    }

    // MARK: Numbers

    /// A number for a new entry; right once there is a ``summary``.
    package func newNumber() -> Int64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// An id for a new message; right once there is a ``summary``.
    package func newMessageID() -> Int64 {
        defer { nextMessage += 1 }
        return nextMessage
    }

    // MARK: Requests

    /// Hands a request to the thread.
    func send(_ request: JournalRequest, _ end: @escaping (JournalOutcome) -> Void) {
        if let refusal = refusal(request) {
            loop.schedule(after: .zero) { end(.failed(refusal)) }
            return
        }
        let bytes = request.bytes
        pending.append(Pending(bytes: bytes, end: end))
        pendingBytes += bytes
        inbox.put(.request(request))
        if stall == nil { watch() }
    }

    private func refusal(_ request: JournalRequest) -> JournalFailure? {
        if isClosing { return .closed }
        // Numbers taken before the file is open would not be above those in it.
        guard summary != nil else {
            if case .failed(let failure) = state { return failure }
            return .closed
        }
        if state == .failed(.slow), request.need == .room { return .slow }
        let isTooMuch = pending.count >= settings.waitingCount || pendingBytes >= settings.waitingBytes
        return isTooMuch ? .busy : nil
    }

    // MARK: Reports

    private func take(_ report: JournalThread.Report) {
        answered += 1
        figures = report.figures
        if let found = report.summary {
            summary = found.summary
            nextNumber = found.summary.nextNumber
            nextMessage = found.nextMessage
        }
        if !isClosing { show(report.state) }
        for outcome in report.outcomes {
            guard let first = pending.popFirst() else { break }
            pendingBytes -= first.bytes
            first.end(outcome)
        }
        if report.isLast { ended(inTime: true) }
    }

    private func show(_ state: JournalState) {
        guard state != self.state else { return }
        self.state = state
        onState?(state)
    }

    private func ended(inTime: Bool) {
        guard state != .closed else { return }
        show(.closed)
        while let next = pending.popFirst() { next.end(.failed(inTime ? .closed : .slow)) }
        pendingBytes = 0
        let waiting = closing
        closing = []
        for done in waiting { done(inTime) }
    }

    // MARK: A disk that does not answer

    /// Looks after a while whether anything has been answered; not at all while nothing waits.
    private func watch() {
        let seen = answered
        stall = loop.schedule(after: settings.patience) { [weak self] in
            guard let self else { return }
            self.stall = nil
            guard !self.pending.isEmpty, self.state != .closed else { return }
            if self.answered == seen, !self.isClosing { self.show(.failed(.slow)) }
            self.watch()
        }
    }
}

/// Carries the store through its thread.
private final class StoreBox: @unchecked Sendable {
    // Safe because: the thread only hands it back to the loop.
    weak var store: JournalStore?

    init(store: JournalStore) { self.store = store }
}
