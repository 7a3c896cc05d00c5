package import BleCore

/// Which radio the agent uses, and how.
package struct BluetoothConfiguration: Sendable, Equatable {
    /// The adapter's name, `hci` and a number; nil: whatever adapters there are.
    package var adapter: String?
    /// How long a device stays busy for a call of an ended job that has not come back.
    package var settle = Duration.milliseconds(45_000)
    /// How long discovery may hear nothing before it is started anew.
    package var scanSilence = Duration.milliseconds(90_000)
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
}
