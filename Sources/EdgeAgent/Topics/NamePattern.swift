/// Checks of the short ASCII names that may stand in a topic.
enum NamePattern {
    /// `[A-Za-z0-9_-]{1,64}`: a caller's name, the id of a command.
    static func isCallerName(_ text: some StringProtocol) -> Bool {
        fits(text, maxBytes: 64) { isLetter($0) || isUpper($0) || isDigit($0) || isMark($0) }
    }

    /// `[a-z0-9][a-z0-9_-]{0,63}`: a group, a value's name, a scan session.
    static func isItemName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) || isDigit(first) else { return false }
        return fits(text, maxBytes: 64) { isLetter($0) || isDigit($0) || isMark($0) }
    }

    /// `[a-z][a-z0-9_-]{0,63}`, and not an address: an alias.
    static func isAlias(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first), !isAddress(text) else { return false }
        return isItemName(text)
    }

    /// Twelve lower-case hexadecimal digits.
    static func isAddress(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 12
            && fits(text, maxBytes: 12) { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")) ~= $0 }
    }

    /// `[a-z0-9][a-z0-9-]{0,62}`, not `all`: a gateway.
    static func isGateway(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) || isDigit(first), text != "all" else { return false }
        return fits(text, maxBytes: 63) { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// `[A-Za-z0-9_]{1,32}`: an element of a D-Bus object path that names an adapter.
    static func isAdapter(_ text: some StringProtocol) -> Bool {
        fits(text, maxBytes: 32) { isLetter($0) || isUpper($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// `[A-Za-z0-9_-]{1,160}`: what the ids of entities begin with.
    static func isIdentity(_ text: some StringProtocol) -> Bool {
        fits(text, maxBytes: 160) { isLetter($0) || isUpper($0) || isDigit($0) || isMark($0) }
    }

    private static func fits(_ text: some StringProtocol, maxBytes: Int, _ isAllowed: (UInt8) -> Bool) -> Bool {
        var count = 0
        for byte in text.utf8 {
            count += 1
            guard count <= maxBytes, isAllowed(byte) else { return false }
        }
        return count > 0
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= byte }
    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte }
    private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") }
}
