internal import BleCore
internal import EventLoop
internal import Journal
internal import MQTT

/// Gives every message its stamp, its quality of service and its place in the client's queue, and keeps what is
/// retained so that it can be published again.
///
/// Confined to the agent.
final class Publisher {
    let topics: TopicTree
    let boot: String
    var qos: MQTTQualityOfService
    let outbox: Outbox
    private let client: MQTTClient
    private let loop: EventLoop
    private let log: Log
    private let observers: Observers
    private var counters = SequenceCounters()
    private var retained: [String: [UInt8]] = [:]
    /// Where the scan's message before went: most go there again.
    private var scanTopic: (session: SessionName, topic: String)?
    private(set) var results = ResultEncoder()
    /// What the agent said last on its status topic.
    private(set) var lastStatus: [UInt8] = []
    /// Results published, and other messages that found no place.
    private(set) var published: Int64 = 0
    private var refused: Int64 = 0
    var dropped: Int64 { refused + observers.dropped }

    init(
        topics: TopicTree,
        boot: String,
        qos: MQTTQualityOfService,
        client: MQTTClient,
        loop: EventLoop,
        log: Log
    ) {
        self.topics = topics
        self.boot = boot
        self.qos = qos
        self.client = client
        self.loop = loop
        self.log = log
        outbox = Outbox(client: client, loop: loop, log: log)
        observers = Observers(client: client, loop: loop)
        observers.encode = { [weak self] in self?.publication(of: $0) }
    }

    /// Bounds results by what the broker takes; nil: by nothing but the configuration.
    func limitResults(to bytes: Int) { results.maxResultBytes = bytes }

    // MARK: Messages

    /// Puts a final result into the bytes that go out, now and whenever it is asked for again.
    func encode(_ body: ResultBody) -> EncodedResult { results.encode(body, stamp: stamp(.result)) }

    /// The message that carries a result to one who asked for it.
    func publication(of result: EncodedResult, to reply: ReplyAddress, replayed: Bool = false) -> MQTTPublication {
        let payload = replayed ? result.replayedPayload : result.payload
        var publication = publication(reply.topic, payload, .result, .required)
        publication.correlationData = reply.correlationData
        publication.contentType = EncodedResult.contentType
        publication.isText = true
        publication.userProperties = result.userProperties.map { MQTTUserProperty($0.name, $0.value) }
        return publication
    }

    /// Publishes a result to one who asked for it.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - reply: Where it goes.
    ///   - replayed: Whether it was told before.
    ///   - settled: Called when the broker has it, or when it will never have it: it refused it, or could not take it.
    func publish(
        _ result: EncodedResult,
        to reply: ReplyAddress,
        replayed: Bool = false,
        settled: (@Sendable () -> Void)? = nil
    ) {
        published += 1
        let publication = publication(of: result, to: reply, replayed: replayed)
        outbox.send(publication, .result, nowMs: UTCTime.now.millisecondsSince1970) { _ in settled?() }
    }

    /// Sends what was published at once, not at the end of the loop's turn.
    func flush() { client.assumeIsolated { $0.flush() } }

    /// Publishes a result that the journal holds.
    func send(_ publication: MQTTPublication, kept id: Int64) {
        published += 1
        outbox.send(publication, kept: id)
    }

    /// Publishes a step before the result to the caller that asked for it.
    func publishStep(_ body: ResultBody) {
        let encoded = results.encode(body, stamp: stamp(.result))
        publish(encoded, to: encoded.reply)
    }

    /// Publishes a step of a device's job for observers, a moment later.
    func observe(_ body: ResultBody) {
        guard let device = body.origin.device else { return }
        observers.tell(.step(body), of: device, timeMs: UTCTime.now.millisecondsSince1970)
    }

    /// The same for a result that was encoded for its caller.
    func observe(_ result: EncodedResult, of device: DeviceTarget) {
        observers.tell(.result(result), of: device, timeMs: UTCTime.now.millisecondsSince1970)
    }

    /// The link is new: nothing is known of who subscribes.
    func linkIsUp() {
        observers.tellAll()
        outbox.linkIsUp()
    }

    func publish(_ message: EventMessage) {
        let topic = topics.device(message.device.name).event
        let stamp = stamp(.event)
        outbox.send(publication(topic, message.encode(stamp), .event, .ordered), .event, nowMs: stamp.timeMs)
    }

    /// Publishes what happens to a prompt of a pairing.
    ///
    /// Never kept on disk: it may show a code, and it is of no use later.
    func publish(_ message: PairingMessage) {
        let stamp = stamp(.other)
        var publication = publication(topics.pair, message.encode(stamp), .other, .ordered)
        publication.expirySeconds = UInt32(clamping: max(1, (message.expiresMs - stamp.timeMs + 999) / 1000))
        send(publication)
    }

    /// Publishes a value that a device sent; the completion tells when it had to be dropped.
    func publish(
        _ message: NotifyMessage,
        to topic: String,
        retain: Bool,
        dropped: @escaping @Sendable () -> Void
    ) {
        let stamp = stamp(.notify)
        let bytes = message.encode(stamp)
        if retain { retained[topic] = bytes }
        let publication = publication(topic, bytes, .notify, .ordered, retain: retain)
        outbox.send(publication, .notification, nowMs: stamp.timeMs) { arrived in
            if !arrived { dropped() }
        }
    }

    /// Whether what a scan hears goes on its way now; else the newest of each device may as well wait for that.
    ///
    /// Each report is promised with `all`: these wait in the queue, as long as it is not half full.
    func hasRoom(for emit: ScanEmit) -> Bool {
        let backlog = client.assumeIsolated { $0.backlog }
        return emit == .all ? backlog < .pastHalf : backlog == .none
    }

    /// Publishes what a scan heard; false when there was no place for it.
    func publish(_ message: ScanBatchMessage) -> Bool {
        let topic: String
        if let scanTopic, scanTopic.session == message.session {
            topic = scanTopic.topic
        } else {
            topic = topics.scan(message.session)
            scanTopic = (message.session, topic)
        }
        return send(publication(topic, message.encode(stamp(.scan)), .scan, .expendable))
    }

    // MARK: Retained state

    /// Publishes a retained state and keeps it for later connects.
    func retain(_ topic: String, _ messageClass: MessageClass = .other, _ encode: (MessageStamp) -> [UInt8]) {
        let bytes = encode(stamp(messageClass))
        retained[topic] = bytes
        send(state(topic, bytes))
    }

    /// The same with the broker's acknowledgement, whatever the quality of service of the class is.
    func retain(
        _ topic: String,
        _ encode: (MessageStamp) -> [UInt8],
        done: @escaping @Sendable (MQTTOutcome) -> Void
    ) {
        let bytes = encode(stamp(.other))
        retained[topic] = bytes
        var publication = state(topic, bytes)
        publication.qos = .atLeastOnce
        let refusal = client.assumeIsolated { $0.publish(publication, completion: done) }
        if refusal != nil { refused += 1 }
    }

    /// The same for a bare text, which has no stamp.
    func retain(_ topic: String, text: String) { retain(topic, bytes: Array(text.utf8)) }

    /// The same for bytes without a stamp.
    func retain(_ topic: String, bytes: [UInt8]) {
        retained[topic] = bytes
        send(state(topic, bytes))
    }

    /// Takes a retained topic away from the broker.
    func clear(_ topic: String) {
        retained[topic] = nil
        send(state(topic, []))
    }

    /// Takes away all retained topics below a device.
    func clearDevice(_ name: DeviceName) {
        let topics = topics.device(name)
        let own = [topics.link, topics.state, topics.avail, topics.gatt]
        let notify = topics.notifyPrefix
        for topic in retained.keys where own.contains(topic) || topic.hasPrefix(notify) { clear(topic) }
    }

    /// Says that the agent is there, before anything else that waits.
    func announce(_ status: StatusMessage) {
        lastStatus = status.encode(stamp(.other))
        var publication = state(topics.status, lastStatus)
        publication.first = status == .online
        send(publication)
    }

    /// Says goodbye; the completion comes with the broker's acknowledgement or when there will be none.
    func sayOffline(_ done: @escaping @Sendable () -> Void) {
        observers.tellAll()
        lastStatus = StatusMessage.offline.encode(stamp(.other))
        let publication = state(topics.status, lastStatus)
        let refusal = client.assumeIsolated { $0.publish(publication) { _ in done() } }
        if refusal != nil { done() }
    }

    /// Publishes a discovery message, or takes one away; false when there was no place for it.
    ///
    /// It is not kept here: the announcer says it again when that is needed. Of two steps of one topic each goes out.
    func announce(_ topic: String, _ payload: [UInt8]) -> Bool {
        send(publication(topic, payload, .other, .required, retain: true))
    }

    /// Publishes what is retained of some topics again, in their order.
    func renew(_ topics: [String]) {
        for topic in topics {
            if let bytes = retained[topic] { send(state(topic, bytes)) }
        }
    }

    /// Publishes all that is retained again.
    func renew() {
        for (topic, bytes) in retained { send(state(topic, bytes)) }
    }

    // MARK: Private

    private func publication(of told: Observers.Told) -> MQTTPublication {
        let stamp = stamp(.job, timeMs: told.timeMs)
        let payload =
            switch told.content {
            case .step(let body): results.encode(body, stamp: stamp).payload
            case .result(let result): result.payload(stamped: stamp)
            }
        return publication(topics.device(told.device.name).job, payload, .job, .ordered)
    }

    private func state(_ topic: String, _ bytes: [UInt8]) -> MQTTPublication {
        var publication = publication(topic, bytes, .other, .required, retain: true)
        publication.replaces = true
        return publication
    }

    private func publication(
        _ topic: String,
        _ payload: [UInt8],
        _ messageClass: MessageClass,
        _ delivery: MQTTDeliveryClass,
        retain: Bool = false
    ) -> MQTTPublication {
        let level = qos[messageClass]
        return MQTTPublication(
            topic: topic,
            payload: payload,
            qos: level == 0 ? .atMostOnce : .atLeastOnce,
            retain: retain,
            delivery: delivery
        )
    }

    @discardableResult
    private func send(_ publication: MQTTPublication) -> Bool {
        let refusal = client.assumeIsolated { $0.publish(publication) }
        if refusal != nil { refused += 1 }
        return refusal == nil
    }

    private func stamp(
        _ messageClass: MessageClass,
        timeMs: Int64 = UTCTime.now.millisecondsSince1970
    ) -> MessageStamp {
        MessageStamp(gateway: topics.gateway, boot: boot, seq: counters.next(messageClass), timeMs: timeMs)
    }
}

extension MQTTQualityOfService {
    /// The quality of service of a class.
    subscript(messageClass: MessageClass) -> Int {
        switch messageClass {
        case .result: result
        case .job: job
        case .event: event
        case .notify: notify
        case .scan: scan
        case .other: other
        }
    }
}
