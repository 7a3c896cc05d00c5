package import BleCore

/// Which rules hold for the link of each device: those of all devices, those of the configuration for one, and what the
/// last command has said.
package struct LinkRulebook: Sendable {
    /// What holds for devices of which nothing is said.
    package var standard: LinkRules
    private let configured: [DeviceAddress: LinkSettings]
    /// What profiles say, where the configuration and commands say nothing.
    private var profiled: [DeviceAddress: LinkSettings] = [:]
    /// What commands have said, until one says otherwise.
    package private(set) var commanded: [DeviceAddress: LinkSettings] = [:]

    package init(_ standard: LinkRules, configured: [DeviceAddress: LinkSettings] = [:]) {
        self.standard = standard
        self.configured = configured
    }

    package subscript(address: DeviceAddress) -> LinkRules {
        if configured.isEmpty, commanded.isEmpty, profiled.isEmpty { return standard }
        return standard.with(profiled[address]).with(configured[address]).with(commanded[address])
    }

    /// Whether a command that needs a link may make one.
    package func allowsLink(_ request: VerbRequest, to address: DeviceAddress) -> Bool {
        let link: LinkSettings? =
            switch request {
            case .connect(let link): link
            case .connectMatching(let request): request.link
            default: nil
            }
        guard let link else { return self[address].policy != .never }
        return standard.with(profiled[address]).with(configured[address]).with(link).policy != .never
    }

    /// Takes over what a command says of a device; nothing at all means the configuration again.
    package mutating func set(_ settings: LinkSettings, for address: DeviceAddress) {
        commanded[address] = settings.isEmpty ? nil : settings
    }

    /// Takes over what profiles say of a device's link.
    ///
    /// - Returns: whether that is something else than before.
    package mutating func set(profiled settings: LinkSettings, for address: DeviceAddress) -> Bool {
        let settings = settings.isEmpty ? nil : settings
        guard profiled[address] != settings else { return false }
        profiled[address] = settings
        return true
    }

    /// The devices whose link the configuration wants kept.
    package var kept: [DeviceAddress] {
        Set(configured.keys).union(commanded.keys).union(profiled.keys).filter { self[$0].policy == .keep }.sorted()
    }
}
