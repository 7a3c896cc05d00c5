/// The jobs of one device, and what it holds.
///
/// A device without jobs and link has none.
struct Line<Device: Hashable, ID: Hashable> {
    /// nil where no line is.
    var device: Device?
    /// The job that has the device.
    var running: ID?
    /// The pool of which the running job has a slot.
    var runningPool = Place.none

    /// Those that wait: the ones put first, then one list a priority.
    var lists = InlineArray<4, JobList>(repeating: JobList())
    /// How many jobs wait.
    var count: Int32 = 0
    var turns = Turns()

    /// The pool in which the device's link stands.
    var linkPool = Place.none
    var isReclaimable = false
    /// Its owner was told to drop the link and has not done so yet.
    var isReclaimed = false
    /// Whether the device is among those of its pool whose link has nothing to do.
    var isIdle = false
    /// How many jobs in succession used the slot that the link holds while others waited for one.
    var streak = 0

    /// Whether the device is among those that wait for a slot.
    var isAsking = false
    /// Its place among them, kept while its first job wants the same.
    var ticket = Ticket()

    init(device: Device) { self.device = device }

    /// What a device waits for, and since when.
    struct Ticket {
        var pool = Place.none
        var priority = JobPriority.normal
        var number = 0
    }

    /// Whether nothing would be lost with the line.
    var isUseless: Bool { running == nil && count == 0 && linkPool == .none }

    /// Whether the device has a slot of a pool.
    func holds(_ pool: Place) -> Bool {
        pool != .none && (linkPool == pool || running != nil && runningPool == pool)
    }

    /// The list that jobs of a kind are in.
    static func list(_ priority: JobPriority, isFirst: Bool) -> Int { isFirst ? 0 : priority.rawValue + 1 }
}
