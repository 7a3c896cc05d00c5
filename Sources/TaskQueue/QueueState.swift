/// The queue of all devices' jobs as a value: one job of a device runs at a time, those of different devices side by
/// side, as many as there are slots for links.
///
/// It never acts: each call says what happened and returns what its owner has to do. After a call nothing that could
/// start is left waiting, and everything whose time was over at the given time is gone; a call that is refused, or that
/// returns nil, changes nothing.
///
/// **Order.** Of a device's jobs the most urgent goes first, then the one that came first. A priority whose oldest job
/// was overtaken `Limits.overtaking` times by later ones goes next all the same. Jobs that are put `first` go before
/// all others, and overtake nobody.
///
/// **Devices.** A device stays taken until `finished(_:of:at:)` says that it is free again, which may be later than the
/// job's result.
///
/// **Slots.** A job may need a slot of a pool: a link of an adapter. It starts when its device holds one or one is free.
/// A device holds a slot while such a job runs, and while a link stands (`linkUp`, `linkDown`). Those who wait for one
/// get it by priority, then in the order in which they began to wait; a priority that was overtaken too often goes
/// next here too. When somebody waits and a link has nothing to do, its owner is told to drop it (`Action.reclaim`), the
/// longest idle first; so it is when its device has used it for `Limits.burst` jobs while others waited that are not less
/// urgent.
///
/// Each call costs the same however many devices and jobs there are, up to a logarithm. Pools are few: they are looked
/// at one by one, and never forgotten.
public struct QueueState<Device: Hashable, Pool: Hashable, Job: Identifiable, Time: Comparable> {
    /// How many jobs may wait, those that run not counted, and how long one may have to let others pass.
    public struct Limits: Equatable, Sendable {
        public var perDevice: Int
        public var total: Int
        /// How often the oldest job of a priority may be overtaken by later ones; 0 means: by nobody.
        public var overtaking: Int
        /// How many jobs in succession may use a slot that their device holds while others wait for one.
        public var burst: Int

        public init(perDevice: Int, total: Int, overtaking: Int = 8, burst: Int = 8) {
            self.perDevice = perDevice
            self.total = total
            self.overtaking = overtaking
            self.burst = burst
        }
    }

    /// What the owner has to do.
    public enum Action {
        /// Start the job now.
        case start(Job)
        /// The job's time to start is over: answer it, it will not run.
        case expire(Job)
        /// Drop the device's link, which has nothing to do: its slot is wanted. Then report `linkDown`, or, where the
        /// link has to stay, `linkUp` with `isReclaimable: false`; until then the device starts no job that needs a
        /// slot.
        case reclaim(Device)
    }

    /// Why a job was not taken.
    public enum Refusal: Error, Equatable, Sendable {
        case deviceFull
        case totalFull
        case closed
    }

    /// When a waiting job expires; of several at the same moment the one that came first.
    struct Deadline: Comparable {
        let time: Time
        let number: Int

        static func < (left: Deadline, right: Deadline) -> Bool {
            left.time < right.time || left.number < right.number && left.time == right.time
        }
    }

    public private(set) var limits: Limits
    /// How many jobs wait.
    public internal(set) var waiting = 0
    /// How many devices are taken.
    public internal(set) var running = 0

    var isClosed = false
    /// Counts all arrivals, at a device and at a pool.
    var lastNumber = 0
    var lines: [Line<Device>] = []
    var freeLines: [Place] = []
    var devices = PlaceIndex()
    var jobs = JobStore<Job, Time>()
    var ids = PlaceIndex()
    var deadlines = IndexedHeap<Deadline>()
    var pools: [SlotPool] = []
    var placeOfPool: [Pool: Place] = [:]

    public init(limits: Limits) { self.limits = limits }

    /// Takes other bounds for jobs that come from now on; those that wait stay.
    public mutating func setBounds(perDevice: Int, total: Int) {
        limits.perDevice = perDevice
        limits.total = total
    }

    /// Takes a job in.
    ///
    /// Until it has finished, its id has to be its own. With `first` it goes before all jobs that wait for the device,
    /// also before earlier ones of this kind. Without a `slot` it needs none, and starts though its device waits for one.
    /// From `expiry` on it does not start.
    ///
    /// - Returns: What is to be done, a start of this very job at the head; the job is expired when its time is over
    ///   already.
    /// - Throws: `Refusal`; the queue is as it was then. A job that starts at once is within every bound.
    public mutating func submit(
        _ job: Job,
        for device: Device,
        priority: JobPriority = .normal,
        first: Bool = false,
        slot: Pool? = nil,
        expiry: Time,
        at now: Time
    ) throws(Refusal) -> [Action] {
        guard !isClosed else { throw .closed }
        guard expiry > now else { return [.expire(job)] + expire(at: now) }
        let known = line(of: device)
        let pool = slot.map { poolPlace(of: $0) } ?? .none
        lastNumber += 1
        let startsNow = startsAtOnce(on: known, priority, isFirst: first, pool: pool)
        if !startsNow {
            let ahead = known.map { Int(lines[$0].count) } ?? 0
            guard ahead < limits.perDevice else { throw .deviceFull }
            guard waiting < limits.total else { throw .totalFull }
        }
        let line = known ?? makeLine(for: device)
        let place = add(
            .init(
                job: job,
                expiry: expiry,
                number: lastNumber,
                line: line,
                pool: pool,
                priority: priority,
                isFirst: first
            )
        )
        var actions: [Action] = []
        if startsNow {
            begin(place, into: &actions)
            expireDue(at: now, into: &actions)
        } else {
            enqueue(place)
            settle(line, at: now, into: &actions)
        }
        return actions
    }

    /// A device is free of its job again; its next one may start.
    ///
    /// Its slot is given back unless its link stands. A job that does not have the device is ignored.
    public mutating func finished(_ job: Job.ID, of device: Device, at now: Time) -> [Action] {
        guard let place = runningPlace(of: job, on: device) else { return expire(at: now) }
        let (line, pool) = (jobs[place].line, jobs[place].pool)
        remove(place)
        lines[line].running = .none
        running -= 1
        if pool != .none, !lines[line].holds(pool) { pools[pool].used -= 1 }
        var actions: [Action] = []
        settle(line, at: now, into: &actions)
        return actions
    }
}

extension QueueState.Action: Equatable where Device: Equatable, Job: Equatable {}
extension QueueState.Action: Sendable where Device: Sendable, Job: Sendable {}
