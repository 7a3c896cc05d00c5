/// Identity keys as a file lists them.
///
/// A line each: the identity address, the 32 hexadecimal digits of the key, the most significant byte first, and maybe
/// `public` or `random`. What follows a `#` is a comment.
///
/// ```
/// # the blue phone
/// AA:BB:CC:DD:EE:FF  ec0234a357c8ad05341010a60a397d9b
/// ```
public struct IdentityKeys: Sendable, Equatable {
    /// How many keys there may be: each address that fits none of them costs as many computations.
    public static let limit = 256

    public let keys: [IdentityKey]

    public init(_ keys: [IdentityKey] = []) { self.keys = Array(keys.prefix(Self.limit)) }

    /// Why a file's keys cannot be used; says nothing of the keys.
    public enum Problem: Error, Equatable, Sendable {
        /// A system call failed with this `errno`.
        case system(Int32)
        case notRegular
        /// Every user of the machine may read or change it.
        case openToAll
        case tooLarge
        /// More than `limit` keys.
        case tooMany
        /// A line that is no key, counted from 1, and what is wrong.
        case line(Int, String)
    }

    /// Reads the text of a file.
    ///
    /// - Throws: the problem of the first line that has one.
    public static func parse(_ text: [UInt8]) throws(Problem) -> IdentityKeys {
        guard let text = String(validating: text, as: UTF8.self) else { throw .line(1, "is not UTF-8") }
        var keys: [IdentityKey] = []
        var seen: Set<DeviceAddress> = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { continue }
            let key = try key(words, line: index + 1)
            guard seen.insert(key.address).inserted else { throw .line(index + 1, "names an address again") }
            keys.append(key)
            guard keys.count <= limit else { throw .tooMany }
        }
        return IdentityKeys(keys)
    }

    private static func key(_ words: [Substring], line: Int) throws(Problem) -> IdentityKey {
        guard (2...3).contains(words.count) else { throw .line(line, "needs an address and a key") }
        guard let address = DeviceAddress(words[0]) else { throw .line(line, "does not begin with an address") }
        var type: Advertisement.AddressType?
        if words.count == 3 {
            type = Advertisement.AddressType(rawValue: String(words[2]))
            if type == nil { throw .line(line, "has a third word that is neither public nor random") }
        }
        guard let bytes = bytes(words[1]), let key = IdentityKey(of: address, type: type, key: bytes) else {
            throw .line(line, "has a key that is not 32 hexadecimal digits")
        }
        return key
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        guard text.utf8.count == 32 else { return nil }
        let nibbles = text.utf8.compactMap(hexNibble)
        guard nibbles.count == 32 else { return nil }
        return (0..<16).map { nibbles[2 * $0] << 4 | nibbles[2 * $0 + 1] }
    }
}

extension IdentityKeys.Problem: CustomStringConvertible {
    /// What is wrong, to be put behind the file's name.
    public var description: String {
        switch self {
        case .system(let code): "cannot be read: \(systemText(code))"
        case .notRegular: "is not a regular file"
        case .openToAll: "is open to every user of the machine: let its owner and group alone read it"
        case .tooLarge: "is larger than \(IdentityKeys.fileLimit) bytes"
        case .tooMany: "has more than \(IdentityKeys.limit) keys"
        case .line(let line, let text): "line \(line) \(text)"
        }
    }
}
