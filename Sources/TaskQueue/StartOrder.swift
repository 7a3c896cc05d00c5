/// The jobs of one device in the order in which they start.
struct StartOrder {
    /// Those put first, then one list a priority; their heads move on.
    private var heads: InlineArray<4, Place>
    private var turns: Turns
    private let bound: Int

    init<Device>(of line: Line<Device>, bound: Int) {
        heads = [line.lists[0].head, line.lists[1].head, line.lists[2].head, line.lists[3].head]
        turns = line.turns
        self.bound = bound
    }

    /// The next one, which counts as started then.
    mutating func next<Job, Time>(in jobs: JobStore<Job, Time>) -> Place? {
        guard heads[0] == .none else { return pop(0, jobs) }
        guard let priority = turns.next(of: oldest(jobs), bound: bound) else { return nil }
        let place = pop(priority.rawValue + 1, jobs)
        turns.served(priority, number: jobs[place].number, before: oldest(jobs))
        return place
    }

    private mutating func pop<Job, Time>(_ list: Int, _ jobs: JobStore<Job, Time>) -> Place {
        defer { heads[list] = jobs[heads[list]].next }
        return heads[list]
    }

    private func oldest<Job, Time>(_ jobs: JobStore<Job, Time>) -> Turns.Oldest {
        var oldest = Turns.Oldest(repeating: Turns.nobody)
        for list in 1...3 where heads[list] != .none { oldest[list - 1] = jobs[heads[list]].number }
        return oldest
    }
}
