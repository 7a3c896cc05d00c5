/// The parts of which each call is made: change what happened, take out what expired, look again at the devices that
/// this touched, hand out the slots that are free.
extension QueueState {
    /// Brings the queue to rest after a change of one device.
    mutating func settle(_ line: Place, at now: Time, into actions: inout [Action]) {
        let touched = takeOutDue(at: now, into: &actions)
        review(line, into: &actions)
        for other in touched where other != line { review(other, into: &actions) }
        serve(into: &actions)
    }

    /// Brings the queue to rest after a change of no device.
    mutating func expireDue(at now: Time, into actions: inout [Action]) {
        let touched = takeOutDue(at: now, into: &actions)
        for line in touched { review(line, into: &actions) }
        serve(into: &actions)
    }

    /// Takes out the jobs whose time is over, the earliest first.
    ///
    /// - Returns: The devices whose next job may be another one now.
    private mutating func takeOutDue(at now: Time, into actions: inout [Action]) -> [Place] {
        var touched: [Place] = []
        while let due = deadlines.first, let deadline = deadlines.firstKey, deadline.time <= now {
            let line = jobs[due].line
            if let job = takeOut(due) { actions.append(.expire(job)) }
            if lines[line].running == .none { touched.append(line) }
        }
        return touched
    }

    /// Starts the next job of a device that is free, or makes the device wait for the slot that it needs.
    private mutating func review(_ line: Place, into actions: inout [Action]) {
        // It may have been looked at before, and its line be gone since.
        guard Int(line) < lines.count, lines[line].device != nil else { return }
        if lines[line].running == .none { startOrWait(line, into: &actions) }
        if lines[line].isUseless { removeLine(line) } else { updateIdle(line) }
    }

    private mutating func startOrWait(_ line: Place, into actions: inout [Action]) {
        let next = nextJob(of: line)
        guard next != .none else { return forgetPlace(line) }
        let pool = jobs[next].pool
        if pool == .none {
            start(next, into: &actions)
        } else if lines[line].isReclaimed {
            withdraw(line)
        } else if !lines[line].holds(pool) {
            ask(line, pool: pool, jobs[next].priority)
        } else if givesWay(line, jobs[next].priority) {
            reclaim(line, into: &actions)
        } else {
            start(next, into: &actions)
        }
    }

    /// Gives free slots to those who wait, and reclaims what they need.
    private mutating func serve(into actions: inout [Action]) {
        for index in pools.indices {
            while pools[index].hasFree, let line = pools[index].popNext(bound: limits.overtaking) {
                lines[line].isAsking = false
                start(nextJob(of: line), into: &actions)
                updateIdle(line)
            }
        }
        for index in pools.indices {
            while pools[index].isShort, let line = pools[index].idle.first {
                reclaim(line, into: &actions)
                updateIdle(line)
            }
        }
    }

    /// Takes a job out of the queue and gives it its device.
    private mutating func start(_ place: Place, into actions: inout [Action]) {
        dequeue(place)
        begin(place, into: &actions)
    }

    /// Gives a device to a job that does not wait, with the slot that it needs.
    mutating func begin(_ place: Place, into actions: inout [Action]) {
        let (line, pool, priority) = (jobs[place].line, jobs[place].pool, jobs[place].priority)
        withdraw(line)
        if pool != .none {
            if lines[line].holds(pool) {
                let isContested = pools[pool].isContested(priority, bound: limits.overtaking)
                lines[line].streak = isContested ? min(lines[line].streak, .max - 1) + 1 : 0
                pools[pool].overtake(by: priority)
            } else {
                pools[pool].used += 1
            }
            if lines[line].ticket.pool == pool { lines[line].ticket = .init() }
        }
        lines[line].running = place
        lines[line].runningPool = pool
        running += 1
        if !jobs[place].isFirst, lines[line].count > 0 {
            lines[line].turns.served(priority, number: jobs[place].number, before: oldest(of: line))
        }
        updateIdle(line)
        if let job = jobs[place].job { actions.append(.start(job)) }
    }

    /// Whether a new job would start at once.
    func startsAtOnce(on line: Place?, _ priority: JobPriority, isFirst: Bool, pool: Place) -> Bool {
        guard let line else { return pool == .none || pools[pool].hasFree }
        guard lines[line].running == .none else { return false }
        if lines[line].count > 0, !isFirst {
            guard lines[line].lists[0].isEmpty else { return false }
            var oldest = oldest(of: line)
            guard oldest[priority.rawValue] == Turns.nobody else { return false }
            oldest[priority.rawValue] = lastNumber
            guard lines[line].turns.next(of: oldest, bound: limits.overtaking) == priority else { return false }
        }
        guard pool != .none else { return true }
        guard !lines[line].isReclaimed else { return false }
        // A link that should give way has nothing to do, and is being reclaimed.
        return lines[line].holds(pool) || pools[pool].hasFree
    }

    /// The job of a device that is the next to start.
    private func nextJob(of line: Place) -> Place {
        guard lines[line].count > 0 else { return .none }
        guard lines[line].lists[0].isEmpty else { return lines[line].lists[0].head }
        guard let priority = lines[line].turns.next(of: oldest(of: line), bound: limits.overtaking) else {
            return .none
        }
        return lines[line].lists[Line<Device>.list(priority, isFirst: false)].head
    }

    /// The numbers of the oldest jobs of a device.
    private func oldest(of line: Place) -> Turns.Oldest {
        [lines[line].lists[1].number, lines[line].lists[2].number, lines[line].lists[3].number]
    }
}
