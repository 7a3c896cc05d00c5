/// Why an answer is none that the rules can read.
package struct FrameFailure: Error, Sendable, Equatable {
    /// Which rule is not fulfilled.
    package enum Code: String, Sendable, CaseIterable {
        /// The bytes end too early, or a field holds no value of its type.
        case parseFailed = "parse-failed"
        /// The checksum is another, or there is no room for one.
        case badChecksum = "bad-checksum"
    }

    package var code: Code
    /// One sentence for people, without payload.
    package var detail: String

    package init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }
}
