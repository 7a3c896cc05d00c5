/// What the gateway can do when a device is paired: how numbers are compared, shown and typed in.
///
/// Source: BlueZ 5.66, doc/agent-api.txt; Bluetooth Core Specification 5.4, Vol 3, Part H, 2.3.2.
public enum PairingCapability: String, Sendable, CaseIterable {
    case displayOnly = "DisplayOnly"
    case displayYesNo = "DisplayYesNo"
    case keyboardOnly = "KeyboardOnly"
    case noInputNoOutput = "NoInputNoOutput"
    case keyboardDisplay = "KeyboardDisplay"
}
