/// What runs on the journal's own thread: takes what has gathered, writes it in groups, reports, tidies, sleeps.
struct JournalThread: Sendable {
    /// What the loop puts in.
    enum Item: Sendable {
        case request(JournalRequest)
        case close
    }

    /// What the loop hears.
    struct Report: Sendable {
        var state: JournalState
        var figures: JournalFigures
        /// One for each request, in order.
        var outcomes: [JournalOutcome] = []
        /// With the report that the file is open.
        var summary: (summary: JournalSummary, nextMessage: Int64)?
        var isLast = false
    }

    let settings: JournalSettings
    let inbox: Inbox<Item>
    let report: @Sendable (Report) -> Void

    /// How long nobody must want anything before the files are made smaller, which may take the disk a while.
    private static let quiet = Duration.milliseconds(200)

    /// Runs until it is told to close.
    func run() {
        let keeper = JournalKeeper(settings)
        report(keeper.open())
        while true {
            let quietTime = keeper.isUntidy ? ContinuousClock.now + Self.quiet : nil
            let items = inbox.take(until: [keeper.nextTry, quietTime].compactMap(\.self).min())
            var requests: [JournalRequest] = []
            var isLast = false
            for item in items {
                switch item {
                case .request(let request): requests.append(request)
                case .close: isLast = true
                }
            }
            keeper.carryOut(requests, report)
            if isLast { break }
            if let told = keeper.retry() { report(told) }
            if items.isEmpty, quietTime != nil { report(keeper.tidy { inbox.isEmpty }) }
        }
        report(keeper.close())
    }
}
