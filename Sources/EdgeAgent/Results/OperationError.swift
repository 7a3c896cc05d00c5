package import BleCore

/// The `error` of a result.
package struct OperationError: Error, Sendable, Equatable {
    package var code: ErrorCode
    package var stage: ErrorStage
    package var isRetryable: Bool
    /// When it is worth trying again, where that is known.
    package var retryAfterMs: Int?
    /// The device's error of the attribute protocol.
    package var att: UInt8?
    /// The name of BlueZ's error: `org.bluez.Error.Failed`.
    package var dbus: String?
    /// What was asked for and is not there.
    package var missing: [BluetoothUUID]
    /// The index of the step of a sequence that it is of.
    package var step: Int?
    /// The member of a group that it is of.
    package var device: DeviceName?
    /// One sentence for people, without payload.
    package var detail: String

    /// The longest detail, in bytes.
    package static let maxDetailBytes = 1024

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: Its code; status and whether it is worth repeating follow from it.
    ///   - stage: Where it happened. A stage that the contract does not give the code is replaced by the nearest earlier
    ///     one that it does, `nil` by the usual one.
    ///   - retryAfterMs: When to try again.
    ///   - att: The device's error.
    ///   - dbus: The name of BlueZ's error.
    ///   - missing: What is not there.
    ///   - detail: For people; cut at `maxDetailBytes`.
    package init(
        _ code: ErrorCode,
        at stage: ErrorStage? = nil,
        retryAfterMs: Int? = nil,
        att: UInt8? = nil,
        dbus: String? = nil,
        missing: [BluetoothUUID] = [],
        detail: String
    ) {
        self.code = code
        self.stage = code.stage(nearest: stage)
        isRetryable = code.isRetryable
        self.retryAfterMs = retryAfterMs
        self.att = att
        self.dbus = dbus
        self.missing = missing
        self.detail = detail.utf8.count <= Self.maxDetailBytes ? detail : bounded(detail, maxBytes: Self.maxDetailBytes)
    }
}

extension ErrorCode {
    /// The stage of this code that comes nearest to where something happened.
    func stage(nearest stage: ErrorStage?) -> ErrorStage {
        guard let stage else { return defaultStage }
        let stages = row.stages
        if stages.contains(stage) { return stage }
        let order = ErrorStage.allCases
        guard let place = order.firstIndex(of: stage) else { return defaultStage }
        let earlier = order[..<place].last { stages.contains($0) }
        return earlier ?? defaultStage
    }
}

/// The start of a text, at most so many bytes, cut between two characters and marked with `…`.
func bounded(_ text: String, maxBytes: Int) -> String {
    guard text.utf8.count > maxBytes else { return text }
    var out = ""
    var bytes = 3
    for scalar in text.unicodeScalars {
        bytes += UTF8.width(scalar)
        guard bytes <= maxBytes else { break }
        out.unicodeScalars.append(scalar)
    }
    return out + "…"
}
