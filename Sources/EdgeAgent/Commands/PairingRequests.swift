package import BleCore

/// Pairs a device.
package struct PairRequest: Sendable, Equatable {
    /// What the agent says that it can do, for this pairing; nil: what is configured.
    package var capability: CapabilityName?

    package init(capability: CapabilityName? = nil) { self.capability = capability }
}

/// Lets devices pair that begin it themselves, or ends that.
package struct PairingWindowRequest: Sendable, Equatable {
    /// The longest window, in milliseconds.
    package static let longestMs = 300_000

    /// How long from now on; zero closes the window.
    package var span: Duration

    package init(span: Duration) { self.span = span }
}

/// Answers a prompt of a pairing.
///
/// Holds a code: it goes into no log, no journal and no message.
package struct PairAnswerRequest: Sendable, Equatable {
    package static let maxPromptBytes = 64
    /// The most bytes of a PIN (BlueZ 5.66, doc/agent-api.txt).
    package static let maxPinBytes = 16

    /// Names the prompt.
    package var prompt: String
    package var answer: PairingAnswer

    package init(prompt: String, answer: PairingAnswer) {
        self.prompt = prompt
        self.answer = answer
    }
}

/// Says whether a device may use services of the gateway without a question.
package struct TrustRequest: Sendable, Equatable {
    package var isTrusted: Bool

    package init(isTrusted: Bool) { self.isTrusted = isTrusted }
}

/// What the gateway can do when a device is paired, in the words of commands and of the configuration.
package enum CapabilityName: String, Sendable, CaseIterable {
    case displayOnly = "display-only"
    case displayYesNo = "display-yes-no"
    case keyboardOnly = "keyboard-only"
    case keyboardDisplay = "keyboard-display"
    case noInputNoOutput = "no-input-no-output"

    /// The same for Bluetooth.
    package var capability: PairingCapability {
        switch self {
        case .displayOnly: .displayOnly
        case .displayYesNo: .displayYesNo
        case .keyboardOnly: .keyboardOnly
        case .keyboardDisplay: .keyboardDisplay
        case .noInputNoOutput: .noInputNoOutput
        }
    }
}
