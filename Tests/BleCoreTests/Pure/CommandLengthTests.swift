import BleCore
import Testing

@Suite(.timeLimit(.minutes(1)))
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
}
