package import BleCore

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

extension Chunk.Size {
    /// The lengths of the packets that a value is cut into.
    package var lengths: any PeripheralCommandLengthProtocol {
        switch self {
        case .mtu: MTUPeripheralCommandLength()
        case .fixed(let first, let then): FirstPeripheralCommandLength(first: first, then: then)
        }
    }
}
