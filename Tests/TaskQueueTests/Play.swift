import TaskQueue

struct Job: Identifiable, Equatable {
    let id: Int
}

typealias Queue = QueueState<String, String, Job, Int>

/// A queue whose answers are told in words: "start 1, expire 2, reclaim a", or the reason of a refusal.
struct Play {
    var queue: Queue

    init(perDevice: Int = 100, total: Int = 100, overtaking: Int = 8, burst: Int = 8, slots: [String: Int] = [:]) {
        queue = Queue(limits: .init(perDevice: perDevice, total: total, overtaking: overtaking, burst: burst))
        for (pool, limit) in slots { _ = queue.setLimit(limit, of: pool, at: 0) }
    }

    mutating func submit(
        _ id: Int,
        _ device: String = "a",
        _ priority: JobPriority = .normal,
        first: Bool = false,
        slot: String? = nil,
        expiry: Int = 1000,
        at now: Int = 0
    ) -> String {
        do throws(Queue.Refusal) {
            return Self.words(
                try queue.submit(
                    Job(id: id),
                    for: device,
                    priority: priority,
                    first: first,
                    slot: slot,
                    expiry: expiry,
                    at: now
                )
            )
        } catch {
            return "\(error)"
        }
    }

    mutating func finish(_ id: Int, _ device: String = "a", at now: Int = 0) -> String {
        Self.words(queue.finished(id, of: device, at: now))
    }

    mutating func expire(at now: Int) -> String { Self.words(queue.expire(at: now)) }

    /// "1: start 2", or "nil".
    mutating func cancel(_ id: Int, at now: Int = 0) -> String {
        queue.cancel(id, at: now).map { "\($0.job.id): " + Self.words($0.actions) } ?? "nil"
    }

    /// "1 2: start 3".
    mutating func cancelWaiting(of device: String, at now: Int = 0) -> String {
        let (jobs, actions) = queue.cancelWaiting(of: device, at: now)
        return Self.ids(jobs) + ": " + Self.words(actions)
    }

    mutating func limit(_ limit: Int?, _ pool: String, at now: Int = 0) -> String {
        Self.words(queue.setLimit(limit, of: pool, at: now))
    }

    mutating func up(_ device: String, _ pool: String = "p", reclaimable: Bool = true, at now: Int = 0) -> String {
        Self.words(queue.linkUp(device, in: pool, isReclaimable: reclaimable, at: now))
    }

    mutating func refused(_ pool: String, at now: Int = 0) -> String {
        Self.words(queue.slotRefused(in: pool, at: now))
    }

    mutating func down(_ device: String, at now: Int = 0) -> String { Self.words(queue.linkDown(device, at: now)) }

    /// "2/3, 1 waiting".
    func slots(_ pool: String = "p") -> String {
        let counts = queue.slots(of: pool)
        return "\(counts.used)/\(counts.limit.map(String.init) ?? "-"), \(counts.waiting) waiting"
    }

    /// The ids of a device's waiting jobs, in order.
    func order(_ device: String = "a") -> String { Self.ids(queue.waitingJobs(of: device)) }

    static func words(_ actions: [Queue.Action]) -> String {
        actions.map { action in
            switch action {
            case .start(let job): "start \(job.id)"
            case .expire(let job): "expire \(job.id)"
            case .reclaim(let device): "reclaim \(device)"
            }
        }.joined(separator: ", ")
    }

    static func ids(_ jobs: [Job]) -> String { jobs.map { String($0.id) }.joined(separator: " ") }
}
