internal import CLinux
internal import Glibc
internal import TaskQueue

/// Jobs spread over some devices: each device is busy with one, all others wait, then are started and finished.
struct BenchCase {
    private struct Job: Identifiable {
        let id: Int
        let device: UInt64
    }

    private typealias Queue = QueueState<UInt64, Int, Job, ContinuousClock.Instant>

    /// What one job cost that waited, and one device that is busy.
    struct Result {
        let submitNanoseconds: Double
        let startNanoseconds: Double
        let bytes: Double
        let deviceBytes: Double
        var nanoseconds: Double { submitNanoseconds + startNanoseconds }
    }

    let devices: Int
    /// How many devices may hold a link; nil: jobs need none.
    let slots: Int?

    func run(jobs total: Int) -> Result {
        let jobs = total - devices
        let start = ContinuousClock.now
        let expiry = start + .seconds(3600)
        var running: [Job] = []
        running.reserveCapacity(devices)
        var next: [Job] = []
        next.reserveCapacity(devices)
        let empty = Self.heap()

        var queue = Queue(limits: .init(perDevice: total, total: total))
        if let slots { _ = queue.setLimit(slots, of: 0, at: start) }
        for id in 0..<devices {
            let job = Job(id: id, device: Self.address(id))
            collect(submit(job, to: &queue, needsSlot: false, expiry: expiry, at: start), into: &running)
        }
        let busy = Self.heap()

        let begin = Self.cpuNanoseconds()
        for id in devices..<total {
            let job = Job(id: id, device: Self.address(id % devices))
            // Deadlines are no more in order than callers are.
            let deadline = expiry + .milliseconds(id &* 7919 % 65_536)
            collect(submit(job, to: &queue, needsSlot: slots != nil, expiry: deadline, at: start), into: &running)
        }
        let submitted = Self.cpuNanoseconds()
        precondition(queue.waiting == jobs, "a job does not wait")
        let crowded = Self.heap()

        var started = 0
        while !running.isEmpty {
            for job in running {
                collect(queue.finished(job.id, of: job.device, at: start), into: &next)
            }
            started += next.count
            swap(&running, &next)
            next.removeAll(keepingCapacity: true)
        }
        let end = Self.cpuNanoseconds()
        precondition(started == jobs && queue.waiting == 0 && queue.running == 0, "a job was lost")
        return Result(
            submitNanoseconds: (submitted - begin) / Double(jobs),
            startNanoseconds: (end - submitted) / Double(jobs),
            bytes: Double(crowded - busy) / Double(jobs),
            deviceBytes: Double(busy - empty) / Double(devices)
        )
    }

    private func submit(
        _ job: Job,
        to queue: inout Queue,
        needsSlot: Bool,
        expiry: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> [Queue.Action] {
        do throws(Queue.Refusal) {
            return try queue.submit(
                job,
                for: job.device,
                priority: JobPriority.allCases[job.id / devices % 3],
                slot: needsSlot ? 0 : nil,
                expiry: expiry,
                at: now
            )
        } catch {
            preconditionFailure("a job was refused: \(error)")
        }
    }

    private func collect(_ actions: [Queue.Action], into jobs: inout [Job]) {
        for action in actions {
            if case .start(let job) = action { jobs.append(job) }
        }
    }

    /// An address like those of devices: 48 bits without order.
    private static func address(_ index: Int) -> UInt64 { (UInt64(index) &* 0x9E37_79B9_7F4A_7C15) >> 16 }

    /// The processor's time of this process: other programs count only by what they push out of its caches.
    private static func cpuNanoseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// How many bytes are allocated.
    private static func heap() -> Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }
}
