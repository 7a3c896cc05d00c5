/// What may be done so that Bluetooth works again.
public struct RecoverySettings: Sendable, Equatable {
    /// Whether bluetoothd may be made to forget a device that takes no link, when it has no bond and is not trusted.
    public var removesDevices = true
    /// Whether an adapter that does not work may be switched off and on, when nothing else uses it.
    public var powerCycles = true
    /// Whether there is somebody who does more when that did not help: the event `recovery` with `helper` tells when.
    public var hasHelper = false

    public init() {}
}
