extension BluetoothManager {
    /// Takes other settings as far as they can change while the manager runs: the times, how it listens, what it may do
    /// to recover, and what it can do when a device is paired.
    ///
    /// The adapters, the keys and the patience with a silent radio stay.
    package func take(_ settings: Configuration) {
        configuration.settleLimit = settings.settleLimit
        configuration.scansPassively = settings.scansPassively
        configuration.discoveryPause = settings.discoveryPause
        configuration.recovery.removesDevices = settings.recovery.removesDevices
        configuration.recovery.powerCycles = settings.recovery.powerCycles
        configuration.promptLimit = settings.promptLimit
        pairing.promptLimit = settings.promptLimit
        guard settings.pairingCapability != configuration.pairingCapability else { return }
        configuration.pairingCapability = settings.pairingCapability
        // While a device is being paired its own holds; afterwards the present one is looked for anyway.
        if loaded, pairing.current == nil { setAgent(settings.pairingCapability) }
    }
}
