internal import EventLoop

/// The requests of one link: the device answers one after the other, each after the link's delay.
final class AttBearer {
    private struct Request {
        let run: () -> Void
        let abandon: () -> Void
    }

    private let loop: EventLoop
    private let delay: Duration
    private var waiting = FIFO<Request>()
    private var current: Request?
    private var timer: EventLoop.TimerID?
    private var isOpen = true

    init(loop: EventLoop, delay: Duration) {
        self.loop = loop
        self.delay = delay
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - run: called when the device has answered.
    ///   - abandon: called instead when the link ends before.
    func submit(_ run: @escaping () -> Void, abandon: @escaping () -> Void) {
        guard isOpen else { return abandon() }
        waiting.append(Request(run: run, abandon: abandon))
        if current == nil { startNext() }
    }

    /// Keeps the request that is being answered for later: nothing else is answered before `goOn`.
    func hold(_ run: @escaping () -> Void, abandon: @escaping () -> Void) {
        guard isOpen, current == nil else { return abandon() }
        current = Request(run: run, abandon: abandon)
    }

    /// Answers the request that was held, if there is one.
    func goOn() {
        if timer == nil, current != nil { finish() }
    }

    /// Ends the link: what waits is abandoned, in order.
    func close() {
        guard let abandoned = closeSilently() else { return }
        for request in abandoned { request.abandon() }
    }

    /// Ends the link of an object that goes: nobody gets an answer, as with bluetoothd.
    func drop() { _ = closeSilently() }

    private func closeSilently() -> [Request]? {
        guard isOpen else { return nil }
        isOpen = false
        if let timer { loop.cancel(timer) }
        timer = nil
        var requests: [Request] = []
        if let current { requests.append(current) }
        current = nil
        while let request = waiting.popFirst() { requests.append(request) }
        return requests
    }

    private func startNext() {
        guard isOpen, let request = waiting.popFirst() else { return }
        current = request
        timer = loop.schedule(after: delay) { [weak self] in self?.finish() }
    }

    private func finish() {
        timer = nil
        guard let request = current else { return }
        current = nil
        request.run()
        if current == nil { startNext() }
    }
}
