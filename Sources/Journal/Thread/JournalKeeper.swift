/// Holds the file, knows whether it can be used, and carries requests out in groups.
///
/// Of the journal's thread.
final class JournalKeeper {
    /// When a fault is to be tried again; nil while there is none that could pass.
    private(set) var nextTry: ContinuousClock.Instant?

    private let settings: JournalSettings
    private var file: JournalFile?
    private var failure: JournalFailure? = .closed
    private var gap: Duration
    /// Classes of which messages could not be kept, until the file has their count.
    private var uncounted: Set<OutboxClass> = []

    /// The most requests of one group; half the reserve bounds their bytes, as a group may use it up.
    private static let groupCount = 512

    init(_ settings: JournalSettings) {
        self.settings = settings
        gap = settings.retryGap
    }

    private var state: JournalState { failure.map { .failed($0) } ?? .working }

    private func told(_ outcomes: [JournalOutcome] = []) -> JournalThread.Report {
        JournalThread.Report(state: state, figures: file?.figures ?? JournalFigures(), outcomes: outcomes)
    }

    // MARK: Life

    /// Opens the file.
    func open() -> JournalThread.Report {
        do throws(JournalFailure) {
            let file = try JournalFile(settings)
            self.file = file
            recover()
            do throws(JournalFailure) { try file.makeRoom() } catch { fail(error) }
            var report = told()
            report.summary = (file.summary, file.nextMessage)
            return report
        } catch {
            fail(error)
            return told()
        }
    }

    /// Closes the file; a damaged one stays as it is.
    func close() -> JournalThread.Report {
        file?.close(asItIs: failure?.isPermanent ?? false)
        var report = told()
        report.isLast = true
        return report
    }

    private func fail(_ failure: JournalFailure) {
        // What is a request's fault elsewhere is none of the file's as it should be.
        let failure = failure.isOfStore ? failure : .damaged("\(failure)")
        self.failure = failure
        nextTry = failure.isPermanent ? nil : nextTry ?? .now + gap
    }

    /// Tries again what has failed, when its time has come.
    func retry() -> JournalThread.Report? {
        guard let due = nextTry, due <= .now else { return nil }
        nextTry = nil
        gap = min(gap * 2, settings.longestRetryGap)
        guard let file else { return open() }
        do throws(JournalFailure) {
            try file.probe()
            recover()
            count(file)
        } catch {
            fail(error)
        }
        return told()
    }

    private func recover() {
        failure = nil
        nextTry = nil
        gap = settings.retryGap
    }

    /// Whether the files want to be made smaller in a quiet moment.
    var isUntidy: Bool { failure == nil && file?.isUntidy ?? false }

    /// Makes the files smaller as long as nobody wants anything else.
    func tidy(while isIdle: () -> Bool) -> JournalThread.Report {
        if let file {
            do throws(JournalFailure) {
                while isUntidy, isIdle() { try file.tidy() }
            } catch {
                fail(error)
            }
        }
        return told()
    }

    // MARK: Groups

    /// Carries out requests, group by group.
    func carryOut(_ requests: [JournalRequest], _ report: (JournalThread.Report) -> Void) {
        var rest = requests[...]
        while !rest.isEmpty {
            var bytes = 0
            var count = 0
            for request in rest.prefix(Self.groupCount) {
                bytes += request.bytes
                guard count == 0 || bytes <= max(64, settings.reserveBytes / 2) else { break }
                count += 1
            }
            let group = rest.prefix(count)
            rest = rest.dropFirst(count)
            report(told(carryOut(group)))
        }
    }

    private func carryOut(_ group: ArraySlice<JournalRequest>) -> [JournalOutcome] {
        guard let file else { return group.map { _ in .failed(failure ?? .closed) } }
        let outcomes = together(group, file) ?? singly(group, file)
        for case (.append(let message), .failed) in zip(group, outcomes) where message.messageClass != .result {
            file.figures[message.messageClass].dropped += 1
            uncounted.insert(message.messageClass)
        }
        if failure == nil {
            count(file)
            do throws(JournalFailure) { try file.boundLog() } catch { fail(error) }
        }
        return outcomes
    }

    /// Carries out a group as a whole; nil when it could not be.
    private func together(_ group: ArraySlice<JournalRequest>, _ file: JournalFile) -> [JournalOutcome]? {
        guard failure == nil else { return nil }
        do throws(JournalFailure) {
            if group.contains(where: { $0.need == .room }) { try file.makeRoom() }
        } catch {
            fail(error)
            return nil
        }
        do throws(JournalFailure) {
            return try file.carryOut(group)
        } catch {
            if error.isPermanent { fail(error) } else { file.shortenLog() }
            return nil
        }
    }

    /// Carries out one after the other what failed as a group, or what a fault lets through.
    private func singly(_ group: ArraySlice<JournalRequest>, _ file: JournalFile) -> [JournalOutcome] {
        // What needs as much as one that failed is not tried: the disk may be slow to say no.
        var refused: JournalRequest.Need? = failure == nil ? nil : .room
        return group.map { request in
            if let failure, failure.isPermanent || refused.map({ request.need >= $0 }) ?? false {
                return .failed(failure)
            }
            do throws(JournalFailure) {
                return try alone(request, file)
            } catch {
                fail(error)
                if request.need > .nothing { refused = min(refused ?? request.need, request.need) }
                return .failed(error)
            }
        }
    }

    /// Carries out one request; what needs room in the log gets a second try with an empty one.
    private func alone(_ request: JournalRequest, _ file: JournalFile) throws(JournalFailure) -> JournalOutcome {
        if request.need == .room { try file.makeRoom() }
        let tends = request.need > .nothing
        do throws(JournalFailure) {
            return try file.carryOut([request], tends: tends)[0]
        } catch {
            guard tends, !error.isPermanent else { throw error }
            file.shortenLog()
        }
        return try file.carryOut([request], tends: tends)[0]
    }

    /// Writes down the drops that could not be written when they happened.
    private func count(_ file: JournalFile) {
        guard !uncounted.isEmpty else { return }
        do throws(JournalFailure) {
            try file.keepDrops(of: uncounted)
            uncounted = []
        } catch {
            fail(error)
        }
    }
}
