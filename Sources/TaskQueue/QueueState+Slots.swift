extension QueueState {
    /// Sets how many devices may hold a slot of a pool; nil, the default: as many as want to.
    ///
    /// Nobody loses one by it.
    public mutating func setLimit(_ limit: Int?, of pool: Pool, at now: Time) -> [Action] {
        pools[poolPlace(of: pool)].limit = limit
        return expire(at: now)
    }

    /// A link of a device stands, whoever made it, or something about it has changed.
    ///
    /// It uses a slot of its pool even where none is free. A device has one link: in another pool than before, it has
    /// moved. With `isReclaimable` its owner may be told to drop it when it has nothing to do: not a link of another
    /// program, nor one that is kept. False also ends a reclaim that is under way; true does not repeat it.
    public mutating func linkUp(
        _ device: Device,
        in pool: Pool,
        isReclaimable: Bool,
        at now: Time
    ) -> [Action] {
        let line = line(of: device) ?? makeLine(for: device)
        let pool = poolPlace(of: pool)
        if lines[line].linkPool != pool {
            cutLink(line)
            if !lines[line].holds(pool) { pools[pool].used += 1 }
            lines[line].linkPool = pool
        } else if !isReclaimable {
            endReclaim(line)
        }
        lines[line].isReclaimable = isReclaimable
        var actions: [Action] = []
        settle(line, at: now, into: &actions)
        return actions
    }

    /// A device's link is gone, whoever ended it.
    public mutating func linkDown(_ device: Device, at now: Time) -> [Action] {
        guard let line = line(of: device) else { return expire(at: now) }
        cutLink(line)
        var actions: [Action] = []
        settle(line, at: now, into: &actions)
        return actions
    }

    /// How many slots of a pool there are, and how many want one.
    public func slots(of pool: Pool) -> SlotCounts {
        placeOfPool[pool].map { pools[$0].counts } ?? SlotPool().counts
    }

    /// Takes a device's link away, and the slot that goes with it.
    private mutating func cutLink(_ line: Place) {
        let pool = lines[line].linkPool
        guard pool != .none else { return }
        endReclaim(line)
        lines[line].isReclaimable = false
        updateIdle(line)
        lines[line].linkPool = .none
        lines[line].streak = 0
        if !lines[line].holds(pool) { pools[pool].used -= 1 }
    }

    /// Whether a device that holds a slot for its next job has used it long enough.
    func givesWay(_ line: Place, _ priority: JobPriority) -> Bool {
        let pool = lines[line].linkPool
        return lines[line].isReclaimable && lines[line].streak >= limits.burst && pools[pool].isShort
            && pools[pool].isContested(priority, bound: limits.overtaking)
    }

    /// Has a device's link dropped.
    mutating func reclaim(_ line: Place, into actions: inout [Action]) {
        guard let device = lines[line].device else { return }
        withdraw(line)
        lines[line].isReclaimed = true
        pools[lines[line].linkPool].reclaims += 1
        actions.append(.reclaim(device))
    }

    private mutating func endReclaim(_ line: Place) {
        guard lines[line].isReclaimed else { return }
        lines[line].isReclaimed = false
        pools[lines[line].linkPool].reclaims -= 1
    }

    /// Makes a device wait for a slot; it keeps its place while it wants the same.
    mutating func ask(_ line: Place, pool: Place, _ priority: JobPriority) {
        let ticket = lines[line].ticket
        if ticket.pool != pool || ticket.priority != priority {
            withdraw(line)
            lastNumber += 1
            lines[line].ticket = .init(number: lastNumber, pool: pool, priority: priority)
        } else if lines[line].isAsking {
            return
        }
        pools[pool].ask(line, priority, number: lines[line].ticket.number)
        lines[line].isAsking = true
    }

    /// Ends a device's waiting for a slot.
    mutating func withdraw(_ line: Place) {
        guard lines[line].isAsking else { return }
        lines[line].isAsking = false
        pools[lines[line].ticket.pool].withdraw(line, lines[line].ticket.priority)
    }

    /// Ends a device's waiting for a slot for good.
    mutating func forgetPlace(_ line: Place) {
        withdraw(line)
        lines[line].ticket = .init()
    }

    /// Whether a device's link has nothing to do: the device is free, and has no jobs or waits for a slot of another pool.
    mutating func updateIdle(_ line: Place) {
        let isIdle =
            lines[line].linkPool != .none && lines[line].isReclaimable && !lines[line].isReclaimed
            && lines[line].running == .none && (lines[line].count == 0 || lines[line].isAsking)
        guard isIdle != lines[line].isIdle else { return }
        lines[line].isIdle = isIdle
        if isIdle {
            lastNumber += 1
            pools[lines[line].linkPool].idle.insert(lastNumber, line)
        } else {
            pools[lines[line].linkPool].idle.remove(line)
        }
    }
}
