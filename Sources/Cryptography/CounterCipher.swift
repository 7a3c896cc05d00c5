internal import CCrypto

/// AES-CCM with a 128-bit key: encryption with a signature over everything (RFC 3610, NIST SP 800-38C).
package enum CounterCipher {
    /// Checks and decrypts a message.
    ///
    /// - Parameters:
    ///   - message: What was encrypted, without its signature.
    ///   - signature: 4 to 16 bytes, an even number of them.
    ///   - key: 16 bytes.
    ///   - nonce: 7 to 13 bytes.
    ///   - associated: What is signed and not encrypted.
    /// - Returns: The clear text; nil when the signature is another, or libcrypto refuses the sizes.
    package static func open(
        _ message: [UInt8],
        signature: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        associated: [UInt8] = []
    ) -> [UInt8]? {
        guard let context = context(key: key, nonce: nonce, signatureBytes: signature.count) else { return nil }
        // Safe because: it was made here and nothing keeps it.
        defer { EVP_CIPHER_CTX_free(context) }
        var signature = signature
        var count: Int32 = 0
        var clear = [UInt8](repeating: 0, count: message.count + 16)
        guard EVP_DecryptInit_ex(context, EVP_aes_128_ccm(), nil, nil, nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(signature.count), &signature) == 1,
            EVP_DecryptInit_ex(context, nil, nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &count, nil, Int32(message.count)) == 1,
            associated.isEmpty
                || EVP_DecryptUpdate(context, nil, &count, associated, Int32(associated.count)) == 1,
            EVP_DecryptUpdate(context, &clear, &count, message, Int32(message.count)) == 1
        else { return nil }
        return Array(clear.prefix(message.count))
    }

    /// Encrypts a message and signs it.
    ///
    /// - Returns: What is encrypted and its signature of so many bytes; nil when libcrypto refuses the sizes.
    package static func seal(
        _ clear: [UInt8],
        signatureBytes: Int,
        key: [UInt8],
        nonce: [UInt8],
        associated: [UInt8] = []
    ) -> (message: [UInt8], signature: [UInt8])? {
        guard let context = context(key: key, nonce: nonce, signatureBytes: signatureBytes) else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var count: Int32 = 0
        var message = [UInt8](repeating: 0, count: clear.count + 16)
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        guard EVP_EncryptInit_ex(context, EVP_aes_128_ccm(), nil, nil, nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(signatureBytes), nil) == 1,
            EVP_EncryptInit_ex(context, nil, nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &count, nil, Int32(clear.count)) == 1,
            associated.isEmpty
                || EVP_EncryptUpdate(context, nil, &count, associated, Int32(associated.count)) == 1,
            EVP_EncryptUpdate(context, &message, &count, clear, Int32(clear.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(signatureBytes), &signature) == 1
        else { return nil }
        return (Array(message.prefix(clear.count)), signature)
    }

    /// A context, where the sizes are such as the algorithm knows.
    private static func context(key: [UInt8], nonce: [UInt8], signatureBytes: Int) -> OpaquePointer? {
        guard key.count == 16, (7...13).contains(nonce.count), (4...16).contains(signatureBytes),
            signatureBytes.isMultiple(of: 2)
        else { return nil }
        return EVP_CIPHER_CTX_new()
    }
}
