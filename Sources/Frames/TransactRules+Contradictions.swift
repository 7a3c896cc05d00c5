extension TransactRules {
    /// What in the rules cannot be fulfilled together.
    ///
    /// - Parameter namesCompletion: Whether the command says when the answer is complete.
    /// - Returns: The field that has to change, and why.
    package func contradictions(namesCompletion: Bool) -> [(field: String, text: String)] {
        var found: [(field: String, text: String)] = []
        let answerFields = [
            ("complete", namesCompletion), ("accept", accept != nil), ("take", take != nil), ("fail", fail != nil),
            ("checksum.verify", checksum?.verifies == true), ("parse", !parse.isEmpty),
        ].filter(\.1).map(\.0)
        if notify == nil, let field = answerFields.first {
            found.append(("notify", "needed beside \(field): without it there is no answer"))
        }
        if isLongConnection {
            for field in answerFields where field != "complete" {
                found.append((field, "not beside complete never, which has no answer: all values go to notify"))
            }
        } else if lease != nil {
            found.append(("leaseMs", "only beside complete never: the subscription ends with the answer"))
        }
        if case .idle(let silence) = complete, silence >= packetTimeout {
            found.append(("complete.idleMs", "has to be less than packetTimeoutMs, which ends the command"))
        }
        if let checksum, checksum.sends, checksum.from > data.count {
            found.append(("checksum.from", "lies behind the \(data.count) bytes of data"))
        }
        if case .bytes(let count) = complete { found += misfits(within: count) }
        return found
    }

    /// What needs more bytes than the answer will have.
    private func misfits(within count: Int) -> [(field: String, text: String)] {
        var body = count
        if let checksum, checksum.verifies {
            guard count >= checksum.from + checksum.kind.width else {
                return [("complete.bytes", "too few for the checksum from byte \(checksum.from)")]
            }
            body -= checksum.kind.width
        }
        return parse.enumerated().filter { $1.end > body }.map { index, field in
            ("parse[\(index)].offset", "the value ends at byte \(field.end), and the answer will have \(body)")
        }
    }
}
