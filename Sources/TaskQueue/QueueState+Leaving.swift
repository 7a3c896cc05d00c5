/// How jobs leave the queue other than by their start.
extension QueueState {
    /// Takes out all jobs whose time is over, the earliest first.
    public mutating func expire(at now: Time) -> [Action] {
        var actions: [Action] = []
        expireDue(at: now, into: &actions)
        return actions
    }

    /// Takes out a job that waits.
    ///
    /// - Returns: The job, and what is to be done now; nil when it does not wait: it runs, or it is not known.
    public mutating func cancel(_ job: Job.ID, at now: Time) -> (job: Job, actions: [Action])? {
        guard let place = waitingPlace(of: job) else { return nil }
        let line = jobs[place].line
        guard let job = takeOut(place) else { return nil }
        var actions: [Action] = []
        settle(line, at: now, into: &actions)
        return (job, actions)
    }

    /// Takes out all jobs that wait for a device, and gives them back in the order in which they would have started.
    public mutating func cancelWaiting(of device: Device, at now: Time) -> (jobs: [Job], actions: [Action]) {
        guard let line = line(of: device) else { return ([], expire(at: now)) }
        let jobs = takeOutAll(of: line)
        var actions: [Action] = []
        settle(line, at: now, into: &actions)
        return (jobs, actions)
    }

    /// Takes out all jobs that wait, and gives them back: those of a device in the order in which they would have
    /// started, the devices in no particular order.
    ///
    /// Nothing is to be done then: there is nobody left who could start, or who wants a slot.
    public mutating func cancelWaiting() -> [Job] {
        var cancelled: [Job] = []
        for index in lines.indices where lines[index].device != nil && lines[index].count > 0 {
            let line = Place(index)
            cancelled += takeOutAll(of: line)
            forgetPlace(line)
        }
        removeUselessLines()
        return cancelled
    }

    /// Takes nothing more in, and gives back all jobs that wait, as `cancelWaiting()` does.
    public mutating func close() -> [Job] {
        isClosed = true
        return cancelWaiting()
    }
}
