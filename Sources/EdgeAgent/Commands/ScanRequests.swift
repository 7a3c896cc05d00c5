package import BleCore

/// Listens for a while and answers with what was heard.
package struct ScanCommand: Sendable, Equatable {
    package var filter: ScanRequest
    package var duration: Duration
    /// Whether it is told what profiles read from the advertisements.
    package var decodes = false

    package static let defaultDuration: Duration = .milliseconds(5000)

    package init(filter: ScanRequest = ScanRequest(), duration: Duration = Self.defaultDuration) {
        self.filter = filter
        self.duration = duration
    }
}

/// Which reports of a device a lasting scan publishes.
package enum ScanEmit: Sendable, Equatable {
    /// The first only.
    case first
    /// Those that say something new, the signal strength apart.
    case change
    /// All.
    case all
    /// The last one of each such span.
    case every(Duration)
}

/// How many devices a message of a lasting scan holds.
package struct ScanBatch: Sendable, Equatable {
    package var maxDevices: Int
    /// How long the first one may wait for more.
    package var maxDelay: Duration

    /// Each report at once, in a message of its own.
    package static let none = ScanBatch(maxDevices: 1, maxDelay: .zero)

    package init(maxDevices: Int, maxDelay: Duration) {
        self.maxDevices = maxDevices
        self.maxDelay = maxDelay
    }
}

/// Starts a lasting scan.
package struct ScanStartCommand: Sendable, Equatable {
    package var filter: ScanRequest
    /// The agent makes a name when there is none.
    package var session: SessionName?
    package var emit: ScanEmit
    package var batch: ScanBatch
    /// Until stopped when there is none.
    package var duration: Duration?
    /// Whether it is to survive a restart of the agent.
    package var isDurable: Bool
    /// Whether it is told what profiles read from the advertisements.
    package var decodes = false

    package init(
        filter: ScanRequest = ScanRequest(),
        session: SessionName? = nil,
        emit: ScanEmit = .change,
        batch: ScanBatch = .none,
        duration: Duration? = nil,
        isDurable: Bool = false
    ) {
        self.filter = filter
        self.session = session
        self.emit = emit
        self.batch = batch
        self.duration = duration
        self.isDurable = isDurable
    }
}

/// Stops a lasting scan.
package struct ScanStopCommand: Sendable, Equatable {
    package var session: SessionName

    package init(session: SessionName) { self.session = session }
}
