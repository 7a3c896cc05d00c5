package import BleCore

/// Reads a value.
package struct ReadRequest: Sendable, Equatable {
    package var attribute: AttributeSelector
    /// The first byte that is wanted.
    package var offset: UInt16

    package init(attribute: AttributeSelector, offset: UInt16 = 0) {
        self.attribute = attribute
        self.offset = offset
    }
}

/// How a long value is cut into packets.
package struct Chunk: Sendable, Hashable {
    /// How many bytes a packet takes.
    package enum Size: Sendable, Hashable {
        /// As many as the link takes.
        case mtu
        /// The first packet and those that follow.
        case fixed(first: Int, then: Int)
    }

    package var size: Size
    /// The pause between writes without response.
    package var gap: Duration

    package static let defaultGap: Duration = .milliseconds(20)

    package init(size: Size = .mtu, gap: Duration = Self.defaultGap) {
        self.size = size
        self.gap = gap
    }
}

/// Writes a value.
package struct WriteRequest: Sendable, Equatable {
    package var attribute: AttributeSelector
    package var value: [UInt8]
    package var offset: UInt16
    package var mode: WriteMode
    /// Without it the value goes in one piece or not at all.
    package var chunk: Chunk?

    package init(
        attribute: AttributeSelector,
        value: [UInt8],
        offset: UInt16 = 0,
        mode: WriteMode = .auto,
        chunk: Chunk? = nil
    ) {
        self.attribute = attribute
        self.value = value
        self.offset = offset
        self.mode = mode
        self.chunk = chunk
    }
}
