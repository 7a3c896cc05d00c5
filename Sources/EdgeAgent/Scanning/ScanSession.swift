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

    private let loop: EventLoop
    private let publish: (ScanBatchMessage) -> Bool
    private let nameOf: (DeviceAddress) -> DeviceName
    private var heard: HeardTable
    private var batch: [Advertisement] = []
    private var flushTimer: EventLoop.TimerID?
    /// When a device was published last, and whether newer reports wait for its turn.
    private var turns: [DeviceAddress: (published: ContinuousClock.Instant, waits: Bool)] = [:]
    private var unsaid = 0
    package private(set) var published: Int64 = 0
    package private(set) var dropped: Int64 = 0

    /// Makes a session that publishes through `publish`, which answers whether there was a place for the message.
    package init(
        _ command: ScanStartCommand,
        name: SessionName,
        loop: EventLoop,
        nameOf: @escaping (DeviceAddress) -> DeviceName,
        publish: @escaping (ScanBatchMessage) -> Bool
    ) {
        self.command = command
        self.name = name
        self.loop = loop
        self.nameOf = nameOf
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
            dropped: dropped + heard.overflow
        )
    }

    /// Takes up a report, on the loop.
    package func hear(_ report: Advertisement) {
        guard let (now, before) = heard.hear(report) else { return }
        switch command.emit {
        case .all: emit(now)
        case .first: if before == nil { emit(now) }
        case .change: if before.map({ !now.says(theSameAs: $0) }) ?? true { emit(now) }
        case .every(let span): emit(now, every: span)
        }
    }

    /// Sends what waits and takes the timers back.
    package func stop() {
        flush()
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
        batch.append(advertisement)
        if batch.count >= command.batch.maxDevices {
            flush()
        } else if flushTimer == nil {
            flushTimer = loop.schedule(after: command.batch.maxDelay) { [weak self] in self?.flush() }
        }
    }

    private func flush() {
        if let flushTimer { loop.cancel(flushTimer) }
        flushTimer = nil
        guard !batch.isEmpty else { return }
        let devices = batch.map { report in
            var device = HeardDevice(name: nameOf(report.address), advertisement: report)
            device.decoded = decode?(report)
            return device
        }
        batch.removeAll(keepingCapacity: true)
        if publish(ScanBatchMessage(session: name, devices: devices, dropped: unsaid)) {
            published += Int64(devices.count)
            unsaid = 0
        } else {
            dropped += Int64(devices.count)
            unsaid += devices.count
        }
    }
}
