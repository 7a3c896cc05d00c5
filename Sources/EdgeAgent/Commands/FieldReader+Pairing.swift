import BleCore

/// The fields of pairing.
///
/// What is wrong with a code is told without the code.
extension FieldReader {
    /// Pairing a device, or on the gateway's topic the window in which devices may begin it.
    mutating func pair(onDevice: Bool) -> VerbRequest? {
        let before = problems.count
        let capability = choice("capability", CapabilityName.self)
        let windowMs = whole("windowMs", 0...PairingWindowRequest.longestMs)
        guard problems.count == before else { return nil }
        switch (onDevice, capability, windowMs) {
        case (true, _, nil): return .pair(PairRequest(capability: capability))
        case (true, _, _?): problem("windowMs", "is for the gateway, not for a device")
        case (false, _?, _): problem("capability", "is for the pairing of a device")
        case (false, nil, let windowMs?):
            return .pairingWindow(PairingWindowRequest(span: .milliseconds(windowMs)))
        case (false, nil, nil):
            let range = "a whole number from 0 to \(PairingWindowRequest.longestMs)"
            problem("windowMs", "expected \(range), or publish the command on a device's topic to pair it")
        }
        return nil
    }

    mutating func pairAnswer() -> VerbRequest? {
        let before = problems.count
        let prompt = text("prompt", maxBytes: PairAnswerRequest.maxPromptBytes)
        if prompt == nil, problems.count == before { problem("prompt", expected: "the id of a prompt") }
        let accept = flag("accept")
        let passkey = self.passkey()
        let pin = self.pin()
        guard problems.count == before, let prompt else { return nil }
        let answer: PairingAnswer
        switch (accept, passkey, pin) {
        case (false?, nil, nil): answer = .reject
        case (true?, nil, nil): answer = .accept
        case (let accept, let passkey?, nil) where accept != false: answer = .passkey(passkey)
        case (let accept, nil, let pin?) where accept != false: answer = .pin(pin)
        default:
            problem("accept", "give accept, passkey or pin; a refusal alone")
            return nil
        }
        return .pairAnswer(PairAnswerRequest(prompt: prompt, answer: answer))
    }

    mutating func trust() -> VerbRequest? {
        let before = problems.count
        guard let trusted = flag("trusted") else {
            if problems.count == before { problem("trusted", expected: "true or false") }
            return nil
        }
        return .trust(TrustRequest(isTrusted: trusted))
    }

    /// A whole number, or the six digits as people read them.
    private mutating func passkey() -> UInt32? {
        guard let value = take("passkey") else { return nil }
        var number: UInt32?
        if let integer = value.integer { number = UInt32(exactly: integer) }
        if let text = value.string, text.utf8.count == 6, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            number = UInt32(text)
        }
        guard let number, number <= 999_999 else {
            problem("passkey", "expected a whole number from 0 to 999999, or a text of six digits")
            return nil
        }
        return number
    }

    private mutating func pin() -> String? {
        guard let value = take("pin") else { return nil }
        guard let text = value.string, (1...PairAnswerRequest.maxPinBytes).contains(text.utf8.count) else {
            problem("pin", "expected a text of 1 to \(PairAnswerRequest.maxPinBytes) bytes")
            return nil
        }
        return text
    }
}
