internal import BleCore
internal import EventLoop

/// A command to a group on its way: one job for each member, one result for all.
final class GroupRun {
    let number: Int
    let command: Command
    let members: [DeviceTarget]
    let arrived = ContinuousClock.now
    fileprivate(set) var parts: [PartResult?]
    fileprivate(set) var next = 0
    fileprivate(set) var active = 0
    /// What the members' verbs warn of, each thing once.
    fileprivate(set) var warnings: [String] = []
    /// Members that wait out their delay.
    fileprivate var delays: [Int: EventLoop.TimerID] = [:]

    init(number: Int, _ command: Command, _ members: [DeviceTarget]) {
        self.number = number
        self.command = command
        self.members = members
        parts = Array(repeating: nil, count: members.count)
    }
}

extension Agent {
    /// Starts a command for the members of a group.
    func startGroup(_ command: Command, _ members: [DeviceTarget]) {
        guard hasRoomForGateway(command) else { return }
        lastJob += 1
        let run = GroupRun(number: lastJob, command, members)
        groups[run.number] = run
        let record = JobRecord(number: run.number, command: command)
        records[run.number] = record
        for step in [ResultBody.accepted(command, place: 0), .started(command)] {
            record.add(step)
            if command.wantsSteps { publisher.publishStep(step) }
        }
        advance(run)
    }

    /// Starts as many members as may be at work at the same time.
    private func advance(_ run: GroupRun) {
        while run.active < run.command.spread.concurrency, run.next < run.members.count {
            let index = run.next
            run.next += 1
            run.active += 1
            let jitter = run.command.spread.jitter
            guard jitter > .zero else {
                start(run, index)
                continue
            }
            let number = run.number
            run.delays[index] = loop.schedule(after: jitter * Double.random(in: 0...1)) { [weak self] in
                self?.assumeIsolated { agent in
                    guard let run = agent.groups[number], run.delays.removeValue(forKey: index) != nil else { return }
                    agent.start(run, index)
                }
            }
        }
        guard run.active == 0, run.next == run.members.count, groups.removeValue(forKey: run.number) != nil else {
            return
        }
        let parts = run.parts.compactMap(\.self)
        let timing = ResultBody.Timing(runMs: Int((ContinuousClock.now - run.arrived).milliseconds))
        var body = ResultBody.combined(run.command, parts, payload: .members(parts), timing: timing)
        body.warnings += run.warnings
        answer(body, history: records.removeValue(forKey: run.number)?.history(endedBy: body))
        jobEnded()
    }

    private func start(_ run: GroupRun, _ index: Int) {
        var command = run.command
        command.origin.target = .device(run.members[index])
        command.wantsSteps = false
        do throws(OperationError) {
            command = try resolved(command, on: run.members[index])
        } catch {
            return memberEnded(run.number, index, .refused(command.refusal(error.code, detail: error.detail)))
        }
        submit(command, on: run.members[index], for: .member(of: run.number, index: index), arrived: run.arrived)
    }

    /// Takes up what became of a group's command at one member.
    func memberEnded(_ number: Int, _ index: Int, _ body: ResultBody) {
        guard let run = groups[number], run.parts[index] == nil else { return }
        run.parts[index] = PartResult(body, verb: run.command.request.name)
        let known = run.command.warnings + run.warnings
        run.warnings += body.warnings.filter { !known.contains($0) }
        run.active -= 1
        advance(run)
    }

    /// Ends a group's command: what has begun at a member is cancelled there, the others are not begun.
    func cancel(_ run: GroupRun) {
        // First, so that no place that becomes free begins one more.
        let begun = run.active - run.delays.count
        leaveRest(of: run, detail: "the job was cancelled")
        guard begun > 0 else { return }
        cancelJobs { job in
            if case .member(run.number, _) = job.purpose { true } else { false }
        }
    }

    /// Begins a group's command at no more members.
    func leaveRest(of run: GroupRun, detail: String) {
        for timer in run.delays.values { loop.cancel(timer) }
        for index in Array(run.delays.keys) + Array(run.next..<run.members.count) {
            run.parts[index] = .notBegun(run.command.request, of: run.members[index], detail: detail)
        }
        run.active -= run.delays.count
        run.delays = [:]
        run.next = run.members.count
        advance(run)
    }
}
