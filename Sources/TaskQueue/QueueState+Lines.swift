/// The records of jobs, devices and pools.
extension QueueState {
    /// Memory that a crowd has left is given back from this size on.
    private static var crowd: Int { 1024 }

    /// The place of a pool, which is new when it is first named.
    mutating func place(of pool: Pool) -> Place {
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
    func waitingPlace(of job: Job.ID) -> Place? { ids.place(PlaceIndex.hash(job)) { jobs[$0].job?.id == job } }

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

    /// Makes a job wait.
    mutating func add(_ entry: JobStore<Job, Time>.Entry) {
        guard let id = entry.job?.id else { return }
        let list = Line<Device, Job.ID>.list(entry.priority, isFirst: entry.isFirst)
        let place = jobs.insert(entry, in: &lines[entry.line].lists[list])
        lines[entry.line].count += 1
        deadlines.insert(Deadline(time: entry.expiry, number: entry.number), place)
        ids.insert(place, PlaceIndex.hash(id))
        waiting += 1
    }

    /// Takes out a job that waits.
    mutating func takeOut(_ place: Place) -> JobStore<Job, Time>.Entry {
        let line = jobs[place].line
        let list = Line<Device, Job.ID>.list(jobs[place].priority, isFirst: jobs[place].isFirst)
        let entry = jobs.remove(place, from: &lines[line].lists[list])
        if list > 0, lines[line].lists[list].isEmpty { lines[line].turns.clear(entry.priority) }
        lines[line].count -= 1
        deadlines.remove(place)
        if let id = entry.job?.id { ids.remove(place, PlaceIndex.hash(id)) }
        waiting -= 1
        if waiting == 0, jobs.capacity > Self.crowd {
            jobs.removeAll()
            deadlines.removeAll()
            ids.removeAll()
        }
        return entry
    }
}
