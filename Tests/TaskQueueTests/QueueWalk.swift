import TaskQueue
import TestSupport
import Testing

/// A queue and its model that are told the same at random; what they answer is compared.
struct QueueWalk {
    private var random: SeededRandom
    private var queue: Queue
    private var model: QueueModel
    private let devices: [String]
    private let pools: [String]
    private var now = 0
    private var lastID = 0
    private var stepCount = 0
    /// The jobs that were taken in and have not left, by id.
    private var inside: Set<Int> = []
    private var runningOn: [String: Int] = [:]
    private var reclaimed: Set<String> = []
    /// Nothing was said that could take a pool over its limit.
    private let isOwnLinksOnly: Bool
    private let seed: UInt64
    private var log: [String] = []

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let limits = Queue.Limits(
            perDevice: .random(in: 1...8, using: &random),
            total: .random(in: 4...30, using: &random),
            overtaking: .random(in: 0...4, using: &random),
            burst: .random(in: 0...4, using: &random)
        )
        queue = Queue(limits: limits)
        model = QueueModel(limits: limits)
        devices = (0..<Int.random(in: 1...9, using: &random)).map { "d\($0)" }
        pools = (0..<Int.random(in: 1...3, using: &random)).map { "p\($0)" }
        isOwnLinksOnly = .random(using: &random)
        self.random = random
        self.seed = seed
        for pool in pools { setLimit(pool) }
    }

    /// Goes as many steps; ends at the first that goes wrong.
    mutating func run(steps: Int) {
        for _ in 0..<steps {
            step()
            stepCount += 1
            let wrong = comparison() + invariants()
            if !wrong.isEmpty {
                Issue.record(
                    "seed \(seed): \(wrong.joined(separator: "; ")) after\n\(log.suffix(12).joined(separator: "\n"))"
                )
                return
            }
        }
        end()
    }
}

// What may happen.
extension QueueWalk {
    private mutating func step() {
        if chance(3) { now += .random(in: 1...6, using: &random) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<38: submit()
        case 38..<66: finish()
        case 66..<70: expire()
        case 70..<75: cancel()
        case 75..<77: cancelWaiting()
        case 77: cancelAll()
        case 78..<80: setLimit(pick(pools))
        case 80..<91: linkUp()
        default: linkDown()
        }
    }

    private mutating func submit() {
        let (device, priority) = (pick(devices), pick(JobPriority.allCases))
        let (first, slot) = (chance(8), chance(4) ? nil : pick(pools))
        let expiry = now + .random(in: 0...80, using: &random)
        lastID += 1
        note("submit \(lastID) \(device) \(priority) \(first ? "first " : "")\(slot ?? "-") until \(expiry)")
        let refusal = model.submit(lastID, device, priority, first: first, slot: slot, expiry: expiry, at: now)
        do throws(Queue.Refusal) {
            let actions = try queue.submit(
                Job(id: lastID),
                for: device,
                priority: priority,
                first: first,
                slot: slot,
                expiry: expiry,
                at: now
            )
            inside.insert(lastID)
            if let refusal { note("  should be refused: \(refusal)"); model.actions = [.reclaim("a refusal")] }
            done(actions)
        } catch {
            if error != refusal { model.actions = [.reclaim("not \(error)")]; done([]) }
        }
    }

    private mutating func finish() {
        let device = pick(devices)
        guard let id = chance(30) ? lastID : runningOn[device] else { return }
        note("finished \(id) \(device)")
        if runningOn[device] == id { runningOn[device] = nil }
        model.finished(id, device, at: now)
        done(queue.finished(id, of: device, at: now))
    }

    private mutating func expire() {
        if let next = queue.nextDeadline, chance(2) { now = max(now, next) }
        note("expire")
        model.expire(at: now)
        done(queue.expire(at: now))
    }

    private mutating func cancel() {
        let id =
            inside.isEmpty || chance(5) ? lastID : inside.sorted()[Int.random(in: 0..<inside.count, using: &random)]
        note("cancel \(id)")
        let waits = model.cancel(id, at: now)
        guard let (job, actions) = queue.cancel(id, at: now) else {
            if waits { model.actions = [.reclaim("not nil")]; done([]) }
            return
        }
        left(job.id)
        done(waits ? actions : [.reclaim("nil")])
    }

    private mutating func cancelWaiting() {
        let device = pick(devices)
        note("cancelWaiting \(device)")
        let order = model.order(of: device)
        model.cancelWaiting(of: device, at: now)
        let (jobs, actions) = queue.cancelWaiting(of: device, at: now)
        for job in jobs { left(job.id) }
        done(jobs.map(\.id) == order ? actions : [.reclaim("other jobs")])
    }

    private mutating func cancelAll() {
        note("cancelWaiting")
        let ids = model.waiting.map(\.id)
        model.cancelAll()
        model.actions = []
        let jobs = queue.cancelWaiting()
        for job in jobs { left(job.id) }
        done(jobs.map(\.id).sorted() == ids ? [] : [.reclaim("other jobs")])
    }

    private mutating func setLimit(_ pool: String) {
        // A limit that is lowered may be lower than what is in use.
        let now = now
        let limit =
            chance(6)
            ? nil : Int.random(in: (isOwnLinksOnly ? model.used(pool) : 0)...4 + model.used(pool), using: &random)
        note("limit \(limit.map(String.init) ?? "-") \(pool)")
        model.setLimit(limit, pool, at: now)
        done(queue.setLimit(limit, of: pool, at: now))
    }

    private mutating func linkUp() {
        let device = pick(devices)
        var pool = pick(pools)
        if isOwnLinksOnly {
            guard let mine = pools.first(where: { model.holds(device, $0) }) else { return }
            pool = mine
        }
        let isReclaimable = !chance(4)
        if !isReclaimable || model.link(of: device)?.pool != pool { reclaimed.remove(device) }
        note("linkUp \(device) \(pool) \(isReclaimable)")
        model.linkUp(device, pool, isReclaimable: isReclaimable, at: now)
        done(queue.linkUp(device, in: pool, isReclaimable: isReclaimable, at: now))
    }

    private mutating func linkDown() {
        // Those that are to go do so sooner or later.
        let device = chance(2) ? reclaimed.sorted().first ?? pick(devices) : pick(devices)
        reclaimed.remove(device)
        note("linkDown \(device)")
        model.linkDown(device, at: now)
        done(queue.linkDown(device, at: now))
    }

    /// Closes the queue and lets everything come to its end.
    private mutating func end() {
        let ids = model.waiting.map(\.id)
        let closed = queue.close()
        #expect(closed.map(\.id).sorted() == ids, "seed \(seed)")
        for job in closed { left(job.id) }
        #expect(throws: Queue.Refusal.closed, "seed \(seed)") {
            try queue.submit(Job(id: 0), for: "d0", expiry: now + 1, at: now)
        }
        for (device, id) in runningOn { #expect(queue.finished(id, of: device, at: now).isEmpty, "seed \(seed)") }
        for device in devices { #expect(queue.linkDown(device, at: now).isEmpty, "seed \(seed)") }
        #expect(inside.isEmpty, "seed \(seed): each job ends once")
        #expect(queue.running == 0 && queue.waiting == 0 && queue.nextDeadline == nil, "seed \(seed)")
        for pool in pools { #expect(queue.slots(of: pool).used == 0, "seed \(seed)") }
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func note(_ text: String) {
        if log.count > 200 { log.removeFirst(180) }
        log.append("\(now): \(text)")
    }
}

// What has to be so.
extension QueueWalk {
    /// A job leaves the queue, which each does once.
    private mutating func left(_ id: Int) {
        if inside.remove(id) == nil { Issue.record("seed \(seed): \(id) left twice") }
    }

    /// Takes the queue's answer, and compares it.
    private mutating func done(_ actions: [Queue.Action]) {
        note("  \(Play.words(actions))")
        if actions != model.actions {
            Issue.record(
                "seed \(seed): not \(Play.words(model.actions)) but\n\(log.suffix(12).joined(separator: "\n"))"
            )
        }
        for action in actions {
            switch action {
            case .start(let job):
                left(job.id)
                guard let device = model.running.first(where: { $0.id == job.id })?.device else { continue }
                if runningOn[device] != nil { Issue.record("seed \(seed): two jobs on \(device)") }
                runningOn[device] = job.id
            case .expire(let job): left(job.id)
            case .reclaim(let device):
                if !reclaimed.insert(device).inserted { Issue.record("seed \(seed): \(device) is reclaimed again") }
            }
        }
    }

    /// What the queue and the model say differently.
    private mutating func comparison() -> [String] {
        var wrong: [String] = []
        func compare<Value: Equatable>(_ name: String, _ queue: Value, _ model: Value) {
            if queue != model { wrong.append("\(name) is \(queue), not \(model)") }
        }
        compare("waiting", queue.waiting, model.waiting.count)
        compare("running", queue.running, model.running.count)
        compare("nextDeadline", queue.nextDeadline, model.waiting.map(\.expiry).min())
        // To look at all of them each time would be the most of a walk.
        for device in stepCount % 8 == 0 ? devices : [pick(devices)] {
            let order = model.order(of: device)
            let running = model.running.first { $0.device == device }
            compare("running(on: \(device))", queue.running(on: device), running?.id)
            compare("waiting(for: \(device))", queue.waiting(for: device), order.count)
            compare("waitingJobs(of: \(device))", queue.waitingJobs(of: device).map(\.id), order)
            compare("isWaitingForSlot(\(device))", queue.isWaitingForSlot(device), running == nil && !order.isEmpty)
            for (place, id) in order.enumerated() {
                compare("place(of: \(id))", queue.place(of: id), place + (running == nil ? 0 : 1))
            }
        }
        for pool in model.pools {
            let slots = queue.slots(of: pool.name)
            compare("used of \(pool.name)", slots.used, model.used(pool.name))
            compare("limit of \(pool.name)", slots.limit, pool.limit)
            compare("waiting of \(pool.name)", slots.waiting, model.waiters(pool.name).count)
        }
        if stepCount % 8 == 0 {
            compare("waitingJobs", queue.waitingJobs.map(\.id).sorted(), model.waiting.map(\.id))
        }
        return wrong
    }

    /// What holds whatever the order is.
    private func invariants() -> [String] {
        var wrong: [String] = []
        for device in devices where queue.isWaitingForSlot(device) {
            guard let job = model.next(of: device), let pool = job.slot else {
                wrong.append("\(device) waits though its next job needs no slot")
                continue
            }
            let slots = queue.slots(of: pool)
            let isFull = slots.limit.map { slots.used >= $0 } ?? false
            if !reclaimed.contains(device), model.link(of: device)?.pool == pool || !isFull {
                wrong.append("\(device) waits though there is a slot")
            }
        }
        for pool in pools where isOwnLinksOnly {
            let slots = queue.slots(of: pool)
            if let limit = slots.limit, slots.used > limit { wrong.append("\(pool) is over its limit") }
        }
        if queue.waiting > queue.limits.total { wrong.append("more wait than may") }
        for device in devices where queue.waiting(for: device) > queue.limits.perDevice {
            wrong.append("more wait for \(device) than may")
        }
        if inside.count != queue.waiting { wrong.append("a job is lost") }
        return wrong
    }
}
