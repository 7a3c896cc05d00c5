/// Whose turn it is among the priorities: the most urgent one's, unless another was overtaken too often.
struct Turns {
    /// The number of the oldest of each priority; numbers count arrivals.
    typealias Oldest = InlineArray<3, Int>

    /// In `Oldest`: nobody.
    static var nobody: Int { .max }

    /// How often the oldest of each priority was overtaken since its priority was last served.
    private var overtaken: InlineArray<3, Int32> = [0, 0, 0]

    /// The priority that goes next; nil when there is nobody.
    func next(of oldest: Oldest, bound: Int) -> JobPriority? {
        var due: JobPriority?
        var first: JobPriority?
        for priority in JobPriority.allCases where oldest[priority.rawValue] != Self.nobody {
            if first == nil { first = priority }
            guard isDue(priority, bound: bound) else { continue }
            if let other = due, oldest[other.rawValue] < oldest[priority.rawValue] { continue }
            due = priority
        }
        return due ?? first
    }

    /// Whether the oldest of a priority was overtaken so often that it goes next.
    func isDue(_ priority: JobPriority, bound: Int) -> Bool { overtaken[priority.rawValue] >= bound }

    /// One of a priority was served; `oldest` are those who are left.
    mutating func served(_ priority: JobPriority, number: Int, before oldest: Oldest) {
        for other in JobPriority.allCases where oldest[other.rawValue] < number { overtake(other) }
        clear(priority)
    }

    /// The oldest of a priority had to let somebody pass.
    mutating func overtake(_ priority: JobPriority) {
        if overtaken[priority.rawValue] < .max { overtaken[priority.rawValue] += 1 }
    }

    /// A priority was served, or nobody of it is left.
    mutating func clear(_ priority: JobPriority) { overtaken[priority.rawValue] = 0 }
}
