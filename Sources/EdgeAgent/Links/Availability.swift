package import BleCore

/// Which devices are there: those that have a link, were heard within their interval, or were reached less than that ago.
///
/// How often a device speaks is learned from the gaps between its reports, as far as somebody listened all the while. A
/// table without a clock, bounded by the devices that it is told to follow.
package struct Availability: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// A device that has come or gone.
    package struct Change: Sendable, Equatable {
        package let address: DeviceAddress
        package let isOnline: Bool

        package init(_ address: DeviceAddress, isOnline: Bool) {
            self.address = address
            self.isOnline = isOnline
        }
    }

    /// How long a device may be silent of which nothing is known yet.
    package static let unlearned = Duration.seconds(300)
    /// The bounds of what is learned.
    package static let learned = Duration.seconds(60) ... .seconds(900)
    /// How many of its longest gaps a device may be silent: a radio misses some.
    private static let misses = 3
    /// Of how many gaps the longest counts.
    private static let memory = 16

    private struct Entry {
        let configured: Duration?
        var hasLink = false
        /// When it was heard last, or reached by a job.
        var heard: Instant?
        var reached: Instant?
        /// The last gaps, the place of the next one, and how many there were.
        var gaps: [Duration] = []
        var next = 0
        var isOnline = false

        var interval: Duration {
            if let configured { return configured }
            guard let longest = gaps.max(), gaps.count > 1 else { return Availability.unlearned }
            let bounds = Availability.learned
            return min(max(longest * Availability.misses, bounds.lowerBound), bounds.upperBound)
        }

        /// Until when it counts as there without a link.
        var end: Instant? { [heard, reached].compactMap(\.self).max().map { $0 + interval } }

        /// Changes it; true when it has come or gone.
        mutating func update(at now: Instant, _ change: (inout Entry) -> Void) -> Bool {
            change(&self)
            let wasOnline = isOnline
            isOnline = hasLink || end.map { $0 > now } ?? false
            return isOnline != wasOnline
        }

        mutating func note(_ gap: Duration) {
            if gaps.count < Availability.memory {
                gaps.append(gap)
            } else {
                gaps[next] = gap
            }
            next = (next + 1) % Availability.memory
        }
    }

    private var entries: [DeviceAddress: Entry] = [:]
    /// Since when somebody has listened without a break.
    private var listeningSince: Instant?

    package init() {}

    /// How many devices are followed.
    package var count: Int { entries.count }

    /// Follows a device.
    ///
    /// - Parameters:
    ///   - address: The device.
    ///   - interval: How long it may be silent; nil: what is learned.
    ///   - hasLink: Whether it has a link.
    ///   - heard: When it was heard last.
    ///   - now: The time.
    /// - Returns: How it stands; nil when it is followed already.
    package mutating func follow(
        _ address: DeviceAddress,
        interval: Duration? = nil,
        hasLink: Bool = false,
        heard: Instant? = nil,
        at now: Instant
    ) -> Change? {
        guard entries[address] == nil else { return nil }
        var entry = Entry(configured: interval)
        (entry.hasLink, entry.heard) = (hasLink, heard)
        entry.isOnline = hasLink || entry.end.map { $0 > now } ?? false
        entries[address] = entry
        return Change(address, isOnline: entry.isOnline)
    }

    /// Follows a device no more.
    package mutating func leave(_ address: DeviceAddress) { entries[address] = nil }

    /// Somebody begins to listen, or nobody does any more.
    package mutating func listening(_ isOn: Bool, at now: Instant) {
        listeningSince = isOn ? listeningSince ?? now : nil
    }

    /// A device has a link, or none any more; its end is the last moment at which it was reached.
    package mutating func link(_ address: DeviceAddress, isUp: Bool, at now: Instant) -> Change? {
        update(address, at: now) { entry in
            if entry.hasLink, !isUp { entry.reached = now }
            entry.hasLink = isUp
        }
    }

    /// A device was heard.
    package mutating func heard(_ address: DeviceAddress, at now: Instant) -> Change? {
        let since = listeningSince
        return update(address, at: now) { entry in
            // What nobody listened for, or a device with a link does not send, is no gap of the device's.
            if let last = entry.heard, let since, since <= last, !entry.hasLink,
                entry.reached.map({ $0 < last }) ?? true
            {
                entry.note(now - last)
            }
            entry.heard = now
        }
    }

    /// A job has reached a device.
    package mutating func reached(_ address: DeviceAddress, at now: Instant) -> Change? {
        update(address, at: now) { $0.reached = now }
    }

    /// Those whose time is over.
    package mutating func due(at now: Instant) -> [Change] {
        entries.keys.sorted().compactMap { update($0, at: now) { _ in } }
    }

    /// When the next one would be gone without a further sign.
    package var nextDeadline: Instant? {
        entries.values.lazy.filter { $0.isOnline && !$0.hasLink }.compactMap(\.end).min()
    }

    /// How long a device may be silent.
    package func interval(of address: DeviceAddress) -> Duration? { entries[address]?.interval }

    package func isOnline(_ address: DeviceAddress) -> Bool { entries[address]?.isOnline ?? false }

    private mutating func update(_ address: DeviceAddress, at now: Instant, _ change: (inout Entry) -> Void) -> Change?
    {
        // In place: a copy would take its gaps along.
        guard let place = entries.index(forKey: address), entries.values[place].update(at: now, change) else {
            return nil
        }
        return Change(address, isOnline: entries.values[place].isOnline)
    }
}
