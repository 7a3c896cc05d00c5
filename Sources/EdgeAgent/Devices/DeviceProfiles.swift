package import BleCore
package import Profiles

/// Which profiles devices have, and what the devices have told: pure, told of what is heard, asked what to publish.
///
/// Times are spans since an epoch of the caller's.
package struct DeviceProfiles: Sendable {
    /// When a state goes out.
    package struct Pace: Sendable, Equatable {
        /// The least time between two states of one device.
        package var minimum = Duration.seconds(1)
        /// After so long a state that has not changed goes out again, when the device has told it again; zero: never.
        package var repetition = Duration.seconds(600)

        package init() {}
    }

    /// What one device has told.
    private struct Told {
        var state: ValueState
        var published: Duration?
        var isRepetitionDue = false

        /// When the state is to go out.
        var deadline: Duration? { isRepetitionDue ? .zero : state.due }

        /// Takes up values; true when the state is to go out.
        mutating func take(_ values: [DecodedValue], repetition: Duration, at now: Duration) -> Bool {
            if state.take(values) { return true }
            guard repetition > .zero, let published, now - published >= repetition else { return false }
            isRepetitionDue = true
            return true
        }
    }

    private var reader: AdvertisementReader
    /// By configuration.
    private let bound: [DeviceAddress: String]
    /// By what was heard, for the others.
    private var recognised: [DeviceAddress: [String]] = [:]
    private var told: [DeviceAddress: Told] = [:]
    /// What each device has told so far, in this life or an earlier one.
    private var known: [DeviceAddress: KeptProfiles.Names] = [:]
    /// Devices whose state is to go out.
    private var pending: Set<DeviceAddress> = []
    /// When the first of them is due.
    ///
    /// Never too late, and too early only after one was forgotten.
    package private(set) var nextDeadline: Duration?
    /// For devices that have told something already, too.
    package var pace: Pace {
        didSet {
            guard pace.minimum != oldValue.minimum else { return }
            for device in told.keys { told[device]?.state.minimumInterval = pace.minimum }
            nextDeadline = pending.compactMap { told[$0]?.deadline }.min()
        }
    }

    package init(
        library: ProfileLibrary,
        keys: BindKeys = BindKeys(),
        bound: [DeviceAddress: String] = [:],
        pace: Pace = Pace()
    ) {
        reader = AdvertisementReader(library: library, keys: keys)
        self.bound = bound
        self.pace = pace
    }

    /// Takes up what an earlier life knew.
    package mutating func restore(_ kept: KeptProfiles) {
        for record in kept.records {
            if !record.profiles.isEmpty { recognised[record.address] = record.profiles }
            known[record.address] = record.names
        }
    }

    // MARK: Profiles

    package var library: ProfileLibrary { reader.library }

    /// A reader of its own for one scan: what it hears is new to nobody else.
    package var freshReader: AdvertisementReader { AdvertisementReader(library: reader.library, keys: reader.keys) }

    /// Goes on with other profiles and keys.
    package mutating func replace(library: ProfileLibrary, keys: BindKeys) {
        reader.library = library
        reader.keys = keys
    }

    /// The profile that the configuration names for a device.
    package func boundProfile(of device: DeviceAddress) -> String? { bound[device] }

    /// The profiles of a device, the one that counts first at the front.
    package func profiles(of device: DeviceAddress) -> [Profile] {
        if let id = bound[device] { return library[id].map { [$0] } ?? [] }
        return (recognised[device] ?? []).compactMap { library[$0] }
    }

    /// Whether the profile of any configured device reads advertisements.
    package var wantsAdvertisements: Bool {
        bound.values.contains { id in library[id]?.sources.contains(where: \.isAdvertised) ?? false }
    }

    // MARK: What devices tell

    /// Takes up what was heard of a device.
    ///
    /// - Returns: what has happened at it, and whether it has told something that it never had before.
    package mutating func heard(
        _ advertisement: Advertisement,
        at now: Duration
    ) -> (events: [DecodedEvent], isNew: Bool) {
        let device = advertisement.address
        let reading = reader.read(advertisement, boundTo: bound[device], at: now)
        guard !reading.isEmpty else { return ([], false) }
        var isNew = false
        if bound[device] == nil {
            let known = recognised[device] ?? []
            let found = reading.profiles.filter { !known.contains($0) }
            if !found.isEmpty {
                recognised[device] = known + found
                isNew = true
            }
        }
        if take(reading.values, of: device, at: now) { isNew = true }
        for event in reading.events where known[device, default: .init()].add(event: event.fullName) { isNew = true }
        return (reading.events, isNew)
    }

    /// Takes up a value of a characteristic.
    ///
    /// - Returns: whether it is one that the device never told before.
    package mutating func read(
        _ bytes: [UInt8],
        from source: ValueSource,
        of profile: Profile,
        at device: DeviceAddress,
        at now: Duration
    ) -> Bool {
        take(source.read(bytes, of: profile).values, of: device, at: now)
    }

    /// Takes up values that a device has confirmed.
    ///
    /// - Returns: whether one is new by name.
    package mutating func take(_ values: [DecodedValue], of device: DeviceAddress, at now: Duration) -> Bool {
        guard values.contains(where: \.isState) else { return false }
        let pace = pace
        let isPending = told[device, default: Told(state: ValueState(minimumInterval: pace.minimum))]
            .take(values, repetition: pace.repetition, at: now)
        if isPending, pending.insert(device).inserted {
            nextDeadline = [nextDeadline, told[device]?.deadline].compactMap(\.self).min()
        }
        var isNew = false
        for value in values where value.isState && known[device, default: .init()].add(value: value.name) {
            isNew = true
        }
        return isNew
    }

    /// The values of a device.
    package func values(of device: DeviceAddress) -> [DecodedValue] { told[device]?.state.values ?? [] }

    /// Forgets a device: what it has told, and what it was recognised as.
    package mutating func forget(_ device: DeviceAddress) {
        told[device] = nil
        recognised[device] = nil
        known[device] = nil
        pending.remove(device)
        reader.forget(device)
    }

    // MARK: What to publish

    /// The states that are due, whole.
    package mutating func due(at now: Duration) -> [(device: DeviceAddress, values: [DecodedValue])] {
        // Asked with each report of a device.
        guard let nextDeadline, nextDeadline <= now else { return [] }
        var states: [(DeviceAddress, [DecodedValue])] = []
        for device in pending.sorted() {
            guard var one = told[device], let deadline = one.deadline, deadline <= now else { continue }
            let values = one.state.publication(at: now) ?? one.state.values
            one.published = now
            one.isRepetitionDue = false
            told[device] = one
            pending.remove(device)
            states.append((device, values))
        }
        self.nextDeadline = pending.compactMap { told[$0]?.deadline }.min()
        return states
    }
}

extension DeviceProfiles {
    /// What of a device is to be known after a restart, so that it is announced as before.
    package func kept(_ device: DeviceAddress) -> KeptProfiles.Record {
        KeptProfiles.Record(
            address: device,
            profiles: bound[device] == nil ? recognised[device] ?? [] : [],
            names: known[device] ?? KeptProfiles.Names()
        )
    }
}

extension DecodedEvent {
    /// The name of what it happened to: `button`, `button_2`.
    package var fullName: String { index == 1 ? name : "\(name)_\(index)" }
}
