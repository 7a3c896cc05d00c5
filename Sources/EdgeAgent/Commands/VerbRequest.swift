package import BleCore
package import Frames

/// What a command asks for, with the fields of its verb.
package indirect enum VerbRequest: Sendable, Equatable {
    case ping
    case info
    case devices(DevicesRequest)
    case scan(ScanCommand)
    case scanStart(ScanStartCommand)
    case scanStop(ScanStopCommand)
    case adapterPower(AdapterPowerRequest)
    /// Connects to the device that the topic names; what it says of the link holds from then on.
    case connect(LinkSettings? = nil)
    /// Connects to a device that a filter finds.
    case connectMatching(ConnectMatchingRequest)
    case disconnect(DisconnectRequest)
    case discover(DiscoverRequest)
    case read(ReadRequest)
    case write(WriteRequest)
    case subscribe(SubscribeRequest)
    case unsubscribe(UnsubscribeRequest)
    case transact(TransactRules)
    case rssi
    case run(RunRequest)
    /// Pairs the device that the topic names.
    case pair(PairRequest)
    /// Lets devices pair that begin it themselves.
    case pairingWindow(PairingWindowRequest)
    case pairAnswer(PairAnswerRequest)
    case unpair
    case trust(TrustRequest)
    case forget
    case sequence(SequenceRequest)
    case jobs(JobsRequest)
    case job(JobReference)
    case cancel(CancelRequest)
    case logLevel(LogLevelRequest)
    case configGet(ConfigGetRequest)
    case restart
    case diag

    package var name: VerbName {
        switch self {
        case .ping: .ping
        case .info: .info
        case .devices: .devices
        case .scan: .scan
        case .scanStart: .scanStart
        case .scanStop: .scanStop
        case .adapterPower: .adapterPower
        case .connect, .connectMatching: .connect
        case .disconnect: .disconnect
        case .discover: .discover
        case .read: .read
        case .write: .write
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .transact: .transact
        case .rssi: .rssi
        case .run: .run
        case .pair, .pairingWindow: .pair
        case .pairAnswer: .pairAnswer
        case .unpair: .unpair
        case .trust: .trust
        case .forget: .forget
        case .sequence: .sequence
        case .jobs: .jobs
        case .job: .job
        case .cancel: .cancel
        case .logLevel: .logLevel
        case .configGet: .configGet
        case .restart: .restart
        case .diag: .diag
        }
    }

    /// Whether the command changes something: on a device, on the gateway, or in what the agent publishes.
    package var changesSomething: Bool {
        switch self {
        case .discover(let request): request.refresh
        case .sequence(let request): request.steps.contains { $0.request.changesSomething }
        case .run(let request): request.resolved?.isReadOnly != true
        default: name.changesSomething
        }
    }

    /// Whether the command is in the journal before it is carried out.
    ///
    /// The answer to a prompt is not: it may hold a code, and the prompt ends with the process.
    package var isJournalled: Bool {
        if case .pairAnswer = self { false } else { changesSomething }
    }

    /// How long the verb may take when the command does not say.
    package var defaultTimeout: Duration {
        switch self {
        case .rssi: .seconds(1)
        case .ping, .info, .devices, .jobs, .job, .cancel, .disconnect, .unsubscribe, .pairingWindow, .pairAnswer,
            .unpair, .trust, .forget, .restart:
            .seconds(5)
        case .logLevel, .configGet: .seconds(5)
        case .scanStart, .scanStop: .seconds(10)
        case .connect, .connectMatching, .read, .write, .subscribe, .adapterPower: .seconds(20)
        case .discover: .seconds(30)
        case .pair, .diag: .seconds(60)
        case .transact, .run, .sequence: .seconds(120)
        // The scan itself, and the time to start and end it.
        case .scan(let scan): scan.duration + .seconds(10)
        }
    }
}

/// Lists known devices.
package struct DevicesRequest: Sendable, Equatable {
    /// Only those that have a link (`true`) or have none (`false`).
    package var connected: Bool?
    /// Only those with a bond (`true`) or without one (`false`).
    package var bonded: Bool?
    package var page: Page<DeviceAddress>

    package init(connected: Bool? = nil, bonded: Bool? = nil, page: Page<DeviceAddress> = Page()) {
        self.connected = connected
        self.bonded = bonded
        self.page = page
    }
}

/// Switches an adapter on or off.
package struct AdapterPowerRequest: Sendable, Equatable {
    package var on: Bool

    package init(on: Bool) { self.on = on }
}

/// Connects to a device of which only its advertisement is known.
package struct ConnectMatchingRequest: Sendable, Equatable {
    /// Which of the devices that match.
    package enum Pick: String, Sendable, CaseIterable {
        /// The one that is heard first.
        case first
        /// The one that is heard best.
        case strongest
    }

    /// Has at least one condition.
    package var match: ScanRequest
    package var pick: Pick
    /// What holds for the link from then on.
    package var link: LinkSettings?

    package init(match: ScanRequest, pick: Pick = .first, link: LinkSettings? = nil) {
        self.match = match
        self.pick = pick
        self.link = link
    }
}

/// Ends a device's link.
package struct DisconnectRequest: Sendable, Equatable {
    /// Whether the running job is cancelled first.
    package var now: Bool
    /// What holds for the link from then on.
    package var link: LinkSettings?

    package init(now: Bool = false, link: LinkSettings? = nil) {
        self.now = now
        self.link = link
    }
}

/// Finds a device's services.
package struct DiscoverRequest: Sendable, Equatable {
    /// The services that are wanted; empty means all.
    package var services: [BluetoothUUID]
    /// The characteristics that are wanted; empty means all.
    package var characteristics: [BluetoothUUID]
    /// Forgets the device and finds it again.
    package var refresh: Bool

    package init(services: [BluetoothUUID] = [], characteristics: [BluetoothUUID] = [], refresh: Bool = false) {
        self.services = services
        self.characteristics = characteristics
        self.refresh = refresh
    }
}
