/// One device's verbs in order, on one link, with no other job of the device between.
package struct SequenceRequest: Sendable, Equatable {
    /// What follows a step that is not `ok`.
    package enum OnError: String, Sendable, CaseIterable {
        /// The steps behind it are not begun.
        case stop
        case `continue`
    }

    /// One verb of the sequence.
    package struct Step: Sendable, Equatable {
        package var request: VerbRequest
        /// How long it may take; never longer than what is left of the sequence's time.
        package var timeout: Duration
        package var retry: RetryRequest

        package init(_ request: VerbRequest, timeout: Duration? = nil, retry: RetryRequest = RetryRequest()) {
            self.request = request
            self.timeout = timeout ?? request.defaultTimeout
            self.retry = retry
        }
    }

    /// The most steps.
    package static let maxSteps = 32

    /// At least one.
    package var steps: [Step]
    package var onError: OnError

    package init(steps: [Step], onError: OnError = .stop) {
        self.steps = steps
        self.onError = onError
    }
}

/// What may be tried again when it fails.
package struct RetryRequest: Sendable, Equatable {
    /// The most tries after the first; nil: as many as the time allows.
    package var max: Int?
    /// Whether the operation does no harm when it is done twice.
    package var isIdempotent: Bool
    /// Whether the caller has said anything about it.
    package var isGiven: Bool

    /// Only the making of a link is tried again, for as long as the time allows.
    package init() {
        max = nil
        isIdempotent = false
        isGiven = false
    }

    package init(max: Int?, isIdempotent: Bool = false) {
        self.max = max
        self.isIdempotent = isIdempotent
        isGiven = true
    }
}

/// Which job of the same device comes first.
package enum CommandPriority: String, Sendable, CaseIterable {
    case urgent, normal, low
}

/// How a command to a group is spread over its members.
package struct GroupSpread: Sendable, Equatable {
    package static let defaultConcurrency = 4

    /// How many members are at work at the same time.
    package var concurrency: Int
    /// Each member starts after a random delay of up to this.
    package var jitter: Duration

    package init(concurrency: Int = Self.defaultConcurrency, jitter: Duration = .zero) {
        self.concurrency = concurrency
        self.jitter = jitter
    }
}

/// The name of one job: who sent its command, and what the command is called.
package struct JobReference: Sendable, Hashable {
    package var client: String
    /// The text of the id.
    package var id: String

    package init(client: String, id: String) {
        self.client = client
        self.id = id
    }
}

/// Lists the jobs that wait and run.
package struct JobsRequest: Sendable, Equatable {
    /// Only those of one device.
    package var device: DeviceTarget?
    package var page: Page<Int>

    package init(device: DeviceTarget? = nil, page: Page<Int> = Page()) {
        self.device = device
        self.page = page
    }
}

/// Which jobs a `cancel` is for.
package enum CancelRequest: Sendable, Equatable {
    case job(JobReference)
    case device(DeviceTarget)
    case all
}

/// The part of a long answer that is wanted.
package struct Page<Key: Sendable & Equatable>: Sendable, Equatable {
    /// The most entries; nil: as many as a result may hold.
    package var limit: Int?
    /// The last entry of the page before.
    package var after: Key?

    package init(limit: Int? = nil, after: Key? = nil) {
        self.limit = limit
        self.after = after
    }

    /// The wanted part of entries that stand in order of their keys.
    ///
    /// - Parameters:
    ///   - entries: All entries behind `after`.
    ///   - room: How many entries a result may hold.
    /// - Returns: The part, and whether entries are left behind it.
    package func part<Entry>(of entries: some Collection<Entry>, room: Int) -> (entries: [Entry], isTruncated: Bool) {
        let count = max(1, min(limit ?? room, room))
        return (Array(entries.prefix(count)), entries.count > count)
    }
}
