internal import Glibc

/// What a job costs the queue, in time and memory: neither may grow with the number of devices.
@main
struct QueueBench {
    private static let jobs = 1_000_000
    private static let rounds = 5
    /// Costs that grow with the devices would be a thousand times as much.
    private static let mostGrowth = 2.0

    static func main() {
        let groups = [nil, 64].map { slots in
            [1, 1000, 100_000].map { devices in BenchCase(devices: devices, slots: slots) }
        }
        var results = groups.map { $0.map { _ in [BenchCase.Result]() } }
        // Round by round, so that a busy moment of the machine meets all cases alike. The first only warms up.
        for round in 0...rounds {
            for (group, cases) in groups.enumerated() {
                for (index, one) in cases.enumerated() {
                    let result = one.run(jobs: jobs)
                    if round > 0 { results[group][index].append(result) }
                }
            }
        }
        print("Queue: \(jobs) jobs of all priorities wait for busy devices, then are started and finished")
        print("\(rounds) rounds, the processor's time")
        print(BenchCase.header)
        var growth = 0.0
        for (cases, results) in zip(groups, results) {
            for (one, results) in zip(cases, results) { print(one.row(results)) }
            let medians = results.map { BenchCase.median($0.map(\.nanoseconds)) }
            growth = max(growth, (medians.max() ?? 0) / (medians.min() ?? 1))
        }
        print(BenchCase.explanation)
        guard growth > mostGrowth else { return }
        print("The cost of a job grows with the number of devices: \(growth) times.")
        exit(EXIT_FAILURE)
    }
}
