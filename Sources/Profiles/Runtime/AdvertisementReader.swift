package import BleCore
internal import Frames

/// Reads advertisements with the profiles, and knows which of their packets were there before.
///
/// Pure state: an actor confines it and tells the time. Its memory is bounded: of more devices than ``maximumDevices``
/// those that were silent the longest are forgotten, unless they have a key.
package struct AdvertisementReader: Sendable {
    package static let maximumDevices = 4096

    package var library: ProfileLibrary
    /// Keys by device, for encrypted packets.
    package var keys: BindKeys
    private var memories: [DeviceAddress: PacketMemory] = [:]

    package init(library: ProfileLibrary, keys: BindKeys = BindKeys()) {
        self.library = library
        self.keys = keys
    }

    /// Reads an advertisement.
    ///
    /// Call it once for each report that brought data: a button without a counter is pressed again when its packet
    /// comes after more than 5 s of silence.
    ///
    /// - Parameters:
    ///   - advertisement: What was heard.
    ///   - bound: The profile that the configuration names for the device; nil: those that recognise it.
    ///   - now: A clock that does not jump.
    /// - Returns: What it tells; empty when no profile reads it.
    package mutating func read(
        _ advertisement: Advertisement,
        boundTo bound: String? = nil,
        at now: Duration
    ) -> AdvertisementReading {
        let profiles = bound.map { library[$0].map { [$0] } ?? [] } ?? library.profiles(of: advertisement)
        var reading = AdvertisementReading()
        var taken: [ValueSource.Place] = []
        for profile in profiles {
            for source in profile.sources where source.isAdvertised && !taken.contains(source.place) {
                guard let bytes = advertisement.bytes(for: source.place),
                    let piece = read(bytes, source, profile, of: advertisement.address, at: now)
                else { continue }
                taken.append(source.place)
                reading.add(piece, of: profile.id)
            }
        }
        return reading
    }

    /// Of how many devices packets are remembered.
    package var rememberedDevices: Int { memories.count }

    /// Forgets which packets of a device were there: its counters may begin anew.
    package mutating func forget(_ device: DeviceAddress) { memories[device] = nil }

    /// What a source reads from its bytes; nil when they are not for it.
    private mutating func read(
        _ bytes: [UInt8],
        _ source: ValueSource,
        _ profile: Profile,
        of device: DeviceAddress,
        at now: Duration
    ) -> AdvertisementReading? {
        var bytes = bytes
        var novelty: PacketMemory.Novelty?
        if let encryption = profile.encryption {
            switch encryption.open(bytes, of: device, key: keys[device]) {
            case .clear: break
            case .refused(let refusal): return AdvertisementReading(refusal)
            case .opened(let clear, let counter):
                bytes = clear
                novelty = remember(device, now) { $0.judge(sealed: counter, of: profile.id, at: now) }
            }
        } else if keys[device] != nil {
            return PacketDecoder.isFor(source, bytes) ? AdvertisementReading(.notEncrypted) : nil
        }
        if novelty == .old { return AdvertisementReading(.replayed) }
        guard PacketDecoder.isFor(source, bytes), source.address?.holds(for: bytes, of: device) ?? true else {
            return nil
        }
        var decoder = PacketDecoder(profile)
        guard decoder.read(bytes, of: source) else { return AdvertisementReading(.malformed) }
        if novelty == nil {
            let counter = profile.counter.flatMap { counter in
                decoder.number(named: counter.value).map { (number: $0, bits: counter.bits) }
            }
            if let counter {
                novelty = remember(device, now) {
                    $0.judge(counter: counter.number, bits: counter.bits, of: profile.id, at: now)
                }
            } else if !decoder.events.isEmpty {
                novelty = remember(device, now) { $0.judge(payload: bytes, of: profile.id, at: now) }
            }
        }
        if novelty == .old { return AdvertisementReading(.replayed) }
        return AdvertisementReading(consume decoder, isNew: novelty != .repeated)
    }

    private mutating func remember(
        _ device: DeviceAddress,
        _ now: Duration,
        _ judge: (inout PacketMemory) -> PacketMemory.Novelty
    ) -> PacketMemory.Novelty {
        if memories[device] == nil, memories.count >= Self.maximumDevices { forgetSilent() }
        return judge(&memories[device, default: PacketMemory(at: now)])
    }

    /// Forgets a quarter of the devices, so that addresses that change all the time cost little each.
    private mutating func forgetSilent() {
        let silent = memories.filter { keys[$0.key] == nil }.sorted { $0.value.heard < $1.value.heard }
        for (device, _) in silent.prefix(Self.maximumDevices / 4) { memories[device] = nil }
    }
}

extension Advertisement {
    /// The bytes that a source looks at; nil when there are none.
    func bytes(for place: ValueSource.Place) -> [UInt8]? {
        switch place {
        case .characteristic: nil
        case .manufacturer(let company): payload(ofCompany: company)
        case .serviceData(let service): serviceData[service]
        case .name: name.map { Array($0.utf8) }
        }
    }
}

extension AdvertisementReading {
    init(_ refusal: PacketRefusal) {
        self.init()
        self.refusal = refusal
    }

    init(_ decoder: consuming PacketDecoder, isNew: Bool) {
        self.init()
        values = decoder.values
        events = isNew ? decoder.events : []
        warnings = decoder.warnings
    }

    /// Adds what another piece of the advertisement has told.
    mutating func add(_ piece: AdvertisementReading, of profile: String) {
        if !profiles.contains(profile) { profiles.append(profile) }
        if values.isEmpty {
            values = piece.values
        } else {
            for value in piece.values where !values.contains(where: { $0.name == value.name }) { values.append(value) }
        }
        events += piece.events
        warnings += piece.warnings
        refusal = refusal ?? piece.refusal
    }
}
