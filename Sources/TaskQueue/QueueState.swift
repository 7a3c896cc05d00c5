/// The queue of all devices' jobs as a value: one job of a device runs at a time, those of different devices side by
/// side.
///
/// It never acts: each change returns what its owner has to do. A device stays taken until `finished(_:at:)` says that
/// it is free again, which may be later than the job's result.
public struct QueueState<Device: Hashable, Job: Identifiable, Time: Comparable> {
    /// How many jobs may wait, those that run not counted.
    public struct Limits: Equatable, Sendable {
        public var perDevice: Int
        public var total: Int

        public init(perDevice: Int, total: Int) {
            self.perDevice = perDevice
            self.total = total
        }
    }

    /// What the owner has to do.
    public enum Action {
        /// Start the job now.
        case start(Job)
        /// The job's time to start is over: answer it, it will not run.
        case expire(Job)
    }

    /// Why a job was not taken.
    public enum Refusal: Error, Equatable, Sendable {
        case deviceFull
        case totalFull
        case closed
    }

    private struct Entry {
        let job: Job
        let expiry: Time
    }

    private struct Line {
        /// The job that has the device; nil when the device is free.
        var running: Job.ID?
        var waiting: [Entry] = []
        /// Where the waiting begin: taken entries are removed in steps.
        var head = 0

        var isEmpty: Bool { head == waiting.count }
        var count: Int { waiting.count - head }

        mutating func insert(_ entry: Entry, first: Bool) {
            waiting.insert(entry, at: first ? head : waiting.count)
        }

        mutating func popFirst() -> Entry? {
            guard head < waiting.count else { return nil }
            defer {
                head += 1
                if head >= 64, head * 2 >= waiting.count {
                    waiting.removeFirst(head)
                    head = 0
                }
            }
            return waiting[head]
        }
    }

    public let limits: Limits
    private var lines: [Device: Line] = [:]
    private var deadlines = DeadlineHeap<Time, Device>()
    private var isClosed = false
    /// How many jobs wait.
    public private(set) var waiting = 0
    /// How many devices are taken.
    public private(set) var running = 0

    public init(limits: Limits) { self.limits = limits }

    /// The earliest moment at which a waiting job expires; call `expire(at:)` then.
    public var nextDeadline: Time? { deadlines.first }

    /// How many jobs of a device wait.
    public func waiting(for device: Device) -> Int { lines[device]?.count ?? 0 }

    /// The job that has a device.
    public func running(on device: Device) -> Job.ID? { lines[device]?.running }

    /// Takes a job in: behind those that wait for the device or, with `first`, before them.
    ///
    /// - Returns: `.start` of this very job when its device is free, `.expire` when its time is over already, or nothing
    ///   while it waits.
    /// - Throws: `Refusal`; the queue is as it was then.
    public mutating func submit(
        _ job: Job,
        for device: Device,
        first: Bool = false,
        expiry: Time,
        at now: Time
    ) throws(Refusal) -> [Action] {
        guard !isClosed else { throw .closed }
        guard expiry > now else { return [.expire(job)] }
        guard lines[device]?.running != nil else {
            lines[device, default: Line()].running = job.id
            running += 1
            return [.start(job)]
        }
        guard waiting(for: device) < limits.perDevice else { throw .deviceFull }
        guard waiting < limits.total else { throw .totalFull }
        lines[device]?.insert(Entry(job: job, expiry: expiry), first: first)
        waiting += 1
        deadlines.insert(expiry, device)
        return []
    }

    /// Frees a device of its job and starts the next that has not expired.
    ///
    /// Ignored when the device does not have that job.
    public mutating func finished(_ job: Job.ID, of device: Device, at now: Time) -> [Action] {
        guard lines[device]?.running == job else { return [] }
        lines[device]?.running = nil
        running -= 1
        var actions: [Action] = []
        while let entry = lines[device]?.popFirst() {
            waiting -= 1
            guard entry.expiry > now else {
                actions.append(.expire(entry.job))
                continue
            }
            lines[device]?.running = entry.job.id
            running += 1
            actions.append(.start(entry.job))
            dropStaleDeadlines()
            return actions
        }
        lines[device] = nil
        dropStaleDeadlines()
        return actions
    }

    /// Jobs that have started leave their deadlines behind; many of them would be a leak.
    private mutating func dropStaleDeadlines() {
        guard deadlines.count > 1024, deadlines.count > 4 * waiting else { return }
        deadlines = DeadlineHeap()
        for (device, line) in lines {
            for entry in line.waiting[line.head...] { deadlines.insert(entry.expiry, device) }
        }
    }

    /// Takes out all waiting jobs whose time is over.
    public mutating func expire(at now: Time) -> [Action] {
        var actions: [Action] = []
        while let due = deadlines.popDue(now) {
            guard var line = lines[due] else { continue }
            let kept = line.waiting[line.head...].filter { entry in
                if entry.expiry > now { return true }
                actions.append(.expire(entry.job))
                return false
            }
            waiting -= line.count - kept.count
            line.waiting = kept
            line.head = 0
            lines[due] = line
        }
        return actions
    }

    /// Takes nothing more in and gives back all jobs that wait, in no particular order of devices.
    public mutating func close() -> [Job] {
        isClosed = true
        var jobs: [Job] = []
        for (device, line) in lines where !line.isEmpty {
            jobs += line.waiting[line.head...].map(\.job)
            lines[device]?.waiting = []
            lines[device]?.head = 0
        }
        waiting = 0
        deadlines = DeadlineHeap()
        return jobs
    }
}
