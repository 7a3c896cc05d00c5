package import BleCore

/// Which radio the agent uses, and how.
package struct BluetoothConfiguration: Sendable, Equatable {
    /// The names or addresses of adapters, with commas between; nil: whatever adapters there are.
    package var adapter: String?
    /// How long a device stays busy for a call of an ended job that has not come back.
    package var settle = Duration.milliseconds(45_000)
    /// How long discovery may hear nothing before it is started anew.
    package var scanSilence = Duration.milliseconds(90_000)
    /// How scans listen that leave it open.
    package var scanMode = ScanModeName.active
    /// When discovery rests while a link is made.
    package var pauseDiscovery = DiscoveryPause.auto
    /// What the agent says that it can do when a device is paired.
    package var capability = CapabilityName.keyboardDisplay
    /// How long a prompt of a pairing waits for its answer.
    package var prompt = Duration.milliseconds(25_000)
    /// Absolute path of the file of identity keys.
    package var identityKeysFile: String?
    /// What it holds; empty until it is read.
    ///
    /// Never shown.
    package var identityKeys = IdentityKeys()

    /// The defaults.
    package init() {}

    /// The adapters to use; empty: whatever adapters there are.
    package var adapterIDs: [AdapterID] {
        (adapter ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).compactMap { AdapterID($0) }
    }
}

/// How scans listen that leave it open.
package enum ScanModeName: String, Sendable, CaseIterable {
    case active
    /// Where bluetoothd has an advertisement monitor; else active.
    case passive
}
