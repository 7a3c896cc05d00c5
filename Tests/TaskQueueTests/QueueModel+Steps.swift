import TaskQueue

extension QueueModel {
    // What the owner says.

    mutating func submit(
        _ id: Int,
        _ device: String,
        _ priority: JobPriority,
        first: Bool,
        slot: String?,
        expiry: Int,
        at now: Int
    ) -> Queue.Refusal? {
        if let slot, expiry > now { name(slot) }
        guard expiry > now else {
            actions = [.expire(Job(id: id))]
            rest([], at: now)
            return nil
        }
        lastNumber += 1
        let job = Waiting(
            id: id,
            device: device,
            priority: priority,
            isFirst: first,
            slot: slot,
            expiry: expiry,
            number: lastNumber
        )
        var copy = self
        copy.waiting.append(job)
        if copy.next(of: device) == job, copy.canStart(job) {
            actions = []
            waiting.append(job)
            start(job)
            refreshIdle()
            rest([], at: now)
            return nil
        }
        if waiting(for: device).count >= limits.perDevice { return .deviceFull }
        if waiting.count >= limits.total { return .totalFull }
        actions = []
        waiting.append(job)
        rest([device], at: now)
        return nil
    }

    mutating func finished(_ id: Int, _ device: String, at now: Int) {
        actions = []
        guard running.contains(where: { $0.id == id && $0.device == device }) else { return rest([], at: now) }
        running.removeAll { $0.device == device }
        rest([device], at: now)
    }

    mutating func cancel(_ id: Int, at now: Int) -> Bool {
        guard let job = waiting.first(where: { $0.id == id }) else { return false }
        actions = []
        take(job)
        rest([job.device], at: now)
        return true
    }

    mutating func cancelWaiting(of device: String, at now: Int) {
        actions = []
        for job in waiting(for: device) { take(job) }
        rest([device], at: now)
    }

    mutating func cancelAll() {
        let devices = Set(waiting.map(\.device))
        waiting = []
        overtaken = [:]
        for device in devices { leave(device, forGood: true) }
    }

    mutating func setLimit(_ limit: Int?, _ pool: String, at now: Int) {
        name(pool)
        for index in pools.indices where pools[index].name == pool { pools[index].limit = limit }
        actions = []
        rest([], at: now)
    }

    mutating func linkUp(_ device: String, _ pool: String, isReclaimable: Bool, at now: Int) {
        name(pool)
        actions = []
        var link = link(of: device) ?? Link(device: device, pool: pool, isReclaimable: isReclaimable)
        if link.pool != pool { link = Link(device: device, pool: pool, isReclaimable: isReclaimable) }
        link.isReclaimable = isReclaimable
        if !isReclaimable { link.isReclaimed = false }
        links.removeAll { $0.device == device }
        links.append(link)
        rest([device], at: now)
    }

    mutating func linkDown(_ device: String, at now: Int) {
        actions = []
        links.removeAll { $0.device == device }
        rest([device], at: now)
    }

    mutating func expire(at now: Int) {
        actions = []
        rest([], at: now)
    }

    // What follows from it.

    private mutating func rest(_ changed: [String], at now: Int) {
        let due = waiting.filter { $0.expiry <= now }.sorted { ($0.expiry, $0.number) < ($1.expiry, $1.number) }
        for job in due {
            take(job)
            actions.append(.expire(Job(id: job.id)))
        }
        for device in changed + due.map(\.device) where !isBusy(device) {
            look(at: device)
            refreshIdle(device)
        }
        for device in changed { refreshIdle(device) }
        for pool in pools.indices { serve(pool) }
        for pool in pools.map(\.name) {
            while isShort(pool), let idle = longestIdle(pool) { reclaim(idle) }
        }
    }

    private mutating func look(at device: String) {
        guard let job = next(of: device) else { return leave(device, forGood: true) }
        guard let pool = job.slot else { return start(job) }
        if link(of: device)?.isReclaimed == true { return leave(device) }
        if holds(device, pool) { return givesWay(job) ? reclaim(device) : start(job) }
        if let index = asking.firstIndex(where: { $0.device == device }) {
            if asking[index].pool == pool, asking[index].priority == job.priority {
                asking[index].isActive = true
                return
            }
            leave(device, forGood: true)
        }
        lastNumber += 1
        asking.append(Asking(device: device, pool: pool, priority: job.priority, number: lastNumber))
    }

    private mutating func serve(_ index: Int) {
        let pool = pools[index].name
        while hasFree(pool), let asker = turn(waiters(pool), pools[index].overtaken, { ($0.priority, $0.number) }) {
            leave(asker.device, forGood: true)
            for other in JobPriority.allCases where other != asker.priority {
                if waiters(pool).contains(where: { $0.priority == other && $0.number < asker.number }) {
                    pools[index].overtaken[other, default: 0] += 1
                }
            }
            pools[index].overtaken[asker.priority] = 0
            if let job = next(of: asker.device) { start(job) }
            refreshIdle(asker.device)
        }
    }

    private func longestIdle(_ pool: String) -> String? {
        links.filter { $0.pool == pool && $0.idleSince != nil }
            .min { $0.idleSince ?? 0 < $1.idleSince ?? 0 }?.device
    }

    private mutating func reclaim(_ device: String) {
        leave(device)
        for index in links.indices where links[index].device == device { links[index].isReclaimed = true }
        actions.append(.reclaim(device))
        refreshIdle(device)
    }

    private mutating func start(_ job: Waiting) {
        take(job)
        leave(job.device)
        if let pool = job.slot {
            if let index = links.firstIndex(where: { $0.device == job.device && $0.pool == pool }) {
                links[index].streak = isContested(pool, job.priority) ? links[index].streak + 1 : 0
                for place in pools.indices where pools[place].name == pool {
                    for other in Set(waiters(pool).map(\.priority)) where other > job.priority {
                        pools[place].overtaken[other, default: 0] += 1
                    }
                }
            }
            asking.removeAll { $0.device == job.device && $0.pool == pool }
        }
        running.append(Running(id: job.id, device: job.device, slot: job.slot))
        count(job)
        actions.append(.start(Job(id: job.id)))
    }

    /// Takes a job from the list; a priority without jobs has not been overtaken.
    mutating func take(_ job: Waiting) {
        waiting.removeAll { $0.number == job.number }
        if !waiting.contains(where: { $0.device == job.device && $0.priority == job.priority && !$0.isFirst }) {
            overtaken[job.device]?[job.priority] = 0
        }
    }

    /// Counts whom a job that starts has overtaken.
    mutating func count(_ job: Waiting) {
        guard !job.isFirst else { return }
        for other in JobPriority.allCases where other != job.priority {
            let older = waiting.contains {
                $0.device == job.device && $0.priority == other && !$0.isFirst && $0.number < job.number
            }
            if older { overtaken[job.device, default: [:]][other, default: 0] += 1 }
        }
        overtaken[job.device]?[job.priority] = 0
    }

    private mutating func leave(_ device: String, forGood: Bool = false) {
        for index in asking.indices where asking[index].device == device && asking[index].isActive {
            asking[index].isActive = false
            let (pool, priority) = (asking[index].pool, asking[index].priority)
            if !waiters(pool).contains(where: { $0.priority == priority }) {
                for place in pools.indices where pools[place].name == pool { pools[place].overtaken[priority] = 0 }
            }
        }
        if forGood { asking.removeAll { $0.device == device } }
    }

    private mutating func refreshIdle(_ device: String? = nil) {
        for index in links.indices where device == nil || links[index].device == device {
            let link = links[index]
            let waits = asking.contains { $0.device == link.device && $0.isActive }
            let isIdle =
                link.isReclaimable && !link.isReclaimed && !isBusy(link.device)
                && (waiting(for: link.device).isEmpty || waits)
            if !isIdle {
                links[index].idleSince = nil
            } else if link.idleSince == nil {
                lastNumber += 1
                links[index].idleSince = lastNumber
            }
        }
    }

    private mutating func name(_ pool: String) {
        if !pools.contains(where: { $0.name == pool }) { pools.append(Pool(name: pool)) }
    }
}
