extension StringProtocol {
    /// Whether a text stands in this one, without Foundation.
    func contains(substring part: String) -> Bool { firstRange(of: part) != nil }

    /// Where a text stands in this one, without Foundation.
    func firstRange(of part: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
