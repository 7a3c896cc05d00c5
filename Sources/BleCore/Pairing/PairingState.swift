internal import DBus
internal import EventLoop

/// What the manager keeps for pairing: the agent on the bus, its prompts, and whose turn it is.
///
/// Confined to the manager.
final class PairingState {
    /// Whether bluetoothd knows our agent.
    enum Registration {
        case none
        /// `RegisterAgent` is out.
        case underway
        case registered(PairingCapability)
        case refused(BleFailure)
    }

    /// A prompt that is open, and the call that waits for its answer.
    struct OpenPrompt {
        var prompt: PairingPrompt
        let call: MethodCall?
        let timer: EventLoop.TimerID
    }

    /// How many prompts may be open; bluetoothd has one question at a time, and shows at most one number a device.
    static let promptBound = 8

    var promptLimit: Duration
    var registration = Registration.none
    /// How often the agent was registered: an answer to an earlier time says nothing any more.
    var registrations = 0
    var window = PairingWindow()
    var prompts: [String: OpenPrompt] = [:]
    var observers = Broadcast<PairingEvent>()
    /// The device that is being paired: one at a time, as bluetoothd has one question at a time for an agent.
    var current: DeviceAddress?
    /// Why the current pairing was refused here; nil while it was not.
    var refusal: String?

    init(_ promptLimit: Duration) { self.promptLimit = promptLimit }

    /// The open prompts of a device.
    func prompts(of address: DeviceAddress) -> [OpenPrompt] {
        prompts.values.filter { $0.prompt.address == address }
    }
}
