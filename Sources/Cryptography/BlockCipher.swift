internal import CCrypto

/// AES with a 128-bit key, one block at a time.
///
/// Source: FIPS 197; the Bluetooth Core Specification calls it the security function e (Vol 3, Part H, 2.2.1). Keeps its
/// key schedule, so that many blocks under one key are cheap; confined to whoever made it.
package final class BlockCipher {
    /// A block of 16 bytes as two numbers: the first byte is the most significant one of `high`.
    package struct Block: Equatable, Sendable {
        package var high: UInt64
        package var low: UInt64

        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }

    /// Safe because: made in `init`, freed in `deinit`, and never handed out.
    private let context: OpaquePointer

    /// Makes a cipher of 16 bytes of key.
    ///
    /// - Returns: nil for a key of another length, or when libcrypto has no AES or no memory.
    package init?(key: [UInt8]) {
        guard key.count == 16, let context = EVP_CIPHER_CTX_new() else { return nil }
        self.context = context
        guard EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, key, nil) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else { return nil }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Encrypts one block; nil when libcrypto refuses.
    package func encrypt(_ block: Block) -> Block? {
        var input = (block.high.bigEndian, block.low.bigEndian)
        var output: (UInt64, UInt64) = (0, 0)
        var count: Int32 = 0
        let done = withUnsafeBytes(of: &input) { input in
            withUnsafeMutableBytes(of: &output) { output in
                EVP_EncryptUpdate(
                    context,
                    output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    &count,
                    input.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    16
                )
            }
        }
        guard done == 1, count == 16 else { return nil }
        return Block(high: UInt64(bigEndian: output.0), low: UInt64(bigEndian: output.1))
    }
}
