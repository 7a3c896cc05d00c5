/// Which radio the agent uses, and how.
package struct BluetoothConfiguration: Sendable, Equatable {
    /// The adapter's name, `hci` and a number; nil: whatever adapters there are.
    package var adapter: String?
    /// How long a device stays busy for a call of an ended job that has not come back.
    package var settle = Duration.milliseconds(45_000)
    /// How long discovery may hear nothing before it is started anew.
    package var scanSilence = Duration.milliseconds(90_000)

    /// The defaults.
    package init() {}
}
