package import BleCore
package import Frames

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
