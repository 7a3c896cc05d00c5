/// A question, or a number to be shown, that comes up while a device is paired.
public struct PairingPrompt: Sendable, Equatable {
    /// What is asked or shown.
    public enum Kind: Sendable, Equatable {
        /// Whether the device shows the same number.
        case confirm(passkey: UInt32)
        /// The number that the device shows, 0 to 999999.
        case passkey
        /// The device's code, 1 to 16 characters.
        case pin
        /// The number to be typed in at the device, and how many digits it has taken so far.
        case display(passkey: UInt32, entered: Int)
        /// The code to be typed in at the device.
        case displayPin(String)
        /// Whether the device may pair, of which nobody can compare a number.
        case authorize
        /// Whether the device may use a service of this machine.
        case authorizeService(BluetoothUUID)

        /// Whether it waits for an answer; the others only show something.
        public var needsAnswer: Bool {
            switch self {
            case .confirm, .passkey, .pin, .authorize, .authorizeService: true
            case .display, .displayPin: false
            }
        }
    }

    /// Names the prompt in an answer; cannot be guessed.
    public let id: String
    public let address: DeviceAddress
    public internal(set) var kind: Kind
    /// When it ends by itself, in milliseconds since 1970-01-01 UTC.
    public let expires: Int64
}

/// The answer to a prompt.
public enum PairingAnswer: Sendable, Equatable {
    /// Yes: the numbers are equal, or it may be.
    case accept
    case reject
    case passkey(UInt32)
    case pin(String)
}

/// What became of an answer.
public enum PairingAnswerOutcome: Sendable, Equatable {
    case taken
    /// There is no such prompt, or not any more.
    case unknownPrompt
    /// The prompt wants something else: what it asks for.
    case unfit(PairingPrompt.Kind)
}

/// Something that happens to prompts, in the order in which it does.
public enum PairingEvent: Sendable, Equatable {
    /// Why a prompt is over.
    public enum End: String, Sendable {
        case answered, rejected
        /// Nobody answered in time.
        case expired
        /// bluetoothd or the device gave it up, or the pairing has ended.
        case cancelled
    }

    case prompt(PairingPrompt)
    /// A prompt shows something else now.
    case changed(PairingPrompt)
    case ended(PairingPrompt, End)
}

/// What pairing has done.
public struct PairOutcome: Sendable, Equatable {
    /// The device was paired before.
    public let already: Bool
    /// The keys are kept, so that later links are encrypted by themselves.
    public let bonded: Bool

    public init(already: Bool, bonded: Bool) {
        self.already = already
        self.bonded = bonded
    }
}
