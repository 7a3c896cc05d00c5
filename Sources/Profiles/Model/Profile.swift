package import Frames

/// What is known of one kind of device: how it is recognised, what it tells, and what it can be told.
///
/// Read from a YAML file by ``ProfileParser``; `docs/profiles.md` is the reference. All names are checked: ids are
/// `[a-z0-9][a-z0-9-]{0,63}`, names of values and commands `[a-z0-9][a-z0-9_-]{0,63}`, each once.
package struct Profile: Sendable, Equatable {
    package var id: String
    /// For people.
    package var title: String
    /// The maker and the model as Home Assistant shows them.
    package var manufacturer: String?
    package var model: String?
    /// By what a device is recognised: one of them suffices.
    ///
    /// Empty: only where the configuration names the profile.
    package var match: [DeviceMatch]
    /// Whether it only counts where no other profile recognises the device.
    package var isFallback: Bool
    /// The scheme in which packets may be encrypted.
    package var encryption: PacketEncryption?
    /// The value that tells a new packet from a repeated one.
    package var counter: PacketCounter?
    /// Where values come from, in the order of the file.
    package var sources: [ValueSource]
    /// Everything that the sources may yield, in the order of the file, each name once.
    package var values: [ValueDescription]
    /// Everything that may happen, each name once.
    package var events: [EventDescription]
    package var commands: [ProfileCommand]
    package var link: ProfileLink?
    /// The longest silence of a device that is there.
    package var interval: Duration?
    /// Whether several gateways may hear the device, which is one all the same (CONTRACT, Home automation).
    package var isShared: Bool

    /// A profile that does nothing yet.
    package init(id: String, title: String) {
        self.id = id
        self.title = title
        match = []
        isFallback = false
        sources = []
        values = []
        events = []
        commands = []
        isShared = false
    }

    /// The description of a value; `temperature_2` is described by `temperature` where that may stand several times.
    package func value(named name: String) -> ValueDescription? { place(ofValue: name).map { values[$0] } }

    /// Where among `values` the description of a value stands.
    func place(ofValue name: String) -> Int? {
        // By place: descriptions are large to copy.
        if let place = values.indices.first(where: { values[$0].name == name }) { return place }
        guard let end = name.lastIndex(of: "_"), let number = Int(name[name.index(after: end)...]), number > 0
        else { return nil }
        return values.indices.first { values[$0].isRepeatable && values[$0].name == name[..<end] }
    }

    /// The command of a name.
    package func command(named name: String) -> ProfileCommand? { commands.first { $0.name == name } }

    /// What `set/{name}` stands for: the command that sets the value of that name, else the command itself.
    package func command(forSetting name: String) -> ProfileCommand? {
        commands.first { $0.sets == name } ?? command(named: name)
    }
}

/// A value that a profile may yield.
package struct ValueDescription: Sendable, Equatable {
    /// What it is in JSON.
    package enum Kind: String, Sendable, CaseIterable { case number, bool, text }

    package var name: String
    package var kind: Kind
    package var unit: String?
    /// All units that it may come in, where they are several: what was read tells which.
    package var units: [String]
    /// Values outside are impossible and null.
    package var minimum: DecimalNumber?
    package var maximum: DecimalNumber?
    /// The texts that it may be; empty when it is free.
    package var options: [String]
    /// Whether it belongs to the device's state; others are in `decoded` and in events alone (counters, signal data).
    package var isState: Bool
    /// Whether one packet may hold several of it, which are then called `name_1`, `name_2` and so on.
    package var isRepeatable: Bool
    /// Whether it comes with advertisements, so that no link is needed.
    package var isAdvertised: Bool
    /// How Home Assistant shows it; nil when it does not.
    package var display: Display?

    package init(_ name: String, kind: Kind, unit: String? = nil) {
        self.name = name
        self.kind = kind
        self.unit = unit
        units = unit.map { [$0] } ?? []
        options = []
        isState = true
        isRepeatable = false
        isAdvertised = false
    }
}

/// Something that happens and is over, such as the press of a button.
package struct EventDescription: Sendable, Equatable {
    /// Such as `button`; a device with several numbers them by `index`.
    package var name: String
    /// What may happen: `press`, `long_press` and so on.
    package var types: [String]
    package var display: Display?

    package init(_ name: String, types: [String]) {
        self.name = name
        self.types = types
    }
}

/// How the link to a device is kept; what is absent is the configuration's.
package struct ProfileLink: Sendable, Equatable {
    package enum Policy: String, Sendable, CaseIterable { case onDemand, keep, never }

    package var policy: Policy?
    package var idle: Duration?
    package var maxAttempts: Int?
    package var rssiMin: Int?

    package init(policy: Policy? = nil, idle: Duration? = nil, maxAttempts: Int? = nil, rssiMin: Int? = nil) {
        self.policy = policy
        self.idle = idle
        self.maxAttempts = maxAttempts
        self.rssiMin = rssiMin
    }
}

/// A scheme in which advertised packets are encrypted.
package enum PacketEncryption: String, Sendable, CaseIterable {
    /// Service data `fcd2` of BTHome 2.
    case bthome2
    /// Service data `fe95` of Xiaomi, version 4 and 5.
    case mibeacon
}

/// Which value counts packets, so that one that is sent again is known.
package struct PacketCounter: Sendable, Equatable {
    /// Its name.
    package var value: String
    /// After so many bits it starts at 0 again.
    package var bits: Int

    package init(value: String, bits: Int = 8) {
        self.value = value
        self.bits = bits
    }
}
