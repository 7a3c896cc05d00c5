internal import CCrypto

/// SHA-256 and its keyed form.
package enum Digest {
    /// The 32 bytes of the SHA-256 hash.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        _ = SHA256(bytes, bytes.count, &digest)
        return digest
    }

    /// The 32 bytes of HMAC-SHA256; empty when libcrypto refuses the algorithm.
    package static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let done = HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &digest, &count)
        return done == nil ? [] : Array(digest.prefix(Int(count)))
    }
}
