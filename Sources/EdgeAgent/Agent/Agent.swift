internal import BleCore
internal import EventLoop
internal import Journal
internal import LocalHTTP
internal import MQTT
internal import Profiles
internal import TaskQueue

/// The agent: takes commands from MQTT, has them carried out over Bluetooth, and tells what came of them.
///
/// An actor on the loop, as the client and the manager are: calls among the three never leave its thread. The work is
/// divided over the extensions; what they share stands here.
actor Agent {
    typealias Queue = QueueState<DeviceAddress, AdapterID, Job, ContinuousClock.Instant>

    /// What runs; ``remote`` says what else is wanted.
    var configuration: Configuration
    var configurationHash: String
    var remote: RemoteControl
    let log: Log
    nonisolated let loop: EventLoop
    let manager: BluetoothManager
    let client: MQTTClient
    let topics: TopicTree
    let directory: DeviceDirectory
    var decoder: CommandDecoder
    let publisher: Publisher
    let audit: AuditLog
    let startTime = ProcessFigures.now()

    /// Where times are measured from that the decoder takes as spans.
    let epoch = ContinuousClock.now
    var queue: Queue
    var running: [DeviceAddress: RunningJob] = [:]
    var queueTimer: (at: ContinuousClock.Instant, id: EventLoop.TimerID)?
    var lastJob = 0
    /// Commands to the gateway and to groups that take time, by their numbers.
    var gatewayJobs: [Int: GatewayJob] = [:]
    var groups: [Int: GroupRun] = [:]
    /// Commands to all gateways that wait out their delay.
    var delayed: [Int: Command] = [:]
    /// All commands that wait or run, by the numbers of their jobs.
    var records: [Int: JobRecord] = [:]
    /// Adapters whose number of links was learned, and when that is forgotten.
    var learnedSlots: [AdapterID: EventLoop.TimerID] = [:]
    /// Commands of each device that came behind one on its way into the journal.
    var arrivals: [DeviceAddress: ArrivalLine] = [:]
    /// What was accepted, on disk; nil without a state directory that can be used.
    var journal: JournalStore?
    /// Why the journal takes nothing now; nil when all is well.
    var journalProblem: String?
    /// Commands of which the journal knows that they may have done something.
    var begun: Set<Int64> = []
    /// What waits until the journal knows that.
    var beginning: [Int64: [OperationScope]] = [:]
    /// Results on their way into the journal, and who waits for them.
    var ending = 0
    var endWaiter: CheckedContinuation<Void, Never>?
    /// Commands of an earlier life that wait for Bluetooth.
    var recovered: [Command] = []
    var isRecovered = false
    /// When a link of each adapter ended last.
    var lastLinkEnds: [AdapterID: ContinuousClock.Instant] = [:]
    /// How many devices waited for a link of each adapter when it was told last.
    var toldWaiting: [AdapterName: Int] = [:]
    /// What was done last about each adapter.
    var lastSteps: [AdapterName: AdapterMessage.Recovery] = [:]
    var isHelperRunning = false
    /// The adapters that were on when they were told last.
    var poweredAdapters: Set<AdapterName> = []
    var recent = RecentCommands()
    var window: ReplayWindow

    var sessions: [SessionName: ScanSession] = [:]
    let subscriptions = SubscriptionTable()
    /// Devices whose subscriptions of an earlier life are being made again, and when that is tried anew.
    var standing: Set<DeviceAddress> = []
    var standTimers: [DeviceAddress: EventLoop.TimerID] = [:]
    /// Where the subscriptions are kept that are to survive; nil without a state directory that can be used.
    var subscriptionFile: StateFile?
    /// Where the lasting scans are kept that are to survive, and those of an earlier life that wait for Bluetooth.
    var scanFile: StateFile?
    var waitingScans: [SessionName: DurableScans.Record] = [:]
    /// Why nothing can be kept now; nil when all is well.
    var stateProblem: String? = "not opened yet"
    var advertisementObserver: Int?
    /// When the window for pairings that devices begin closes: as told, and the timer that tells it.
    var pairingWindow: (endsMs: Int64, timer: EventLoop.TimerID)?
    /// Scans that a command waits for.
    var scansUnderWay = 0
    /// The last scans that ended, whose state is still retained.
    var endedSessions = FIFO<SessionName>()

    /// Devices whose retained topics are kept, with the moment of their last use; configured ones stay for ever.
    var devicesInUse: [DeviceAddress: ContinuousClock.Instant] = [:]
    /// Devices whose link was told to be up.
    var linked: Set<DeviceAddress> = []
    var idleTimers: [DeviceAddress: EventLoop.TimerID] = [:]
    /// Devices whose services have just changed, until the last of the changes has come.
    var servicesTimers: [DeviceAddress: EventLoop.TimerID] = [:]
    /// The rules for links, and which links are to be made again by them.
    var rulebook: LinkRulebook
    var keeper: LinkKeeper
    var keeperTimer: EventLoop.TimerID?
    /// Tries of the keeper's that are under way.
    var linkTries: [DeviceAddress: OperationScope] = [:]
    /// Which links are this agent's, and devices whose link a command of an earlier life has ended.
    var ownLinks = OwnLinks()
    var pausedBefore: Set<DeviceAddress> = []
    /// Where that is kept, what stands there, and when the next of it is out of date.
    var linkFile: StateFile?
    var ownLinkFile: StateFile?
    var keptLinks = KeptLinks()
    var keptOwn: [DeviceAddress] = []
    var linksTimer: EventLoop.TimerID?
    /// Which devices are there, and how long each may be silent by the configuration.
    var availability = Availability()
    let intervals: [DeviceAddress: Duration]
    var availabilityTimer: EventLoop.TimerID?
    /// What devices are by their profiles, and what they have told.
    var profiles: DeviceProfiles
    /// Where that is kept of the configured devices, and what stands there.
    var profileFile: StateFile?
    var keptProfiles = KeptProfiles()
    var stateTimer: (at: Duration, id: EventLoop.TimerID)?
    /// When values of characteristics are read next.
    var valueTurns: [DeviceAddress: ValueTurn] = [:]
    /// What makes BlueZ listen for values in advertisements.
    var valueDemand: Int?
    /// What Home Assistant is told; nil where it is told nothing and nothing is to be taken back.
    var homeAssistant: HomeAssistantState?
    /// What makes the keeper hear devices that are away.
    var keeperListens: (demand: Int, observer: Int)?

    var counters = HealthMessage.Counters()
    /// What the scans that have ended had coalesced.
    var coalescedBefore: Int64 = 0
    var notificationsDropped: Int64 = 0
    var connection: MQTTConnection?
    var lastRepair: ContinuousClock.Instant?
    /// The state of Bluetooth that was told last.
    var bluetooth: BluetoothState?
    /// When Bluetooth or the broker last came back, in milliseconds since 1970-01-01 UTC.
    var lastRecoveryMs: Int64?
    var repairIsDue = false
    /// Filters that the broker would not have.
    var refusedFilters: Set<String> = []
    var limiter = LogRateLimiter<String>()
    var isStopping = false
    var healthTimer: EventLoop.TimerID?
    /// When the level of the log that a command has set ends.
    var logLevelTimer: EventLoop.TimerID?
    /// Ends the process so that it is started again.
    var onRestart: (@Sendable () -> Void)?
    /// The endpoint for figures; nil when none is asked for.
    var metricsServer: LocalServer?
    /// Resumed when the last running job has its result.
    var stopWaiter: CheckedContinuation<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Puts the parts together; `client` and `manager` are to call the agent's entries on the loop.
    init(
        start: RemoteStart,
        log: Log,
        loop: EventLoop,
        manager: BluetoothManager,
        client: MQTTClient,
        topics: TopicTree,
        boot: String
    ) {
        let configuration = start.configuration
        self.configuration = configuration
        configurationHash = ConfigurationText.hash(configuration)
        remote = RemoteControl(start)
        self.log = log
        self.loop = loop
        self.manager = manager
        self.client = client
        self.topics = topics
        decoder = CommandDecoder(configuration, topics: topics)
        directory = decoder.devices
        rulebook = LinkRulebook(configuration)
        let intervals = configuration.devices.compactMap { device in
            DeviceAddress(device.address).flatMap { address in device.interval.map { (address, $0) } }
        }
        self.intervals = Dictionary(intervals) { first, _ in first }
        profiles = DeviceProfiles(configuration)
        keeper = LinkKeeper(LinkKeeper.Gaps(configuration.links))
        window = ReplayWindow(
            bounds: ReplayWindow.Bounds(
                span: configuration.limits.replayWindow,
                commands: configuration.limits.replayCommands,
                bytes: configuration.limits.replayBytes
            )
        )
        audit = AuditLog(configuration, gateway: topics.gateway, boot: boot, log: log, loop: loop)
        publisher = Publisher(
            topics: topics,
            boot: boot,
            qos: configuration.mqtt.qos,
            client: client,
            loop: loop,
            log: log
        )
        queue = Queue(
            limits: Queue.Limits(
                perDevice: configuration.limits.maximumQueuedPerDevice,
                total: configuration.limits.maximumQueuedTotal
            )
        )
    }

    /// How a device is called in topics and bodies.
    func target(_ address: DeviceAddress) -> DeviceTarget {
        DeviceTarget(address: address, name: directory.name(of: address))
    }
}

extension DeviceProfiles {
    /// The profiles of a configuration that has been checked, with the built-in ones alone.
    init(_ configuration: Configuration) {
        let bound = configuration.devices.compactMap { device in
            DeviceAddress(device.address).flatMap { address in device.profile.map { (address, $0) } }
        }
        self.init(library: .builtIn(), bound: Dictionary(bound) { first, _ in first }, pace: Pace(configuration))
    }
}

extension DeviceProfiles.Pace {
    init(_ configuration: Configuration) {
        self.init()
        minimum = configuration.values.minimumInterval
        repetition = configuration.values.repetition
    }
}

extension LinkRulebook {
    /// The rules of a configuration that has been checked.
    init(_ configuration: Configuration) {
        let set = configuration.devices.compactMap { device in
            DeviceAddress(device.address).map { ($0, device.link) }
        }.filter { !$0.1.isEmpty }
        self.init(configuration.links.rules, configured: Dictionary(set) { first, _ in first })
    }
}

extension LinkKeeper.Gaps {
    init(_ links: LinksConfiguration) {
        self.init()
        (first, longest, held) = (links.reconnectMinimum, links.reconnectMaximum, links.held)
    }
}

extension GroupDirectory {
    /// The groups of a configuration that has been checked.
    init(_ groups: [GroupConfiguration], _ devices: DeviceDirectory) {
        var members: [GroupName: [DeviceTarget]] = [:]
        for group in groups {
            guard let name = GroupName(group.name) else { continue }
            members[name] = group.members.compactMap { member in
                guard let name = DeviceName(member), let address = devices.address(of: name) else { return nil }
                return DeviceTarget(address: address, name: devices.name(of: address))
            }
        }
        self.init(members)
    }
}
