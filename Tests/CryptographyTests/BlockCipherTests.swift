import Cryptography
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BlockCipherTests {
    /// FIPS 197, Appendix B and C.1.
    @Test(
        arguments: [
            (
                [0x2B7E_1516_28AE_D2A6, 0xABF7_1588_09CF_4F3C], [0x3243_F6A8_885A_308D, 0x3131_98A2_E037_0734],
                [0x3925_841D_02DC_09FB, 0xDC11_8597_196A_0B32]
            ),
            (
                [0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F], [0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF],
                [0x69C4_E0D8_6A7B_0430, 0xD8CD_B780_70B4_C55A]
            ),
        ] as [([UInt64], [UInt64], [UInt64])]
    )
    func `the standard's blocks are encrypted as it says, again and again`(
        _ key: [UInt64],
        _ plain: [UInt64],
        _ secret: [UInt64]
    ) throws {
        let bytes = key.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) } }
        let cipher = try #require(BlockCipher(key: bytes))
        for _ in 0..<3 {
            let block = cipher.encrypt(BlockCipher.Block(high: plain[0], low: plain[1]))
            #expect(block == BlockCipher.Block(high: secret[0], low: secret[1]))
        }
    }

    @Test(arguments: [0, 15, 17, 32]) func `a key of another length makes no cipher`(_ count: Int) {
        #expect(BlockCipher(key: [UInt8](repeating: 1, count: count)) == nil)
    }
}
