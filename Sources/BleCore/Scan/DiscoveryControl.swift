package import DBus

/// Who wants to hear advertisements, and what BlueZ has been told of it: one discovery session with the union of all
/// filters.
///
/// A value machine in a class for its identity; confined to the manager, which makes its calls.
package final class DiscoveryControl {
    /// What to tell BlueZ next.
    package enum Step: Equatable, Sendable {
        case setFilter(Filter, ObjectPath)
        case start(ObjectPath)
        case stop(ObjectPath)

        fileprivate var isStop: Bool { if case .stop = self { true } else { false } }
    }

    /// The filter of one discovery session.
    ///
    /// Source: BlueZ 5.66, doc/adapter-api.txt, `SetDiscoveryFilter`. Its `UUIDs` stay unused: they pass over devices that
    /// name a service in their service data alone.
    package struct Filter: Equatable, Sendable {
        /// Only devices heard at least so strong, dBm; nil: all.
        package var rssi: Int?

        package init(rssi: Int? = nil) { self.rssi = rssi }
    }

    package init() {}

    private var demands: [Int: ScanRequest] = [:]
    /// The adapter on which our session runs, and its filter.
    private(set) var session: (adapter: ObjectPath, filter: Filter)?
    /// The session is to be ended and begun anew.
    private var isStale = false
    private var filterSet: (adapter: ObjectPath, filter: Filter)?
    /// A call is out.
    package private(set) var calling = false
    /// Why the session could not be started; nil after a success.
    ///
    /// Cleared with the last demand.
    package private(set) var failure: BleFailure?
    /// BlueZ says that a discovery is under way already; signals come all the same.
    package private(set) var isForeign = false
    /// Not to be tried again before.
    package private(set) var notBefore: ContinuousClock.Instant?

    /// How many want the radio for themselves.
    private var pauses = 0

    package var isWanted: Bool { !demands.isEmpty }
    /// Whether it is made to rest although somebody wants to hear.
    package var isPaused: Bool { pauses > 0 && isWanted }
    /// Whether BlueZ listens, or will again as soon as a pause is over.
    package var isRunning: Bool { session != nil || isForeign || isPaused }

    /// Ends the session until `resume` has been called as often.
    package func pause() { pauses += 1 }

    /// Lets the session begin again.
    package func resume() { pauses -= 1 }

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
            isForeign = false
            notBefore = nil
        }
    }

    /// Has the session ended and begun anew.
    ///
    /// - Returns: false when there is none of ours.
    package func restart() -> Bool {
        guard session != nil else { return false }
        isStale = true
        return true
    }

    /// bluetoothd came or went: its sessions are gone with it.
    package func serviceChanged() {
        session = nil
        isStale = false
        filterSet = nil
        isForeign = false
        calling = false
        failure = nil
        notBefore = nil
    }

    /// The next call, when there is something to do.
    ///
    /// `isOn` tells of an adapter that is not the one to use any more whether it is still there and on.
    package func next(
        adapter: AdapterRecord?,
        now: ContinuousClock.Instant,
        isOn: (ObjectPath) -> Bool = { _ in false }
    ) -> Step? {
        if let session, adapter?.path != session.adapter || adapter?.powered != true {
            if adapter?.path != session.adapter, isOn(session.adapter) { return calling ? nil : .stop(session.adapter) }
            // An adapter that went or was switched off has ended the session itself.
            self.session = nil
            filterSet = nil
        }
        guard !calling else { return nil }
        guard let adapter, adapter.powered else {
            isForeign = false
            return nil
        }
        guard isWanted, pauses == 0, !isStale || session == nil else { return session.map { .stop($0.adapter) } }
        isStale = false
        if let notBefore, now < notBefore { return nil }
        let wanted = filter
        if filterSet?.adapter != adapter.path || filterSet?.filter != wanted { return .setFilter(wanted, adapter.path) }
        return session == nil ? .start(adapter.path) : nil
    }

    /// Notes that a step has been sent.
    package func began() { calling = true }

    /// Notes what became of a step.
    package func ended(_ step: Step, _ outcome: DBusConnection.Outcome, now: ContinuousClock.Instant) {
        calling = false
        guard isWanted || outcome.isSuccess || step.isStop else { return }
        switch (step, outcome) {
        case (.setFilter(let filter, let adapter), .success):
            filterSet = (adapter, filter)
            if session != nil { session = (adapter, filter) }
        case (.start(let adapter), .success):
            session = (adapter, filterSet?.filter ?? Filter())
            isForeign = false
            failure = nil
            notBefore = nil
        // `No discovery started`: it is over in either case.
        case (.stop, _): session = nil
        case (_, .failure(let error)):
            let found = BluezErrors.failure(error, at: .scan)
            isForeign = found.kind == .busy
            failure = isForeign ? nil : found
            // Never more than about one try a second: each is a message to a daemon that has just refused.
            notBefore = now + .seconds(1)
        }
    }

    /// What all demands together need: a condition holds for the session only when each demand has it.
    private var filter: Filter {
        var filter = Filter()
        let floors = demands.values.map(\.rssiMin)
        if !floors.contains(nil) { filter.rssi = floors.compactMap(\.self).min() }
        return filter
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
