import Frames

/// The forms of names that the MQTT contract fixes, and of the values that go to C libraries.
package enum ConfigurationPattern {
    /// The longest prefix in characters.
    package static let maximumPrefixLength = 64

    /// A prefix of topics: levels of letters, digits, `_` and `-` joined by `/`.
    package static func isPrefix(_ text: String) -> Bool {
        guard text.utf8.count <= maximumPrefixLength else { return false }
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { level in
            !level.isEmpty && level.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || isHyphen($0) }
        }
    }

    /// A gateway's name: `[a-z0-9][a-z0-9-]{0,62}`, not `all`.
    package static func isGateway(_ text: String) -> Bool {
        guard text.utf8.count <= 63, text != "all", let first = text.utf8.first, isLowerOrDigit(first) else {
            return false
        }
        return text.utf8.allSatisfy { isLowerOrDigit($0) || isHyphen($0) }
    }

    /// A device's alias: `[a-z][a-z0-9_-]{0,63}`, not 12 hex digits.
    package static func isAlias(_ text: String) -> Bool {
        guard text.utf8.count <= 64, let first = text.utf8.first, isLower(first) else { return false }
        guard !(text.utf8.count == 12 && text.utf8.allSatisfy { Hex.value($0) != nil }) else { return false }
        return text.utf8.allSatisfy { isLowerOrDigit($0) || $0 == UInt8(ascii: "_") || isHyphen($0) }
    }

    /// The 12 lower-case digits of `aa:bb:cc:dd:ee:ff` or `aabbccddeeff` in any case; nil for another text.
    package static func address(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 12 || bytes.count == 17 else { return nil }
        var digits: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if bytes.count == 17, index % 3 == 2 {
                guard byte == UInt8(ascii: ":") else { return nil }
            } else {
                guard Hex.value(byte) != nil else { return nil }
                digits.append(byte)
            }
        }
        return String(decoding: digits, as: UTF8.self).lowercased()
    }

    /// One to 16 adapters, by name or address, with commas between.
    package static func isAdapterList(_ text: String) -> Bool {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        return (1...16).contains(parts.count) && Set(parts).count == parts.count
            && parts.allSatisfy { isAdapter($0) || address($0) != nil }
    }

    /// An adapter: `hci` and a number of up to 5 digits.
    package static func isAdapter(_ text: String) -> Bool {
        guard text.hasPrefix("hci") else { return false }
        let digits = text.utf8.dropFirst(3)
        return (1...5).contains(digits.count) && digits.allSatisfy(isDigit)
    }

    /// A client id: 1 to 256 bytes of printable ASCII without spaces, `+`, `#` and `/`.
    package static func isClientID(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"+#/".utf8.contains($0) }
    }

    /// A topic that can be subscribed to and is no wildcard and none of the broker's own: 1 to 256 bytes.
    package static func isTopic(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && !hasControlCharacters(text) && text.utf8.first != UInt8(ascii: "$")
            && text.utf8.allSatisfy { !"+#".utf8.contains($0) }
    }

    /// A user name: 1 to 256 bytes without control characters.
    package static func isUserName(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && !hasControlCharacters(text)
    }

    /// A host name or an address, as far as it can be told without asking the resolver.
    package static func isHost(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        if text.contains(":") {
            // An IPv6 address, perhaps with a zone.
            return text.utf8.allSatisfy {
                isLetterOrDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%")
                    || isHyphen($0) || $0 == UInt8(ascii: "_")
            }
        }
        guard let first = text.utf8.first, isLetterOrDigit(first) || first == UInt8(ascii: "_"), !text.contains("..")
        else { return false }
        return text.utf8.allSatisfy {
            isLetterOrDigit($0) || isHyphen($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
        }
    }

    /// An absolute path of 2 to 4096 bytes without control characters.
    package static func isAbsolutePath(_ text: String) -> Bool {
        text.hasPrefix("/") && (2...4096).contains(text.utf8.count) && !hasControlCharacters(text)
    }

    /// Whether a text holds a C0 or C1 control character, NUL included.
    package static func hasControlCharacters(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    private static func isLower(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }
    private static func isLowerOrDigit(_ byte: UInt8) -> Bool { isLower(byte) || isDigit(byte) }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLowerOrDigit(byte) || (byte >= 0x41 && byte <= 0x5A)
    }
    private static func isHyphen(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") }
}
