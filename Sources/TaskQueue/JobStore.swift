/// A chain of jobs in a `JobStore`.
struct JobList {
    var head = Place.none
    var tail = Place.none
    /// The number of the head, kept here because each start asks for those of all lists of a device.
    var number = Turns.nobody

    var isEmpty: Bool { head == .none }
}

/// The jobs of all devices that wait, in one array, chained to lists by their places.
///
/// One array instead of some for each device: so a job costs the same however many devices there are.
struct JobStore<Job: Identifiable, Time: Comparable> {
    /// A job that waits.
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

    /// Gives a job its place, at the end of a list or, when it is to be first, at its beginning.
    mutating func insert(_ new: Entry, in list: inout JobList) -> Place {
        var entry = new
        entry.next = entry.isFirst ? list.head : .none
        entry.previous = entry.isFirst ? .none : list.tail
        var place = firstFree
        if place == .none {
            place = Place(entries.count)
            entries.append(entry)
        } else {
            firstFree = entries[place].next
            entries[place] = entry
        }
        if entry.previous == .none {
            list.head = place
            list.number = entry.number
        } else {
            entries[entry.previous].next = place
        }
        if entry.next == .none { list.tail = place } else { entries[entry.next].previous = place }
        return place
    }

    /// Takes a job out of the list that it is in.
    mutating func remove(_ place: Place, from list: inout JobList) -> Entry {
        let entry = entries[place]
        if entry.previous == .none {
            list.head = entry.next
            list.number = entry.next == .none ? Turns.nobody : entries[entry.next].number
        } else {
            entries[entry.previous].next = entry.next
        }
        if entry.next == .none { list.tail = entry.previous } else { entries[entry.next].previous = entry.previous }
        entries[place].job = nil
        entries[place].next = firstFree
        firstFree = place
        return entry
    }

    /// For how many jobs there is room.
    var capacity: Int { entries.count }

    /// Takes all out, and gives their memory back.
    mutating func removeAll() {
        entries = []
        firstFree = .none
    }
}
