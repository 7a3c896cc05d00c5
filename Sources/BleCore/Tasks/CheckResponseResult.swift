/// What the packets of an answer amount to so far.
public enum CheckResponseResult: Sendable, Equatable {
    /// The answer is complete.
    case success
    /// The device has refused; the text says how, for people.
    case failure(String)
    /// More has to come; the packet's time starts anew.
    case goOn
    /// There is no end: the packets go on to come until the subscription is given up.
    case longConnection
}

/// The packets of an answer in the order of their arrival, each with what the command keeps of it.
public struct ResponsePackets: Sendable, Equatable {
    public private(set) var packets: [[UInt8]] = []
    /// All packets one behind the other.
    public private(set) var joined: [UInt8] = []

    public init() {}

    /// Makes the packets of an answer that is known.
    public init(_ packets: [[UInt8]]) {
        for packet in packets { append(packet) }
    }

    public var isEmpty: Bool { packets.isEmpty }
    public var count: Int { packets.count }

    public mutating func append(_ packet: [UInt8]) {
        packets.append(packet)
        joined += packet
    }
}
