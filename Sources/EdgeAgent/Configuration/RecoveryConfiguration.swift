/// What the agent may do by itself so that Bluetooth works again.
package struct RecoveryConfiguration: Sendable, Equatable {
    /// Whether bluetoothd may be made to forget a device that takes no link and has no bond.
    package var removeDevice = true
    /// Whether an adapter that nothing else uses may be switched off and on.
    package var powerCycle = true
    /// The absolute path of a command for when all that did not help, and its arguments; empty: none.
    package var helper: [String] = []
    /// How long it may run.
    package var helperLimit = Duration.milliseconds(30_000)

    /// The defaults.
    package init() {}
}
