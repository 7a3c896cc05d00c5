import BleCore
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CommandLengthTests {
    private static let value: [UInt8] = Array(1...50)

    @Test(
        arguments: [
            (DefaultPeripheralCommandLength(), nil, [20, 20, 10]),
            (DefaultPeripheralCommandLength(0), nil, Array(repeating: 1, count: 50)),
            (FirstPeripheralCommandLength(first: 8, then: 30), 23, [8, 30, 12]),
            (FirstPeripheralCommandLength(first: -1, then: .max), 23, [1, 49]),
            (MTUPeripheralCommandLength(), 23, [20, 20, 10]), (MTUPeripheralCommandLength(), 33, [30, 20]),
            (MTUPeripheralCommandLength(), 517, [50]), (MTUPeripheralCommandLength(), nil, [20, 20, 10]),
            (MTUPeripheralCommandLength(), 0, [20, 20, 10]),
        ] as [(any PeripheralCommandLengthProtocol, Int?, [Int])]
    )
    func `bytes are cut as told and nothing is lost`(
        lengths: any PeripheralCommandLengthProtocol,
        mtu: Int?,
        sizes: [Int]
    ) {
        let packets = lengths.cut(Self.value, mtu: mtu)
        #expect(packets.map(\.count) == sizes)
        #expect(packets.flatMap(\.self) == Self.value)
        #expect(lengths.cut([], mtu: mtu) == [[]])
    }

    @Test(
        arguments: [
            (DefaultPeripheralCommandLength(30), [20, 20, 10]),
            (FirstPeripheralCommandLength(first: 8, then: 512), [8, 20, 20, 2]),
            (MTUPeripheralCommandLength(), [20, 20, 10]),
        ] as [(any PeripheralCommandLengthProtocol, [Int])]
    )
    func `no packet is longer than the limit, whatever was asked for`(
        lengths: any PeripheralCommandLengthProtocol,
        sizes: [Int]
    ) {
        let packets = lengths.cut(Self.value, mtu: 517, limit: 20)
        #expect(packets.map(\.count) == sizes)
        #expect(packets.flatMap(\.self) == Self.value)
    }

    @Test(arguments: [(nil, 20), (0, 20), (23, 20), (185, 182), (515, 512), (517, 512), (65_535, 512)])
    func `a packet carries what the link takes, and no more than an attribute holds`(mtu: Int?, bytes: Int) {
        #expect(MTUPeripheralCommandLength().length(ofPacket: 0, mtu: mtu) == bytes)
    }
}
