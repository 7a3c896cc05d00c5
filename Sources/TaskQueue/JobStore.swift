/// A chain of jobs in a `JobStore`.
struct JobList {
    var head = Place.none
    var tail = Place.none
    /// The number of the head, kept here because each start asks for those of all lists of a device.
    var number = Turns.nobody

    var isEmpty: Bool { head == .none }
}

/// The jobs of all devices in one array; those that wait are chained to lists by their places.
///
/// One array instead of some for each device: so a job costs the same however many devices there are.
struct JobStore<Job: Identifiable, Time: Comparable> {
    /// A job that waits or runs.
    struct Entry {
        /// nil where no job is.
        var job: Job?
        var expiry: Time
        /// Counts arrivals.
        var number: Int
        var line: Place
        /// The pool of which it needs a slot.
        var pool: Place
        var previous = Place.none
        /// The next of its list; of a place without a job, the next such place.
        var next = Place.none
        var priority: JobPriority
        /// It goes before all others whatever its priority.
        var isFirst: Bool
    }

    private var entries: [Entry] = []
    private var firstFree = Place.none

    subscript(place: Place) -> Entry { _read { yield entries[Int(place)] } }

    /// Gives a job its place.
    mutating func insert(_ entry: Entry) -> Place {
        let place = firstFree
        guard place != .none else {
            entries.append(entry)
            return Place(entries.count - 1)
        }
        firstFree = entries[place].next
        entries[place] = entry
        return place
    }

    /// Puts a job at the end of a list or, when it is to be first, at its beginning.
    mutating func link(_ place: Place, to list: inout JobList) {
        let next = entries[place].isFirst ? list.head : .none
        let previous = entries[place].isFirst ? .none : list.tail
        entries[place].next = next
        entries[place].previous = previous
        if previous == .none {
            list.head = place
            list.number = entries[place].number
        } else {
            entries[previous].next = place
        }
        if next == .none { list.tail = place } else { entries[next].previous = place }
    }

    /// Takes a job out of the list that it is in.
    mutating func unlink(_ place: Place, from list: inout JobList) {
        let next = entries[place].next
        let previous = entries[place].previous
        if previous == .none {
            list.head = next
            list.number = next == .none ? Turns.nobody : entries[next].number
        } else {
            entries[previous].next = next
        }
        if next == .none { list.tail = previous } else { entries[next].previous = previous }
    }

    /// Takes out a job that is in no list.
    mutating func remove(_ place: Place) -> Job? {
        defer {
            entries[place].job = nil
            entries[place].next = firstFree
            firstFree = place
        }
        return entries[place].job
    }

    /// How many jobs there were at most.
    var capacity: Int { entries.count }

    /// Takes all out, and gives their memory back.
    mutating func removeAll() {
        entries = []
        firstFree = .none
    }
}
