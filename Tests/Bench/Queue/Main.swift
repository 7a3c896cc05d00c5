import Glibc

/// What a job costs the queue, in time and memory: neither may grow with the number of devices.
@main
struct QueueBench {
    private static let jobs = 1_000_000
    private static let rounds = 7

    static func main() {
        var cases: [BenchCase] = []
        for slots in [nil, 64] {
            for devices in [1, 1000, 100_000] { cases.append(BenchCase(devices: devices, slots: slots)) }
        }
        // Round by round, so that a busy moment of the machine meets all cases alike. The first only warms up.
        var results = [[BenchCase.Result]](repeating: [], count: cases.count)
        for round in 0...rounds {
            for (index, one) in cases.enumerated() {
                let result = one.run(jobs: jobs)
                if round > 0 { results[index].append(result) }
            }
        }
        print("queue: \(jobs) jobs, all waiting, then each started when its device is free; \(rounds) rounds")
        print(BenchCase.header)
        for (one, results) in zip(cases, results) { print(one.row(results)) }
    }
}
