/// How a device pairs: what the agent is asked, and what has to be answered.
package struct PairingModel: Equatable, Sendable {
    package enum Prompt: String, Sendable, CaseIterable {
        /// Nobody is asked.
        case none
        /// Whether both sides show the same number.
        case confirm
        /// The number that the device shows.
        case passkey
        /// The device's code.
        case pin
        /// The number is shown, and typed in at the device.
        case display
        /// Whether it may be.
        case authorize
    }

    package var prompt = Prompt.none
    /// 0 to 999999.
    package var passkey: UInt32 = 123_456
    package var pin = "0000"
    /// When the number that is shown is typed in at the device; nil: not before somebody says so.
    package var typedAfter: Duration? = .zero
    /// Whether the keys are kept.
    package var bonds = true

    package init() {}
}
