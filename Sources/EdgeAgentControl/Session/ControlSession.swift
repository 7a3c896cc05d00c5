internal import EdgeAgent
package import EventLoop
internal import Glibc
internal import MQTT

/// One command's way to the broker, and all that happens on it.
///
/// The event loop is its executor. Commands are extensions: each waits with `next()` and acts on what has happened.
package actor ControlSession {
    package nonisolated let loop: EventLoop
    let invocation: ControlInvocation
    let settings: ControlSettings
    let output: ControlOutput
    private let worker = Worker(limit: 2)

    private var client: MQTTClient?
    private var arrived: [Happening] = []
    private var waiter: CheckedContinuation<Happening, Never>?
    private var tickWaits = false
    private var hasConnected = false
    private var readsLines = false
    /// Whether Ctrl-C has come while a command was out: what would go on by itself ends.
    var isInterrupted = false
    /// Messages that came faster than they were taken; told at the end.
    private(set) var dropped = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ invocation: ControlInvocation, _ settings: ControlSettings, _ output: ControlOutput, on loop: EventLoop) {
        self.invocation = invocation
        self.settings = settings
        self.output = output
        self.loop = loop
    }

    // MARK: What happens

    /// The next thing that happens; only one may wait.
    func next() async -> Happening {
        if let first = takeFirst() { return first }
        return await withCheckedContinuation { continuation in
            if let first = takeFirst() { continuation.resume(returning: first) } else { waiter = continuation }
        }
    }

    /// Takes up what has happened.
    ///
    /// On the loop.
    func happened(_ happening: Happening) {
        if let waiter {
            self.waiter = nil
            waiter.resume(returning: happening)
            return
        }
        if case .tick = happening {
            guard !tickWaits else { return }
            tickWaits = true
        }
        guard arrived.count < 4096 else {
            dropped += 1
            return
        }
        arrived.append(happening)
    }

    private func takeFirst() -> Happening? {
        guard !arrived.isEmpty else { return nil }
        let first = arrived.removeFirst()
        if case .tick = first { tickWaits = false }
        return first
    }

    private func tickLater() {
        loop.schedule(after: .milliseconds(100)) { [weak self] in
            self?.assumeIsolated { session in
                session.happened(.tick)
                session.tickLater()
            }
        }
    }

    // MARK: The broker

    /// Holds the connection to the broker until `close()`.
    func keepConnection() async {
        let client = MQTTClient(
            MQTTConfiguration(settings),
            on: loop,
            onMessage: { [weak self] message in self?.assumeIsolated { $0.happened(.message(message)) } },
            onEvent: { [weak self] event in self?.assumeIsolated { $0.changed(event) } }
        )
        self.client = client
        tickLater()
        do {
            try await client.run()
        } catch {
            let failure = error as? MQTTFailure ?? .library(operation: "run", code: 0, text: "\(error)")
            happened(.notConnected(failure))
        }
    }

    /// Waits for the connection, and gives up at the first failure.
    ///
    /// - Throws: ``ControlFailure`` that says why there is no way.
    func connect() async throws {
        while true {
            switch await next() {
            case .connected: return
            case .notConnected(let failure):
                throw ControlFailure(.broker, "\(settings.broker.withoutUser): \(failure)")
            case .interrupt: throw ControlFailure(.interrupted, [])
            default: continue
            }
        }
    }

    private func changed(_ event: MQTTEvent) {
        switch event {
        case .connected:
            hasConnected = true
            happened(.connected)
        case .connectFailed(let failure, _):
            // Once there was a way the client finds it again, or the wait ends.
            if !hasConnected { happened(.notConnected(failure)) }
        case .subscription(let filter, .granted): happened(.granted(filter))
        case .subscription(let filter, .refused(_, let text)): happened(.refused(filter: filter, reason: text))
        case .subscription(let filter, .unanswered): happened(.refused(filter: filter, reason: "no answer"))
        case .disconnected, .renewed, .fellBack, .closed: break
        }
    }

    /// Subscribes, and returns when the broker has agreed.
    ///
    /// - Throws: ``ControlFailure`` when the broker does not let the caller hear it.
    func subscribe(_ filters: [String]) async throws {
        guard let client else { return }
        try await client.subscribe(filters.map { MQTTSubscription($0) })
        var open = Set(filters)
        var kept: [Happening] = []
        while !open.isEmpty {
            let happening = await next()
            switch happening {
            case .granted(let filter): open.remove(filter)
            case .refused(let filter, let reason):
                throw ControlFailure(.broker, "the broker does not let \(settings.client) hear \(filter): \(reason)")
            case .interrupt: throw ControlFailure(.interrupted, [])
            case .message, .line, .outcome: kept.append(happening)
            case .connected, .notConnected, .tick: break
            }
        }
        // What the broker had kept comes before its answer; nobody was listening yet.
        arrived = kept + arrived
    }

    /// Publishes a text.
    ///
    /// - Throws: ``ControlFailure`` when it cannot be sent.
    func publish(_ payload: [UInt8], to topic: String, expiry: Duration) async throws {
        var publication = MQTTPublication(topic: topic, payload: payload)
        publication.expirySeconds = UInt32(clamping: max(1, expiry.components.seconds))
        publication.contentType = "application/json"
        publication.isText = true
        if let refusal = await client?.publish(publication) {
            throw ControlFailure(.failed, "the command cannot be sent: \(refusal)")
        }
    }

    /// Publishes a state that stays with the broker; what becomes of it comes as a happening.
    ///
    /// - Throws: ``ControlFailure`` when it cannot be sent.
    func retain(_ payload: [UInt8], on topic: String) async throws {
        let publication = MQTTPublication(topic: topic, payload: payload, qos: .atLeastOnce, retain: true)
        let refusal = await client?.publish(publication) { [weak self] outcome in
            self?.assumeIsolated { $0.happened(.outcome(outcome)) }
        }
        if let refusal { throw ControlFailure(.failed, "it cannot be sent: \(refusal)") }
    }

    /// Says goodbye, with a moment for what is still to be sent.
    func close() async { await client?.close(timeout: .seconds(1)) }

    // MARK: The terminal

    /// Has the lines of the standard input come as happenings from now on.
    func readLines() {
        guard !readsLines else { return }
        readsLines = true
        // A thread that waits for a line ends with the process.
        worker.start { [weak self, loop] in
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR { continue }
                if count == 1, byte != UInt8(ascii: "\n") {
                    if line.count < 1024 { line.append(byte) }
                    continue
                }
                let text = count == 1 || !line.isEmpty ? String(decoding: line, as: UTF8.self) : nil
                loop.execute { [weak self] in self?.assumeIsolated { $0.happened(.line(text)) } }
                guard text != nil else { return }
                line = []
            }
        }
    }
}

extension MQTTConfiguration {
    /// The client's settings, with a name of its own at the broker: nobody else's session is taken over.
    fileprivate init(_ settings: ControlSettings) {
        self.init(
            host: settings.broker.host,
            port: settings.broker.port,
            clientID: "ctl-\(settings.client.prefix(24))-\(BootID.make())"
        )
        username = settings.broker.user
        password = settings.password.map { MQTTSecret($0.reveal()) }
        if settings.broker.secure {
            tls = MQTTTLS(
                caFile: settings.caFile,
                certificateFile: settings.certificateFile,
                keyFile: settings.keyFile
            )
        }
        version =
            switch settings.version {
            case .auto: .auto
            case .v5: .v5
            case .v311: .v311
            }
        sessionExpirySeconds = 0
        reconnect.first = .milliseconds(500)
        reconnect.longest = .seconds(5)
        maxPayloadBytes = 16 << 20
    }
}
