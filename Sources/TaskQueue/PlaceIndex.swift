/// Finds the places of keys that lie at the places themselves: a hash table of eight bytes an entry.
///
/// A `Dictionary` has keys and values in memory of their own, which is far away when there are many.
struct PlaceIndex {
    private struct Entry {
        var hash: UInt32 = 0
        var place = Place.none
    }

    /// A power of two, at most three quarters of it in use; one that does not fit where its hash says is in the next
    /// free entry behind.
    private var entries: [Entry] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The part of a key's hash that the table uses.
    static func hash(_ key: some Hashable) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }

    /// A place with that hash at which the right key lies.
    func place(_ hash: UInt32, where isRight: (Place) -> Bool) -> Place? {
        guard count > 0 else { return nil }
        var position = home(of: hash)
        while entries[position].place != .none {
            if entries[position].hash == hash, isRight(entries[position].place) { return entries[position].place }
            position = behind(position)
        }
        return nil
    }

    mutating func insert(_ place: Place, _ hash: UInt32) {
        if 4 * count >= 3 * entries.count { grow() }
        put(Entry(hash: hash, place: place))
        count += 1
    }

    /// Takes out a place that is in.
    mutating func remove(_ place: Place, _ hash: UInt32) {
        var hole = home(of: hash)
        while entries[hole].place != place { hole = behind(hole) }
        var next = behind(hole)
        // Those behind move up, so that no search ends at the hole before it comes to them.
        while entries[next].place != .none {
            if distance(from: home(of: entries[next].hash), to: next) >= distance(from: hole, to: next) {
                entries[hole] = entries[next]
                hole = next
            }
            next = behind(next)
        }
        entries[hole] = Entry()
        count -= 1
    }

    /// Takes all out, and gives their memory back.
    mutating func removeAll() { self = PlaceIndex() }

    private mutating func grow() {
        let old = entries
        entries = [Entry](repeating: Entry(), count: max(16, 2 * old.count))
        for entry in old where entry.place != .none { put(entry) }
    }

    private mutating func put(_ entry: Entry) {
        var position = home(of: entry.hash)
        while entries[position].place != .none { position = behind(position) }
        entries[position] = entry
    }

    private func home(of hash: UInt32) -> Int { Int(hash) & (entries.count - 1) }

    private func behind(_ position: Int) -> Int { (position + 1) & (entries.count - 1) }

    private func distance(from start: Int, to end: Int) -> Int { (end - start) & (entries.count - 1) }
}
