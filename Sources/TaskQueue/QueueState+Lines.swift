/// The records of jobs, devices and pools.
extension QueueState {
    /// Memory that a crowd has left is given back from this size on.
    private static var crowd: Int { 1024 }

    /// The place of a pool, which is new when it is first named.
    mutating func poolPlace(of pool: Pool) -> Place {
        if let place = placeOfPool[pool] { return place }
        let place = Place(pools.count)
        pools.append(SlotPool())
        placeOfPool[pool] = place
        return place
    }

    /// The line of a device that has one.
    func line(of device: Device) -> Place? {
        devices.place(PlaceIndex.hash(device)) { lines[$0].device == device }
    }

    /// The place of a job that waits.
    func waitingPlace(of job: Job.ID) -> Place? {
        ids.place(PlaceIndex.hash(job)) { jobs[$0].job?.id == job && lines[jobs[$0].line].running != $0 }
    }

    /// The place of the job that has a device.
    ///
    /// Found by its id, which costs the same however many devices there are.
    func runningPlace(of job: Job.ID, on device: Device) -> Place? {
        ids.place(PlaceIndex.hash(job)) {
            jobs[$0].job?.id == job && lines[jobs[$0].line].running == $0 && lines[jobs[$0].line].device == device
        }
    }

    mutating func makeLine(for device: Device) -> Place {
        let line: Place
        if let free = freeLines.popLast() {
            line = free
            lines[line] = Line(device: device)
        } else {
            line = Place(lines.count)
            lines.append(Line(device: device))
        }
        devices.insert(line, PlaceIndex.hash(device))
        return line
    }

    mutating func removeLine(_ line: Place) {
        drop(line)
        releaseLines()
    }

    /// Removes the lines that `cancelWaiting()` has left without anything.
    mutating func removeUselessLines() {
        for index in lines.indices where lines[index].isUseless { drop(Place(index)) }
        releaseLines()
    }

    private mutating func drop(_ line: Place) {
        guard let device = lines[line].device else { return }
        devices.remove(line, PlaceIndex.hash(device))
        lines[line].device = nil
        freeLines.append(line)
    }

    /// Gives the memory back that a crowd of devices has left.
    private mutating func releaseLines() {
        guard devices.isEmpty, lines.count > Self.crowd else { return }
        lines = []
        freeLines = []
        devices.removeAll()
        for index in pools.indices { pools[index].removeAllLines() }
    }

    /// Takes a job in, which does not wait yet.
    mutating func add(_ entry: JobStore<Job, Time>.Entry) -> Place {
        let place = jobs.insert(entry)
        if let id = entry.job?.id { ids.insert(place, PlaceIndex.hash(id)) }
        return place
    }

    /// Makes a job wait.
    mutating func enqueue(_ place: Place) {
        let line = jobs[place].line
        let list = Line<Device>.list(jobs[place].priority, isFirst: jobs[place].isFirst)
        jobs.link(place, to: &lines[line].lists[list])
        lines[line].count += 1
        deadlines.insert(Deadline(time: jobs[place].expiry, number: jobs[place].number), place)
        waiting += 1
    }

    /// Ends a job's waiting.
    mutating func dequeue(_ place: Place) {
        let line = jobs[place].line
        let list = Line<Device>.list(jobs[place].priority, isFirst: jobs[place].isFirst)
        jobs.unlink(place, from: &lines[line].lists[list])
        if list > 0, lines[line].lists[list].isEmpty { lines[line].turns.clear(jobs[place].priority) }
        lines[line].count -= 1
        deadlines.remove(place)
        waiting -= 1
    }

    /// Forgets a job that neither waits nor runs any more.
    @discardableResult
    mutating func remove(_ place: Place) -> Job? {
        let job = jobs.remove(place)
        if let job { ids.remove(place, PlaceIndex.hash(job.id)) }
        if ids.isEmpty, jobs.capacity > Self.crowd {
            jobs.removeAll()
            deadlines.removeAll()
            ids.removeAll()
        }
        return job
    }

    /// Takes out a job that waits.
    mutating func takeOut(_ place: Place) -> Job? {
        dequeue(place)
        return remove(place)
    }
}
