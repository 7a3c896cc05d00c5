package import BleCore
package import EventLoop
package import Profiles

/// A scan that lasts: hears reports, decides which of them are published, and gathers them into batches.
///
/// Confined to the agent.
package final class ScanSession {
    package let name: SessionName
    package let command: ScanStartCommand
    /// The manager's number for what the session makes BlueZ do.
    var demand: Int?
    var end: EventLoop.TimerID?
    /// When it ends, in milliseconds since 1970-01-01 UTC; nil: when it is stopped.
    var endsMs: Int64?

    /// What profiles read from an advertisement; nil: it is not asked for.
    package var decode: ((Advertisement) -> AdvertisementReading)?

    /// How long a session waits before it looks for room again: the gaps double until there is some.
    private static let gaps = Duration.milliseconds(1)...Duration.milliseconds(64)
    /// How many messages a session that has waited sends in one turn: as many as the client hands over.
    private static let burst = 64

    private let loop: EventLoop
    private let hasRoom: () -> Bool
    private let publish: (ScanBatchMessage) -> Bool
    private let nameOf: (DeviceAddress) -> DeviceName
    private var heard: HeardTable
    private var batch: [Advertisement] = []
    /// What found no room; while there is anything all that comes goes behind it.
    private var waiting = WaitingReports()
    /// Ends the batch, or looks for room.
    private var timer: EventLoop.TimerID?
    private var gap = gaps.lowerBound
    /// When a device was published last, and whether newer reports wait for its turn.
    private var turns: [DeviceAddress: (published: ContinuousClock.Instant, waits: Bool)] = [:]
    private var unsaidDropped = 0
    private var unsaidCoalesced = 0
    package private(set) var published: Int64 = 0
    package private(set) var dropped: Int64 = 0
    /// Reports that were to be published and gave way to a newer one of their device while they waited.
    package private(set) var coalesced: Int64 = 0

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - command: what was asked for.
    ///   - name: the session's.
    ///   - loop: where it lives.
    ///   - nameOf: what a device is called.
    ///   - hasRoom: whether what is published goes on its way now; while not, reports wait here.
    ///   - publish: answers whether there was a place for the message.
    package init(
        _ command: ScanStartCommand,
        name: SessionName,
        loop: EventLoop,
        nameOf: @escaping (DeviceAddress) -> DeviceName,
        hasRoom: @escaping () -> Bool,
        publish: @escaping (ScanBatchMessage) -> Bool
    ) {
        self.command = command
        self.name = name
        self.loop = loop
        self.nameOf = nameOf
        self.hasRoom = hasRoom
        self.publish = publish
        heard = HeardTable(filter: command.filter)
    }

    /// What the retained state says.
    package func state(_ state: ScanStateMessage.State, reason: String? = nil) -> ScanStateMessage {
        ScanStateMessage(
            session: name,
            state: state,
            reason: reason,
            mode: command.filter.mode,
            signals: heard.signals,
            published: published,
            dropped: dropped + heard.overflow,
            coalesced: coalesced
        )
    }

    /// Takes up a report, on the loop.
    package func hear(_ report: Advertisement) {
        var report = report
        guard let novelty = heard.hear(&report, comparing: command.emit == .change) else { return }
        switch command.emit {
        case .all: emit(report)
        case .first: if novelty == .device { emit(report) }
        case .change: if novelty != .nothing { emit(report) }
        case .every(let span): emit(report, every: span)
        }
    }

    /// Sends what waits and takes the timers back.
    package func stop() {
        stopTimer()
        while !waiting.isEmpty { send(waiting.take(command.batch.maxDevices)) }
        sendBatch()
        if let end { loop.cancel(end) }
        end = nil
        turns = [:]
    }

    private func emit(_ advertisement: Advertisement, every span: Duration) {
        let address = advertisement.address
        let now = ContinuousClock.now
        guard let turn = turns[address], now - turn.published < span else {
            turns[address] = (now, false)
            emit(advertisement)
            return
        }
        guard !turn.waits else { return }
        turns[address]?.waits = true
        loop.schedule(at: turn.published + span) { [weak self] in self?.turnComes(address) }
    }

    /// The span of a device is over: its newest report goes out.
    private func turnComes(_ address: DeviceAddress) {
        guard turns[address]?.waits == true, let latest = heard.devices[address] else { return }
        turns[address] = (.now, false)
        emit(latest)
    }

    private func emit(_ advertisement: Advertisement) {
        guard waiting.isEmpty else { return hold(advertisement) }
        batch.append(advertisement)
        if batch.count >= command.batch.maxDevices {
            flush()
        } else if timer == nil {
            timer = loop.schedule(after: command.batch.maxDelay) { [weak self] in self?.flush() }
        }
    }

    /// The batch is full, or its time is over.
    private func flush() {
        stopTimer()
        guard hasRoom() else {
            for report in batch { hold(report) }
            batch.removeAll(keepingCapacity: true)
            return lookForRoom()
        }
        sendBatch()
    }

    // MARK: Without room

    private func hold(_ report: Advertisement) {
        guard waiting.add(report) else { return }
        coalesced += 1
        unsaidCoalesced += 1
    }

    private func lookForRoom() {
        timer = loop.schedule(after: gap) { [weak self] in self?.release() }
        gap = min(gap * 2, Self.gaps.upperBound)
    }

    /// Sends what has waited, as far as there is room.
    private func release() {
        timer = nil
        var budget = Self.burst
        while !waiting.isEmpty {
            guard budget > 0 else {
                // The client hands these over first.
                timer = loop.schedule(after: .zero) { [weak self] in self?.release() }
                return
            }
            guard hasRoom() else { return lookForRoom() }
            budget -= 1
            gap = Self.gaps.lowerBound
            send(waiting.take(command.batch.maxDevices))
        }
    }

    // MARK: Messages

    private func stopTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    private func sendBatch() {
        guard !batch.isEmpty else { return }
        send(batch)
        batch.removeAll(keepingCapacity: true)
    }

    private func send(_ reports: [Advertisement]) {
        let devices = reports.map { report in
            var device = HeardDevice(name: nameOf(report.address), advertisement: report)
            device.decoded = decode?(report)
            return device
        }
        let message = ScanBatchMessage(
            session: name,
            devices: devices,
            dropped: unsaidDropped,
            coalesced: unsaidCoalesced
        )
        if publish(message) {
            published += Int64(devices.count)
            unsaidDropped = 0
            unsaidCoalesced = 0
        } else {
            dropped += Int64(devices.count)
            unsaidDropped += devices.count
        }
    }
}
