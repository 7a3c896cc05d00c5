/// The jobs of one device, and what it holds.
///
/// A device without jobs and link has none. What each call looks at comes first, so that it lies side by side.
struct Line<Device: Hashable> {
    /// Those that wait: the ones put first, then one list a priority.
    var lists = InlineArray<4, JobList>(repeating: JobList())
    /// The job that has the device.
    var running = Place.none
    /// The pool of which the running job has a slot.
    var runningPool = Place.none
    /// How many jobs wait.
    var count: Int32 = 0

    /// The pool in which the device's link stands.
    var linkPool = Place.none
    var isReclaimable = false
    /// Its owner was told to drop the link and has not done so yet.
    var isReclaimed = false
    /// Whether the device is among those of its pool whose link has nothing to do.
    var isIdle = false
    /// Whether the device is among those that wait for a slot.
    var isAsking = false
    /// How many jobs in succession used the slot that the link holds while others waited for one.
    var streak: Int32 = 0

    var turns = Turns()
    /// Its place among those that wait for a slot, kept while its first job wants the same.
    var ticket = Ticket()
    /// nil where no line is.
    var device: Device?

    init(device: Device) { self.device = device }

    /// What a device waits for, and since when.
    struct Ticket {
        var number = 0
        var pool = Place.none
        var priority = JobPriority.normal
    }

    /// Whether nothing would be lost with the line.
    var isUseless: Bool { running == .none && count == 0 && linkPool == .none }

    /// Whether the device has a slot of a pool.
    func holds(_ pool: Place) -> Bool {
        pool != .none && (linkPool == pool || running != .none && runningPool == pool)
    }

    /// The list that jobs of a kind are in.
    static func list(_ priority: JobPriority, isFirst: Bool) -> Int { isFirst ? 0 : priority.rawValue + 1 }
}
