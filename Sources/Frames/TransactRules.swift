package import BleCore

/// What a `transact` command asks for: what is sent, which packets are the answer, and what is read from it.
///
/// A packet goes through the rules in this order: `fail`, `accept`, `take`; then the answer so far through `complete`.
/// A complete answer is cut to its length, its checksum is verified and removed, and its values are read.
package struct TransactRules: Sendable, Equatable {
    /// Where the bytes are written.
    package var write: AttributeSelector
    /// Where the answer comes from; nil when none is expected.
    package var notify: AttributeSelector?
    /// The bytes to send, without the checksum.
    package var data: [UInt8]
    package var mode: WriteMode
    package var chunk: Chunk
    /// Which packets belong to the answer; nil when all do.
    package var accept: PacketCondition?
    /// Which packets `accept` and `fail` look at.
    package var scope: PacketScope
    /// What is kept of each packet; nil when everything is.
    package var take: TakeRule?
    package var complete: CompletionRule
    /// By what the device's refusal is known.
    package var fail: PacketCondition?
    package var checksum: ChecksumRule?
    /// How long each packet of the answer may take.
    package var packetTimeout: Duration
    /// When a long connection ends by itself; nil when it does not.
    package var lease: Duration?
    /// The values to read from the answer, with names that differ.
    package var parse: [ParseField]

    package static let defaultPacketTimeout: Duration = .seconds(20)

    package init(
        write: AttributeSelector,
        notify: AttributeSelector?,
        data: [UInt8],
        mode: WriteMode = .auto,
        chunk: Chunk = Chunk(),
        accept: PacketCondition? = nil,
        scope: PacketScope? = nil,
        take: TakeRule? = nil,
        complete: CompletionRule = .first,
        fail: PacketCondition? = nil,
        checksum: ChecksumRule? = nil,
        packetTimeout: Duration = Self.defaultPacketTimeout,
        lease: Duration? = nil,
        parse: [ParseField] = []
    ) {
        self.write = write
        self.notify = notify
        self.data = data
        self.mode = mode
        self.chunk = chunk
        self.accept = accept
        self.scope = scope ?? complete.usualScope
        self.take = take
        self.complete = complete
        self.fail = fail
        self.checksum = checksum
        self.packetTimeout = packetTimeout
        self.lease = lease
        self.parse = parse
    }

    /// Whether the packets go on to come after the result, until the subscription is given up.
    package var isLongConnection: Bool { complete == .never }
}

/// Which packets have to look like an answer.
package enum PacketScope: String, Sendable, CaseIterable {
    /// The one that begins the answer; those after it are continuations.
    case first
    /// Every one.
    case each
}

/// What is kept of a packet.
package struct TakeRule: Sendable, Hashable {
    package var offset: Int
    /// All the rest when there is none.
    package var length: Int?

    package init(offset: Int = 0, length: Int? = nil) {
        self.offset = offset
        self.length = length
    }

    /// The part of a packet that is kept; empty when the packet is too short to have it.
    package func kept(of packet: [UInt8]) -> [UInt8] {
        let rest = packet.dropFirst(max(0, offset))
        return Array(length.map { rest.prefix(max(0, $0)) } ?? rest)
    }
}
