/// Finds the name that somebody meant who wrote another.
package enum Suggestion {
    /// The nearest candidate, else the only one that the word begins, else nil; letter case, `-` and `_` do not count.
    package static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
        // Longer texts are no slip of the pen, and the comparison takes time with their square.
        guard (1...64).contains(word.utf8.count) else { return nil }
        let wanted = folded(word)
        let allowed = max(1, min(3, wanted.count / 3))
        var best: (name: String, distance: Int)?
        var begun: [String] = []
        for candidate in candidates {
            let letters = folded(candidate)
            if wanted.count >= 3, letters.starts(with: wanted) { begun.append(candidate) }
            // What one has more of has to go at least: most candidates need no comparison.
            guard abs(letters.count - wanted.count) <= allowed else { continue }
            let distance = distance(wanted, letters)
            if distance <= allowed, distance < best?.distance ?? Int.max { best = (candidate, distance) }
        }
        return best?.name ?? (begun.count == 1 ? begun.first : nil)
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    }

    /// Insertions, deletions, replacements and swaps of neighbours that make one word of the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, leftByte) in left.enumerated() {
            var current = [row + 1]
            for (column, rightByte) in right.enumerated() {
                let replaced = last[column] + (leftByte == rightByte ? 0 : 1)
                var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, leftByte == right[column - 1], left[row - 1] == rightByte {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
