/// What is done so that Bluetooth works again.
public enum RecoveryStep: String, Sendable, CaseIterable {
    /// bluetoothd is told to give up an attempt at a link that it does not end by itself.
    case cancelConnect = "cancel-connect"
    /// A link, or what is left of one, is ended.
    case disconnect
    /// bluetoothd is made to forget a device, which is then found anew.
    case removeDevice = "remove-device"
    /// Discovery is started anew.
    case scanRestart = "scan-restart"
    /// The adapter is switched off and on.
    case powerCycle = "power-cycle"
    /// The connection to the bus is made anew.
    case busReconnect = "bus-reconnect"
    /// The configured command is run.
    case helper
}

/// One step that was taken, and what it was for.
public struct Recovery: Sendable, Equatable {
    public let step: RecoveryStep
    /// Why it was taken.
    public let fault: RecoveryFault
    /// The device whose link is at fault; nil: it is no device's.
    public var device: DeviceAddress?
    /// The adapter that is at fault, or has the device.
    public var adapter: AdapterName?
}

/// What does not work.
public enum RecoveryFault: String, Sendable, CaseIterable {
    /// bluetoothd says again and again that it is making the link already.
    case connectInProgress = "connect-in-progress"
    /// A device is heard and takes no link.
    case connectFails = "connect-fails"
    /// A link stands, and its services never come to be known.
    case servicesUnresolved = "services-unresolved"
    /// Several devices are heard through an adapter and none of them takes a link.
    case connectsFail = "connects-fail"
    /// An adapter that listens hears nobody.
    case scannerSilent = "scanner-silent"
    /// bluetoothd leaves calls without an answer.
    case noAnswers = "no-answers"
}
