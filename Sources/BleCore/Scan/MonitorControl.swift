package import DBus

/// Who wants to hear without asking, and what BlueZ has been told of it: one advertisement monitor an adapter, with the
/// patterns of all.
///
/// A value machine in a class for its identity; confined to the manager, which makes its calls.
package final class MonitorControl {
    /// What to tell BlueZ next.
    package enum Step: Equatable, Sendable {
        /// BlueZ then asks our object for the patterns.
        case register([AdvertisementPattern])
        case unregister
    }

    package init() {}

    private var demands: [Int: ScanRequest] = [:]
    /// What BlueZ has been given, and holds.
    private(set) var registered: [AdvertisementPattern]?
    /// BlueZ has said that it listens for it.
    package private(set) var isActive = false
    private var calling = false
    /// Why BlueZ does not listen; nil after a success.
    package private(set) var failure: BleFailure?
    /// Not to be tried again before.
    package private(set) var notBefore: ContinuousClock.Instant?

    package var isWanted: Bool { !demands.isEmpty }

    /// Adds what somebody wants to hear, under a number for `remove`.
    package func add(_ request: ScanRequest, as number: Int) {
        demands[number] = request
        failure = nil
    }

    /// Takes a demand back.
    package func remove(_ demand: Int) {
        demands[demand] = nil
        if demands.isEmpty {
            failure = nil
            notBefore = nil
        }
    }

    /// The next call, when there is something to do.
    package func next(now: ContinuousClock.Instant) -> Step? {
        guard !calling else { return nil }
        let numbers = demands.keys.sorted()
        let wanted = demands.isEmpty ? nil : AdvertisementPattern.patterns(for: numbers.compactMap { demands[$0] })
        if registered != nil { return registered == wanted ? nil : .unregister }
        if let notBefore, now < notBefore { return nil }
        return wanted.map { .register($0) }
    }

    /// Notes that a step has been sent.
    package func began(_ step: Step) {
        calling = true
        // BlueZ asks for them before it answers.
        if case .register(let patterns) = step { registered = patterns }
    }

    /// Notes what became of a step.
    package func ended(_ step: Step, _ outcome: DBusConnection.Outcome, now: ContinuousClock.Instant) {
        calling = false
        switch (step, outcome) {
        case (.register, .failure(let error)):
            ended(because: BluezErrors.failure(error, at: .scan), now: now)
        // Whether BlueZ listens it says by itself.
        case (.register, .success): break
        // `Does Not Exist`: it is over in either case.
        case (.unregister, _):
            registered = nil
            isActive = false
        }
    }

    /// BlueZ listens.
    package func activated() {
        guard registered != nil else { return }
        isActive = true
        failure = nil
        notBefore = nil
    }

    /// BlueZ has let the monitor go: it does not want it, or has lost its controller.
    package func released(now: ContinuousClock.Instant) {
        let detail = "bluetoothd has let the advertisement monitor go"
        ended(because: BleFailure(.notSupported, at: .scan, detail: detail), now: now)
    }

    private func ended(because failure: BleFailure, now: ContinuousClock.Instant) {
        registered = nil
        isActive = false
        self.failure = failure
        notBefore = now + .seconds(5)
    }
}
