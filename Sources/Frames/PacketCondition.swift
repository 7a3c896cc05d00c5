/// What the bytes of a packet, or of an answer, have to look like; every part that is given has to hold.
package struct PacketCondition: Sendable, Hashable {
    /// How they begin; empty when that does not matter.
    package var prefix: [UInt8]
    package var match: BytePattern?
    /// How many there are at least.
    package var minBytes: Int

    package init(prefix: [UInt8] = [], match: BytePattern? = nil, minBytes: Int = 0) {
        self.prefix = prefix
        self.match = match
        self.minBytes = minBytes
    }

    /// Whether bytes fulfil the condition.
    ///
    /// - Parameters:
    ///   - bytes: A packet, or an answer so far.
    ///   - newest: How many bytes at the end were not there when the condition was last looked at.
    /// - Returns: Whether each part holds.
    package func holds(for bytes: [UInt8], newest: Int) -> Bool {
        guard bytes.count >= minBytes, bytes.starts(with: prefix) else { return false }
        return match?.matches(bytes, newest: newest) ?? true
    }

    /// Whether a packet fulfils the condition.
    package func holds(for packet: [UInt8]) -> Bool { holds(for: packet, newest: packet.count) }
}

/// Bytes at a place, or anywhere.
package struct BytePattern: Sendable, Hashable {
    /// Where they stand; nil when any place will do.
    package var offset: Int?
    /// At least one.
    package var bytes: [UInt8]

    package init(offset: Int? = nil, bytes: [UInt8]) {
        self.offset = offset
        self.bytes = bytes
    }

    /// Whether data have the bytes.
    ///
    /// Only what is new is searched, with as much before it as a pattern across the border needs: a long answer costs
    /// its length, not the square of it.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - newest: How many bytes at the end have not been searched yet.
    /// - Returns: Whether they stand where they should, in what is searched.
    func matches(_ data: [UInt8], newest: Int) -> Bool {
        if let offset { return stands(in: data, at: offset) }
        guard bytes.count <= data.count else { return false }
        let first = max(0, data.count - newest - (bytes.count - 1))
        let last = data.count - bytes.count
        guard first <= last else { return false }
        return (first...last).contains { stands(in: data, at: $0) }
    }

    private func stands(in data: [UInt8], at place: Int) -> Bool {
        guard place >= 0, place <= data.count - bytes.count else { return false }
        return data[place...].starts(with: bytes)
    }
}
