import Cryptography
import Testing

@Suite(.timeLimit(.minutes(10))) struct CounterCipherTests {
    private func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    @Test func `a message is sealed as the standard's first example`() {
        // NIST SP 800-38C, appendix C.1.
        let sealed = CounterCipher.seal(
            bytes("20212223"),
            signatureBytes: 4,
            key: bytes("404142434445464748494a4b4c4d4e4f"),
            nonce: bytes("10111213141516"),
            associated: bytes("0001020304050607")
        )
        #expect(sealed?.message == bytes("7162015b"))
        #expect(sealed?.signature == bytes("4dac255d"))
    }

    @Test func `what is sealed is opened, and nothing else`() throws {
        let key = bytes("231d39c1d7cc1ab1aee224cd096db932")
        let nonce = bytes("5448e68f80a5d2fc4100112233")
        for clear in [[], [7], bytes("02ca0903bf13"), [UInt8](repeating: 9, count: 200)] as [[UInt8]] {
            for associated in [[], [0x11]] as [[UInt8]] {
                let sealed = try #require(
                    CounterCipher.seal(clear, signatureBytes: 4, key: key, nonce: nonce, associated: associated)
                )
                func open(_ message: [UInt8], _ signature: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8]? {
                    CounterCipher.open(message, signature: signature, key: key, nonce: nonce, associated: associated)
                }
                #expect(open(sealed.message, sealed.signature, key, nonce) == clear)
                for place in sealed.message.indices {
                    var damaged = sealed.message
                    damaged[place] ^= 1
                    #expect(open(damaged, sealed.signature, key, nonce) == nil)
                }
                for place in sealed.signature.indices {
                    var damaged = sealed.signature
                    damaged[place] ^= 0x80
                    #expect(open(sealed.message, damaged, key, nonce) == nil)
                }
                #expect(open(sealed.message, sealed.signature, key.reversed(), nonce) == nil)
                #expect(open(sealed.message, sealed.signature, key, nonce.reversed()) == nil)
            }
        }
    }

    @Test func `sizes that the algorithm does not know are refused`() {
        let key = [UInt8](repeating: 1, count: 16)
        let nonce = [UInt8](repeating: 2, count: 13)
        #expect(CounterCipher.open([1], signature: [1, 2, 3, 4], key: [1], nonce: nonce) == nil)
        #expect(CounterCipher.open([1], signature: [1, 2, 3, 4], key: key, nonce: [1]) == nil)
        #expect(CounterCipher.open([1], signature: [1, 2, 3], key: key, nonce: nonce) == nil)
        #expect(CounterCipher.open([1], signature: [], key: key, nonce: nonce) == nil)
        #expect(CounterCipher.seal([1], signatureBytes: 18, key: key, nonce: nonce) == nil)
    }
}
