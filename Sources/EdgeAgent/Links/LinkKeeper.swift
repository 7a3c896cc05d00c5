package import BleCore

/// Which devices are to have a link that they have not, and when it is tried to make it: for a policy of `keep` and for
/// subscriptions alike.
///
/// A pure state machine without a clock: each call says what the time is and answers with what is to be done.
///
/// ```
///           wanted               due, or heard again             success
///  no entry ──────▶ waiting ───────────────────────────▶ trying ──────────▶ up
///                    ▲ ▲ ▲ ▲            failed              │ │              │
///                    │ │ │ └────────────────────────────────┤ │              │
///   Bluetooth is back│ │ │                                  │ │              │
///               blocked│◀─ ─ no Bluetooth ──────────────────┘ │ too often    │
///                      │ └────────── the link is lost ────────┼──────────────┘
///                      └── other rules, Bluetooth back ── given up
/// ```
package struct LinkKeeper: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What the owner has to do.
    package enum Action: Sendable, Equatable {
        /// Make the link; `ended` is to be called with what came of it.
        case connect(DeviceAddress)
        /// End the try that is under way; `ended` need not be called for it.
        case cancel(DeviceAddress)
        /// It was tried as often as it may be; nothing more comes until there is a link again.
        case gaveUp(DeviceAddress, attempts: Int)
    }

    /// The gaps between tries.
    package struct Gaps: Sendable {
        package var first = Duration.seconds(1)
        package var longest = Duration.seconds(60)
        /// A link that stood so long lets the gaps begin anew.
        package var held = Duration.seconds(30)
        /// What a gap is multiplied with.
        package var jitter: @Sendable () -> Double = { Double.random(in: 0.8...1.2) }

        package init() {}
    }

    /// What came of a try.
    package enum Outcome: Sendable, Equatable {
        case success
        case failure
        /// There was no link to be had now, through no fault of the device: no free slot, a weak signal.
        case postponed
        /// Bluetooth cannot be used: nothing is tried until `bluetoothReturned`.
        case noBluetooth
    }

    /// How a device stands.
    package enum Phase: Sendable, Equatable {
        case up(since: Instant)
        /// The next try comes then.
        case waiting(until: Instant)
        case trying
        /// Until Bluetooth is back.
        case blocked
        case gaveUp
    }

    private struct Entry {
        var rules = LinkRules()
        /// A command has ended the link: it is not made again before somebody else makes one.
        var isPaused = false
        /// Nil: no link, and none is to be made.
        var phase: Phase?
        /// Tries in a row that came to nothing.
        var failures = 0
        /// Which gap comes next.
        var step = 0
        /// When and how strong it was heard.
        var heard: (at: Instant, rssi: Int?)?
        /// Since when nothing was heard of it, as far as the last try and reports tell.
        var silentSince: Instant?

        /// Whether it is near enough by its rules: it was heard so strong in the last ten seconds.
        func isStrong(at now: Instant) -> Bool {
            guard let floor = rules.rssiMin else { return true }
            guard let heard, now - heard.at <= .seconds(10), let rssi = heard.rssi else { return false }
            return rssi >= floor
        }
    }

    package var gaps: Gaps
    private var entries: [DeviceAddress: Entry] = [:]
    /// Devices for which advertisements count, so that reports of all others cost nothing.
    private var waiting: Set<DeviceAddress> = []

    package init(_ gaps: Gaps = Gaps()) { self.gaps = gaps }

    // MARK: What is wanted

    /// Says that a device is to have a link, and by which rules it is made again.
    ///
    /// - Parameters:
    ///   - address: The device.
    ///   - rules: How often and how near.
    ///   - hasLink: Whether there is one.
    ///   - now: The time.
    package mutating func want(_ address: DeviceAddress, _ rules: LinkRules, hasLink: Bool, at now: Instant) {
        _ = change(address) { keeper, entry in
            entry.rules = rules
            switch entry.phase {
            case nil where hasLink: entry.phase = .up(since: now)
            case nil where !entry.isPaused:
                entry.phase = .waiting(until: now)
                entry.silentSince = now
            case .gaveUp where rules.maxAttempts.map({ entry.failures < $0 }) ?? true: keeper.wait(&entry, at: now)
            default: break
            }
            return []
        }
    }

    /// Says that nobody wants a link to a device any more.
    package mutating func unwant(_ address: DeviceAddress) -> [Action] {
        let wasTrying = isTrying(address)
        entries[address] = nil
        waiting.remove(address)
        return wasTrying ? [.cancel(address)] : []
    }

    /// Wants nothing any more.
    package mutating func unwantAll() -> [Action] { entries.keys.sorted().flatMap { unwant($0) } }

    /// A command ends the link: it is not made again until there is one.
    package mutating func pause(_ address: DeviceAddress) -> [Action] {
        guard entries[address] != nil else { return [] }
        return change(address) { _, entry in
            entry.isPaused = true
            switch entry.phase {
            case .up: return []
            case .trying:
                entry.phase = nil
                return [.cancel(address)]
            default:
                entry.phase = nil
                return []
            }
        }
    }

    // MARK: What happens

    /// There is a link, whoever made it.
    package mutating func linkUp(_ address: DeviceAddress, at now: Instant) {
        guard entries[address] != nil else { return }
        _ = change(address) { _, entry in
            if case .up = entry.phase { return [] }
            entry.phase = .up(since: now)
            entry.isPaused = false
            entry.failures = 0
            return []
        }
    }

    /// There is no link any more.
    package mutating func linkDown(_ address: DeviceAddress, at now: Instant) {
        guard entries[address] != nil else { return }
        _ = change(address) { keeper, entry in
            guard case .up(let since) = entry.phase else { return [] }
            entry.phase = nil
            if now - since >= keeper.gaps.held { entry.step = 0 }
            if !entry.isPaused { keeper.wait(&entry, at: now) }
            return []
        }
    }

    /// A try has ended.
    package mutating func ended(_ address: DeviceAddress, _ outcome: Outcome, at now: Instant) -> [Action] {
        guard entries[address] != nil else { return [] }
        return change(address) { keeper, entry in
            guard entry.phase == .trying else { return [] }
            entry.silentSince = now
            switch outcome {
            case .success:
                entry.phase = .up(since: now)
                entry.failures = 0
            case .noBluetooth: entry.phase = .blocked
            case .postponed: keeper.wait(&entry, at: now)
            case .failure:
                entry.failures += 1
                if let most = entry.rules.maxAttempts, entry.failures >= most {
                    entry.phase = .gaveUp
                    return [.gaveUp(address, attempts: entry.failures)]
                }
                keeper.wait(&entry, at: now)
            }
            return []
        }
    }

    /// A device was heard; one that had been silent is tried at once.
    package mutating func heard(_ address: DeviceAddress, rssi: Int?, at now: Instant) -> [Action] {
        guard waiting.contains(address), var entry = entries[address], case .waiting(let until) = entry.phase else {
            return []
        }
        let silent = entry.silentSince.map { now - $0 } ?? .zero
        // What is there all the time and takes no link is not "back": its gaps grow as those of any other.
        let isBack = silent >= max(.seconds(5), gap(before: entry.step - 1) / 2)
        entry.heard = (now, rssi)
        entry.silentSince = now
        if isBack, until > now, entry.isStrong(at: now) {
            entry.phase = .trying
            set(entry, for: address)
            return [.connect(address)]
        }
        entries[address] = entry
        return []
    }

    /// Bluetooth can be used again: all are tried, one after the other.
    package mutating func bluetoothReturned(at now: Instant) -> [Action] {
        var start = now
        for address in entries.keys.sorted() {
            _ = change(address) { _, entry in
                switch entry.phase {
                case .blocked, .waiting, .gaveUp:
                    if entry.phase == .gaveUp { (entry.failures, entry.step) = (0, 0) }
                    entry.phase = .waiting(until: start)
                    start += .milliseconds(200)
                default: break
                }
                return []
            }
        }
        return due(at: now)
    }

    /// Starts the tries whose time has come.
    package mutating func due(at now: Instant) -> [Action] {
        var actions: [Action] = []
        for address in waiting.sorted() {
            actions += change(address) { keeper, entry in
                guard case .waiting(let until) = entry.phase, until <= now else { return [] }
                guard entry.isStrong(at: now) else {
                    keeper.wait(&entry, at: now, isCounted: false)
                    return []
                }
                entry.phase = .trying
                return [.connect(address)]
            }
        }
        return actions
    }

    // MARK: What can be seen

    /// When `due` is to be called next.
    package var nextDeadline: Instant? {
        var next: Instant?
        for address in waiting {
            if case .waiting(let until)? = entries[address]?.phase { next = min(next ?? until, until) }
        }
        return next
    }

    package func phase(of address: DeviceAddress) -> Phase? { entries[address]?.phase }

    /// Which try in a row the present or the next one is; nil of a device that has a link or is to have none.
    package func attempt(of address: DeviceAddress) -> Int? {
        guard let entry = entries[address] else { return nil }
        switch entry.phase {
        case .waiting, .trying: return entry.failures + 1
        case .gaveUp: return entry.failures
        default: return nil
        }
    }

    /// How long until the next try.
    package func nextTry(of address: DeviceAddress, at now: Instant) -> Duration? {
        guard case .waiting(let until)? = entries[address]?.phase else { return nil }
        return max(.zero, until - now)
    }

    package func isTrying(_ address: DeviceAddress) -> Bool { entries[address]?.phase == .trying }

    /// Whether a command has ended the link of a device and nobody has made another.
    package func isPaused(_ address: DeviceAddress) -> Bool { entries[address]?.isPaused == true }

    /// The devices whose link a command has ended.
    package var paused: Set<DeviceAddress> { Set(entries.filter(\.value.isPaused).keys) }

    /// The devices that it would help to hear: those that did not answer, and those that must be near enough.
    package var listening: [DeviceAddress] {
        waiting.filter { address in
            entries[address].map { $0.failures > 0 || $0.rules.rssiMin != nil } ?? false
        }.sorted()
    }

    /// How many devices something is kept of.
    package var count: Int { entries.count }

    // MARK: Private

    private mutating func change(
        _ address: DeviceAddress,
        _ body: (borrowing LinkKeeper, inout Entry) -> [Action]
    ) -> [Action] {
        var entry = entries[address] ?? Entry()
        let actions = body(self, &entry)
        set(entry, for: address)
        return actions
    }

    private mutating func set(_ entry: Entry, for address: DeviceAddress) {
        entries[address] = entry
        if case .waiting = entry.phase { waiting.insert(address) } else { waiting.remove(address) }
    }

    private func wait(_ entry: inout Entry, at now: Instant, isCounted: Bool = true) {
        entry.phase = .waiting(until: now + gap(before: entry.step) * gaps.jitter())
        if isCounted { entry.step += 1 }
        if entry.silentSince == nil { entry.silentSince = now }
    }

    /// The gap before a try without jitter: each twice the one before.
    private func gap(before step: Int) -> Duration {
        var gap = gaps.first
        for _ in 0..<max(0, min(step, 32)) where gap < gaps.longest { gap *= 2 }
        return min(gap, gaps.longest)
    }
}
