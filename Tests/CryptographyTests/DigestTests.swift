import Cryptography
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DigestTests {
    @Test func `SHA-256 and its keyed form give the published values`() {
        // FIPS 180-2 appendix B.1 and RFC 4231 test case 2.
        let digest = Digest.sha256(Array("abc".utf8))
        #expect(hex(digest) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let keyed = Digest.hmacSHA256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(hex(keyed) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(Digest.sha256([]).count == 32)
        #expect(Digest.hmacSHA256(key: [], []).count == 32)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
