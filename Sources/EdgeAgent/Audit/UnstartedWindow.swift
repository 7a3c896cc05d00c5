package import BleCore

/// Bounds the audit lines of commands that did nothing: whoever is refused may ask as often as the broker lets it.
///
/// In a window of a minute each kind gets one line, and all kinds together get 30; the others are counted.
package struct UnstartedWindow: Sendable {
    /// What makes two such commands alike; a label from the body does not, as its sender may take a new one each time.
    package struct Kind: Sendable, Hashable {
        package let caller: String?
        package let device: DeviceAddress?
        package let verb: VerbName?
        package let code: ErrorCode?

        /// The kind of a command that ended in this way.
        package init(_ body: ResultBody) {
            caller = body.origin.identity
            device = body.origin.device?.address
            verb = body.origin.verb
            code = body.error?.code
        }
    }

    package static let span = Duration.seconds(60)
    package static let most = 30

    private var seen: Set<Kind> = []
    /// How many got no line since the window was opened.
    package private(set) var suppressed = 0

    package init() {}

    /// Whether the window is open: something came since it was closed last.
    package var isOpen: Bool { !seen.isEmpty }

    /// Whether a command gets a line; opens the window.
    package mutating func admit(_ kind: Kind) -> Bool {
        guard seen.count < Self.most, seen.insert(kind).inserted else {
            suppressed += 1
            return false
        }
        return true
    }

    /// Closes the window.
    ///
    /// - Returns: how many got no line.
    package mutating func close() -> Int {
        defer { self = UnstartedWindow() }
        return suppressed
    }
}
