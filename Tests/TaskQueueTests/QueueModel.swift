import TaskQueue

/// What the queue should do, with lists that are looked through from end to end each time.
struct QueueModel {
    struct Waiting: Equatable {
        let id: Int
        let device: String
        let priority: JobPriority
        let isFirst: Bool
        let slot: String?
        let expiry: Int
        let number: Int
    }

    struct Running: Equatable {
        let id: Int
        let device: String
        let slot: String?
    }

    struct Link: Equatable {
        let device: String
        let pool: String
        var isReclaimable: Bool
        var isReclaimed = false
        /// Jobs in succession on this link while others waited.
        var streak = 0
        /// nil while there is something to do.
        var idleSince: Int?
    }

    /// A device that waits for a slot, or would go on to where it was.
    struct Asking: Equatable {
        let device: String
        let pool: String
        let priority: JobPriority
        let number: Int
        var isActive = true
    }

    struct Pool {
        let name: String
        var limit: Int?
        var overtaken: [JobPriority: Int] = [:]
    }

    let limits: Queue.Limits
    /// In order of arrival.
    var waiting: [Waiting] = []
    var running: [Running] = []
    var links: [Link] = []
    var asking: [Asking] = []
    /// In the order in which they were first named.
    var pools: [Pool] = []
    /// By device.
    var overtaken: [String: [JobPriority: Int]] = [:]
    var lastNumber = 0
    var actions: [Queue.Action] = []

    init(limits: Queue.Limits) { self.limits = limits }
}

// What is derived from the lists.
extension QueueModel {
    func waiting(for device: String) -> [Waiting] { waiting.filter { $0.device == device } }

    func isBusy(_ device: String) -> Bool { running.contains { $0.device == device } }

    func link(of device: String) -> Link? { links.first { $0.device == device } }

    func holds(_ device: String, _ pool: String) -> Bool {
        link(of: device)?.pool == pool || running.contains { $0.device == device && $0.slot == pool }
    }

    func used(_ pool: String) -> Int {
        Set(links.map(\.device) + running.map(\.device)).count { holds($0, pool) }
    }

    func hasFree(_ pool: String) -> Bool {
        guard let limit = pools.first(where: { $0.name == pool })?.limit else { return true }
        return used(pool) < limit
    }

    func waiters(_ pool: String) -> [Asking] { asking.filter { $0.pool == pool && $0.isActive } }

    /// Whether links have to go: more devices wait than links go already.
    func isShort(_ pool: String) -> Bool {
        !hasFree(pool) && waiters(pool).count > links.count { $0.pool == pool && $0.isReclaimed }
    }

    /// Of several that wait, by priority and since when, the one whose turn it is.
    func turn<Value>(
        _ all: [Value],
        _ overtaken: [JobPriority: Int],
        _ key: (Value) -> (priority: JobPriority, number: Int)
    ) -> Value? {
        let oldest = JobPriority.allCases.compactMap { priority in
            all.filter { key($0).priority == priority }.min { key($0).number < key($1).number }
        }
        let due = oldest.filter { overtaken[key($0).priority, default: 0] >= limits.overtaking }
        return due.min { key($0).number < key($1).number } ?? oldest.first
    }

    func next(of device: String) -> Waiting? {
        let mine = waiting(for: device)
        if let first = mine.last(where: \.isFirst) { return first }
        return turn(mine, overtaken[device] ?? [:]) { ($0.priority, $0.number) }
    }

    /// Jobs of a device in the order in which they would start.
    func order(of device: String) -> [Int] {
        var copy = self
        var ids: [Int] = []
        while let next = copy.next(of: device) {
            copy.take(next)
            copy.count(next)
            ids.append(next.id)
        }
        return ids
    }

    /// Whether a device on its link has let others wait long enough.
    func givesWay(_ job: Waiting) -> Bool {
        guard let link = link(of: job.device), link.isReclaimable, link.streak >= limits.burst else { return false }
        return isShort(link.pool) && isContested(link.pool, job.priority)
    }

    func isContested(_ pool: String, _ priority: JobPriority) -> Bool {
        let overtaken = pools.first { $0.name == pool }?.overtaken ?? [:]
        return waiters(pool).contains {
            $0.priority <= priority || overtaken[$0.priority, default: 0] >= limits.overtaking
        }
    }

    /// Whether a job that is its device's next could start now.
    func canStart(_ job: Waiting) -> Bool {
        guard !isBusy(job.device) else { return false }
        guard let pool = job.slot else { return true }
        if link(of: job.device)?.isReclaimed == true { return false }
        return holds(job.device, pool) ? !givesWay(job) : hasFree(pool)
    }
}
