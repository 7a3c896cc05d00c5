extension Peripheral {
    /// Pairs the device and keeps the bond; later links are encrypted by themselves.
    ///
    /// What has to be compared, typed in or shown comes up in `BluetoothManager.pairingEvents`. A device that is paired
    /// already stays as it is.
    ///
    /// - Parameters:
    ///   - capability: what the agent can do, for this pairing; nil: what is configured.
    ///   - timeout: connecting and waiting for other pairings included.
    /// - Returns: what was done.
    /// - Throws: `BleFailure`, `pairingRejected` for a refusal here or by the device; `CancellationError`.
    @discardableResult
    public func pair(capability: PairingCapability? = nil, timeout: Duration = .seconds(60)) async throws -> PairOutcome
    {
        try await perform(timeout) { try await $0.pair(address, capability: capability, $1) }
    }

    /// Ends the bond here, and with it all that BlueZ knows of the device; it is found again when it is heard.
    ///
    /// - Returns: false when there was no bond.
    @discardableResult
    public func unpair(timeout: Duration = .seconds(10)) async throws -> Bool {
        try await perform(timeout) { try await $0.unpair(address, $1) }
    }

    /// Says whether the device may use services of this machine without a question.
    ///
    /// - Returns: false when it was so already.
    @discardableResult
    public func setTrusted(_ trusted: Bool, timeout: Duration = .seconds(5)) async throws -> Bool {
        try await perform(timeout) { try await $0.setTrusted(trusted, address, $1) }
    }
}
