package import BleCore

/// What an answer came to.
package struct TransactAnswer: Sendable, Equatable {
    /// One value that was read from it.
    package struct Value: Sendable, Equatable {
        package var name: String
        package var value: ParsedValue
        package var unit: String?

        package init(name: String, value: ParsedValue, unit: String? = nil) {
            self.name = name
            self.value = value
            self.unit = unit
        }
    }

    /// How many packets it came in.
    package var packets: Int
    /// Its bytes, without a checksum that was verified and without what stood beyond its end.
    package var value: [UInt8]
    /// What stood beyond its end.
    package var surplus: [UInt8]
    /// In the order of the command.
    package var parsed: [Value]

    package init(packets: Int, value: [UInt8], surplus: [UInt8] = [], parsed: [Value] = []) {
        self.packets = packets
        self.value = value
        self.surplus = surplus
        self.parsed = parsed
    }

    /// About how many bytes it will have in a result.
    package var estimatedBytes: Int { 64 + 2 * (value.count + surplus.count) + 48 * parsed.count }
}

extension TransactRules {
    /// Makes of the packets that were kept what the command asked for.
    ///
    /// The answer is cut to its length, then its checksum is verified and removed, then its values are read.
    ///
    /// - Parameter packets: The packets of an answer that is complete.
    /// - Returns: The answer.
    /// - Throws: ``FrameFailure`` with `parse-failed` or `bad-checksum`.
    package func answer(from packets: ResponsePackets) throws(FrameFailure) -> TransactAnswer {
        var value = packets.joined
        var surplus: [UInt8] = []
        if let length = try length(of: value) {
            surplus = Array(value.dropFirst(length))
            value = Array(value.prefix(length))
        }
        if let checksum, checksum.verifies { value = try checksum.verified(value) }
        var parsed: [TransactAnswer.Value] = []
        parsed.reserveCapacity(parse.count)
        for field in parse {
            parsed.append(.init(name: field.name, value: try field.read(value), unit: field.unit))
        }
        return TransactAnswer(packets: packets.count, value: value, surplus: surplus, parsed: parsed)
    }

    /// How many bytes the answer has, where that does not depend on its packets.
    private func length(of joined: [UInt8]) throws(FrameFailure) -> Int? {
        let wanted: Int
        switch complete {
        case .bytes(let count): wanted = max(0, count)
        case .length(let field):
            switch field.read(joined) {
            case .bytes(let count): wanted = count
            case .notYet:
                let detail = "the answer has \(joined.count) bytes, and its length would stand up to byte \(field.end)"
                throw FrameFailure(.parseFailed, detail: detail)
            case .absurd(let count):
                let detail =
                    "the answer's length comes to \(count) bytes, which is "
                    + (count < field.end ? "less than up to the length's own end" : "more than are taken")
                throw FrameFailure(.parseFailed, detail: detail)
            }
        case .first, .packets, .suffix, .match, .idle, .never: return nil
        }
        guard joined.count >= wanted else {
            let detail = "the answer has \(joined.count) bytes of \(wanted)"
            throw FrameFailure(.parseFailed, detail: detail)
        }
        return wanted
    }
}
