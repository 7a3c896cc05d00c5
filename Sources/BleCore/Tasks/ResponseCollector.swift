internal import EventLoop

/// Gathers the packets of one answer and decides when it is complete.
///
/// Confined to the manager's loop. It listens from the moment that the subscription stands, and counts from `begin` on.
final class ResponseCollector: @unchecked Sendable {
    // Safe because: confined to the loop's thread, where notifications arrive and timers fire.

    /// How the answer ended.
    enum End: Equatable {
        case complete
        case rejected(String)
        case longConnection
        case tooLong
        /// No further packet came in time.
        case silent
    }

    private let command: PeripheralOperationCommand
    private let loop: EventLoop
    private let changed: () -> Void
    private(set) var answer = ResponsePackets()
    private(set) var end: End?
    private var counts = false
    private var timer: EventLoop.TimerID?

    /// Makes a collector; `changed` is called when the answer has ended.
    init(_ command: PeripheralOperationCommand, on loop: EventLoop, changed: @escaping () -> Void) {
        self.command = command
        self.loop = loop
        self.changed = changed
    }

    /// From now on packets belong to the answer: the first packet of the command is about to go out.
    func begin() { counts = true }

    /// The command is out: the time of the next packet begins.
    func startTime() {
        guard end == nil else { return }
        arm()
    }

    /// Takes the timer back.
    ///
    /// To be called on every way out.
    func stop() {
        if let timer { loop.cancel(timer) }
        timer = nil
        counts = false
    }

    func take(_ packet: [UInt8]) {
        guard counts, end == nil, let kept = command.filterData(packet, answer) else { return }
        guard answer.joined.count + kept.count <= command.maxResponseBytes else {
            finish(.tooLong)
            return
        }
        answer.append(kept)
        // Packets that come while the command is still being written have no time limit yet.
        let isTimed = timer != nil
        switch command.checkResponse(answer) {
        case .success: finish(.complete)
        case .failure(let reason): finish(.rejected(reason))
        case .longConnection: finish(.longConnection)
        case .goOn: if isTimed { arm() }
        }
    }

    private func arm() {
        if let timer { loop.cancel(timer) }
        var limit = command.timeout
        var end = End.silent
        if let silence = command.completesAfterSilence, !answer.isEmpty, silence <= limit {
            limit = silence
            end = .complete
        }
        timer = loop.schedule(after: limit) { [weak self] in
            self?.timer = nil
            self?.finish(end)
        }
    }

    private func finish(_ end: End) {
        stop()
        self.end = end
        changed()
    }
}
