import BleCore
import Frames
import FramesSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ChecksumTests {
    @Test(
        arguments: [
            (.sum8, 0xDD), (.xor8, 0x31), (.crc8, 0xF4), (.crc8Maxim, 0xA1), (.crc16Modbus, 0x4B37),
            (.crc16Ccitt, 0x29B1), (.crc16Xmodem, 0x31C3), (.crc32, 0xCBF4_3926),
        ] as [(ChecksumKind, UInt32)]
    ) func `each checksum has its check value`(kind: ChecksumKind, value: UInt32) {
        #expect(kind.value(of: Array("123456789".utf8)) == value)
    }

    @Test(
        arguments: [
            (.sum8, 0), (.xor8, 0), (.crc8, 0), (.crc8Maxim, 0), (.crc16Modbus, 0xFFFF), (.crc16Ccitt, 0xFFFF),
            (.crc16Xmodem, 0), (.crc32, 0),
        ] as [(ChecksumKind, UInt32)]
    ) func `nothing has the checksum of its beginning`(kind: ChecksumKind, value: UInt32) {
        #expect(kind.value(of: []) == value)
    }

    @Test func `the check values are those of every kind`() {
        #expect(ChecksumKind.allCases.count == 8)
        let names = "sum8 xor8 crc8 crc8-maxim crc16-modbus crc16-ccitt crc16-xmodem crc32"
        #expect(ChecksumKind.allCases.map(\.rawValue).joined(separator: " ") == names)
    }

    @Test func `a Modbus frame has its checksum with the low byte first`() {
        // Modbus over serial line specification 1.02, 6.2.2: the low byte of the CRC is sent first.
        let rule = ChecksumRule(.crc16Modbus, order: .little, sends: true, verifies: false)
        #expect(rule.bytes(of: hex("010300000001")) == hex("840a"))
    }

    @Test func `a 1-Wire address ends in its checksum`() {
        // Maxim, application note 27: the eight bytes of a ROM, its last one the CRC of the others.
        #expect(ChecksumKind.crc8Maxim.value(of: hex("021cb801000000")) == 0xA2)
    }

    @Test(
        arguments: [
            (.sum8, .big, 0, "7e0200", "80"), (.sum8, .little, 0, "7e0200", "80"), (.sum8, .big, 1, "7e0200", "02"),
            (.sum8, .big, 3, "7e0200", "00"), (.sum8, .big, 9, "7e0200", "00"), (.xor8, .big, 0, "7e0200", "7c"),
            (.crc16Ccitt, .big, 0, "313233343536373839", "29b1"),
            (.crc16Ccitt, .little, 0, "313233343536373839", "b129"),
            (.crc32, .big, 2, "0000313233343536373839", "cbf43926"),
            (.crc32, .little, 2, "0000313233343536373839", "2639f4cb"),
        ] as [(ChecksumKind, ChecksumRule.Order, Int, String, String)]
    ) func `a checksum covers the bytes from its first one on`(
        kind: ChecksumKind,
        order: ChecksumRule.Order,
        from: Int,
        frame: String,
        bytes: String
    ) {
        let rule = ChecksumRule(kind, order: order, from: from, sends: true, verifies: false)
        #expect(rule.bytes(of: hex(frame)) == hex(bytes))
    }

    @Test(arguments: ChecksumKind.allCases)
    func `what is sent with a checksum is verified without it`(kind: ChecksumKind) throws {
        for order in ChecksumRule.Order.allCases {
            for from in [0, 1, 5] {
                let rule = ChecksumRule(kind, order: order, from: from, sends: true, verifies: true)
                var rules = TransactRules.about(checksum: rule)
                rules.data = hex("aa01020304")
                #expect(rules.framed.count == 5 + kind.width)
                #expect(exchange(rules, [rules.framed]).answer?.value == rules.data)
                for place in from..<rules.framed.count {
                    var damaged = rules.framed
                    damaged[place] ^= 0x10
                    #expect(exchange(rules, [damaged]) == .failed(.badChecksum), "byte \(place)")
                }
                rules.data = []
                let short = [UInt8](repeating: 0, count: from + kind.width - 1)
                #expect(exchange(rules, [short]) == .failed(.badChecksum))
            }
        }
    }

    @Test func `a checksum that is not sent or not verified changes nothing`() {
        var rules = TransactRules.about(checksum: ChecksumRule(.sum8, sends: false, verifies: true))
        rules.data = [1, 2]
        #expect(rules.framed == [1, 2] && rules.command().cmdData == [1, 2])
        rules.checksum = ChecksumRule(.sum8, sends: true, verifies: false)
        #expect(rules.framed == [1, 2, 3] && rules.command().cmdData == [1, 2, 3])
        #expect(exchange(rules, [[1, 2, 9]]).answer?.value == [1, 2, 9])
        rules.checksum = nil
        #expect(rules.framed == [1, 2])
    }

    @Test func `a wrong checksum says which bytes it covers and none of them`() {
        let rules = TransactRules.about(checksum: ChecksumRule(.crc16Modbus, from: 1, sends: false, verifies: true))
        let error = #expect(throws: FrameFailure.self) {
            try rules.answer(from: .init([hex("aabbccddee")]))
        }
        let detail = "the crc16-modbus of the answer's bytes from 1 to 3 is not what its last 2 bytes say"
        #expect(error?.detail == detail && error?.code == .badChecksum)
    }
}
