/// Looks that change nothing. The counts cost the same however many wait; those that follow the order cost as much as
/// the jobs that they pass.
extension QueueState {
    /// The earliest moment at which a waiting job expires; call `expire(at:)` then.
    public var nextDeadline: Time? { deadlines.firstKey?.time }

    /// How many jobs of a device wait.
    public func waiting(for device: Device) -> Int { line(of: device).map { Int(lines[$0].count) } ?? 0 }

    /// The job that has a device.
    public func running(on device: Device) -> Job.ID? {
        line(of: device).flatMap { lines[$0].running }.flatMap { $0 == .none ? nil : jobs[$0].job?.id }
    }

    /// Whether a device is free, but its next job has to wait for a slot, or for the end of a reclaim.
    public func isWaitingForSlot(_ device: Device) -> Bool {
        line(of: device).map { lines[$0].running == .none && lines[$0].count > 0 } ?? false
    }

    /// The jobs that wait for a device, in the order in which they would start if nothing else came.
    public func waitingJobs(of device: Device) -> [Job] { line(of: device).map { inOrder(of: $0) } ?? [] }

    /// All jobs that wait: those of a device in the order in which they would start, the devices in no particular order.
    public var waitingJobs: [Job] {
        lines.indices.flatMap { lines[$0].device == nil ? [] : inOrder(of: Place($0)) }
    }

    /// How many jobs of its device come before a job that waits, the running one included.
    ///
    /// - Returns: nil when the job does not wait.
    public func place(of job: Job.ID) -> Int? {
        guard let place = waitingPlace(of: job) else { return nil }
        let line = jobs[place].line
        var order = StartOrder(of: lines[line], bound: limits.overtaking)
        var before = lines[line].running == .none ? 0 : 1
        while let other = order.next(in: jobs), other != place { before += 1 }
        return before
    }

    /// Takes out all jobs of a device, in the order in which they would have started.
    mutating func takeOutAll(of line: Place) -> [Job] {
        var order = StartOrder(of: lines[line], bound: limits.overtaking)
        var places: [Place] = []
        places.reserveCapacity(Int(lines[line].count))
        while let place = order.next(in: jobs) { places.append(place) }
        return places.compactMap { takeOut($0) }
    }

    private func inOrder(of line: Place) -> [Job] {
        var order = StartOrder(of: lines[line], bound: limits.overtaking)
        var waiting: [Job] = []
        waiting.reserveCapacity(Int(lines[line].count))
        while let place = order.next(in: jobs) {
            if let job = jobs[place].job { waiting.append(job) }
        }
        return waiting
    }
}
