/// Places sorted by a key, the least first; any of them can be taken out.
///
/// Each change costs O(log n). Nothing that was taken out stays behind.
struct IndexedHeap<Key: Comparable> {
    private struct Entry {
        var key: Key
        var place: Place
    }

    /// A heap in which each entry has four below it: half as deep as with two, and these four lie side by side.
    private var entries: [Entry] = []
    /// Where in `entries` each place is.
    private var positions: [Int32] = []

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    var firstKey: Key? { entries.first?.key }
    var first: Place? { entries.first?.place }

    /// Puts a place in, which must not be in yet.
    mutating func insert(_ key: Key, _ place: Place) {
        while positions.count <= Int(place) { positions.append(.none) }
        let entry = Entry(key: key, place: place)
        entries.append(entry)
        rise(entry, from: entries.count - 1)
    }

    /// Takes a place out, if it is in.
    mutating func remove(_ place: Place) {
        guard Int(place) < positions.count, positions[place] != .none else { return }
        let position = Int(positions[place])
        positions[place] = .none
        let last = entries.removeLast()
        guard position < entries.count else { return }
        if position > 0, last.key < entries[(position - 1) / 4].key {
            rise(last, from: position)
        } else {
            sink(last, from: position)
        }
    }

    /// Takes all out, and gives their memory back.
    mutating func removeAll() {
        entries = []
        positions = []
    }

    private mutating func rise(_ entry: Entry, from start: Int) {
        var position = start
        while position > 0 {
            let above = (position - 1) / 4
            guard entry.key < entries[above].key else { break }
            put(entries[above], at: position)
            position = above
        }
        put(entry, at: position)
    }

    private mutating func sink(_ entry: Entry, from start: Int) {
        var position = start
        while true {
            let below = 4 * position + 1
            guard below < entries.count else { break }
            var least = below
            for other in (below + 1)..<max(below + 1, min(below + 4, entries.count))
            where entries[other].key < entries[least].key {
                least = other
            }
            guard entries[least].key < entry.key else { break }
            put(entries[least], at: position)
            position = least
        }
        put(entry, at: position)
    }

    private mutating func put(_ entry: Entry, at position: Int) {
        entries[position] = entry
        positions[entry.place] = Int32(position)
    }
}
