/// A command to a device and how its answer is told: what to send, which packets count, and when they are complete.
///
/// ```swift
/// var status = PeripheralOperationCommand([0x7E, 0x02, 0x00, 0x80], write: write, notify: notify)
/// status.filterData = { packet, answer in answer.isEmpty && packet.first != 0x7E ? nil : packet }
/// status.checkResponse = { answer in
///     answer.joined.count >= 3 && answer.joined.count == Int(answer.joined[2]) + 4 ? .success : .goOn
/// }
/// ```
public struct PeripheralOperationCommand: Sendable {
    /// Decides on one packet: what is kept of it, or nil when it does not belong to the answer so far.
    public typealias Filter = @Sendable (_ packet: [UInt8], _ answer: ResponsePackets) -> [UInt8]?
    /// Decides on the answer after each packet that was kept.
    public typealias Check = @Sendable (_ answer: ResponsePackets) -> CheckResponseResult

    /// The bytes to send.
    public var cmdData: [UInt8]
    /// Where they are written.
    public var write: AttributeSelector
    /// Where the answer comes from, by notification or indication; nil when there is none.
    public var notify: AttributeSelector?
    public var mode = WriteMode.auto
    /// How the bytes are cut into packets.
    public var getLengthProtocol: any PeripheralCommandLengthProtocol = MTUPeripheralCommandLength()
    /// The pause between packets without response, for which BlueZ has no flow control.
    public var gap: Duration = .milliseconds(20)
    /// Every packet counts, unless the command says otherwise.
    public var filterData: Filter = { packet, _ in packet }
    /// The first packet is the answer, unless the command says otherwise.
    public var checkResponse: Check = { _ in .success }
    /// How long each packet of the answer may take, counted anew from the one before it.
    public var timeout: Duration = .seconds(20)
    /// When given, silence of this length after at least one packet completes the answer.
    public var completesAfterSilence: Duration?
    /// The answer has no end: the operation is done when the subscription stands and the command is out, and the packets
    /// go on to come.
    public var isLongConnection = false
    /// The most bytes that an answer may have; beyond it the operation fails.
    public var maxResponseBytes = 1 << 20

    /// A command that is answered by one packet, or, without `notify`, by nothing.
    public init(_ cmdData: [UInt8], write: AttributeSelector, notify: AttributeSelector? = nil) {
        self.cmdData = cmdData
        self.write = write
        self.notify = notify
    }
}

/// What a command brought.
public struct PeripheralOperationResponse: Sendable, Equatable {
    /// The packets of the answer; none for a long connection.
    public let answer: ResponsePackets
    /// How many packets were written.
    public let packetsSent: Int
    public let bytesSent: Int
    /// The device acknowledged the writes.
    public let isConfirmed: Bool
    /// The characteristic that goes on to send; only of a long connection.
    public let connection: CharacteristicID?
}
