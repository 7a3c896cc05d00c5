package import BleCore

/// What happens to a prompt of a pairing: the message on `pair`.
package struct PairingMessage: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// It waits for its answer, or shows something.
        case open
        /// It shows something else now.
        case changed
        case answered, rejected
        /// Nobody answered in time.
        case expired
        /// It was given up, or the pairing has ended.
        case cancelled

        package init(_ end: PairingEvent.End) {
            self =
                switch end {
                case .answered: .answered
                case .rejected: .rejected
                case .expired: .expired
                case .cancelled: .cancelled
                }
        }

        /// Whether the prompt is there after this.
        package var isOpen: Bool { self == .open || self == .changed }
    }

    package var device: DeviceTarget
    /// Names the prompt in `pair.answer`.
    package var prompt: String
    package var kind: PairingPrompt.Kind
    package var state: State
    /// When it ends by itself, in milliseconds since 1970-01-01 UTC.
    package var expiresMs: Int64

    package init(device: DeviceTarget, prompt: PairingPrompt, state: State) {
        self.init(device: device, prompt: prompt.id, kind: prompt.kind, state: state, expiresMs: prompt.expires)
    }

    package init(device: DeviceTarget, prompt: String, kind: PairingPrompt.Kind, state: State, expiresMs: Int64) {
        self.device = device
        self.prompt = prompt
        self.kind = kind
        self.state = state
        self.expiresMs = expiresMs
    }

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 320)
        writer.beginObject()
        writer.field("prompt", prompt)
        writer.field("state", state.rawValue)
        writer.field("kind", kind.name)
        // What is over needs nobody to read it again.
        if state.isOpen {
            switch kind {
            case .confirm(let passkey): writer.field("passkey", Self.digits(passkey))
            case .display(let passkey, let entered):
                writer.field("passkey", Self.digits(passkey))
                writer.field("entered", entered)
            case .displayPin(let pin): writer.field("pin", pin)
            case .authorizeService(let uuid): writer.field("service", uuid.description)
            case .passkey, .pin, .authorize: break
            }
            writer.field("expires", time: expiresMs)
        }
        device.write(to: &writer)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The six digits that people compare and type.
    private static func digits(_ passkey: UInt32) -> String {
        let text = String(passkey)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }
}

extension PairingPrompt.Kind {
    /// The word of the contract.
    package var name: String {
        switch self {
        case .confirm: "confirm"
        case .passkey: "passkey"
        case .pin: "pin"
        case .display, .displayPin: "display"
        case .authorize, .authorizeService: "authorize"
        }
    }
}
