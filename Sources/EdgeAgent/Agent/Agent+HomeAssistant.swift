internal import BleCore
internal import EventLoop
internal import MQTT

/// What the agent has of Home Assistant: what it is told, and what is kept of that.
struct HomeAssistantState {
    var announcer: Announcer
    /// Where it is kept what was announced; nil without a state directory that can be used.
    var file: StateFile?
    /// What stands there, and whether more is on its way.
    var saved: AnnouncedDevices
    var isSaving = false
    var timer: EventLoop.TimerID?
}

/// Telling Home Assistant what there is.
extension Agent {
    /// How long after its birth message a server is told everything, by chance: it hears other gateways too.
    private static let birthDelay = 1.0...5.0
    /// How long a message waits that found no place on its way to the broker.
    private static let refusedGap = Duration.seconds(1)

    /// Takes up what an earlier life has announced, and announces what there is now.
    ///
    /// Where nothing is to be announced that ends as soon as nothing is left of the past.
    func startHomeAssistant(_ announced: AnnouncedDevices?, in file: StateFile?) {
        let isEnabled = configuration.homeAssistant.isEnabled
        let announced = announced ?? AnnouncedDevices()
        guard isEnabled || !announced.records.isEmpty else { return }
        homeAssistant = HomeAssistantState(announcer: Announcer(announced), file: file, saved: announced)
        announceDevices()
    }

    /// Where Home Assistant says that it has started, when that is of interest.
    var birthTopic: String? { homeAssistant == nil ? nil : configuration.homeAssistant.birthTopic }

    /// Says what there is to announce; to be called whenever it may be something else.
    func announceDevices() {
        guard homeAssistant != nil else { return }
        var all: [DeviceAnnouncement] = []
        if configuration.homeAssistant.isEnabled {
            let identities = configuration.homeIdentities
            all.append(DeviceAnnouncement(gateway: topics, identities: identities))
            all += deviceAnnouncements
        }
        // What another gateway announces is not for this one to take away.
        for topic in foreignAnnouncements { homeAssistant?.announcer.abandon(topic) }
        homeAssistant?.announcer.want(all, at: .now)
        announce()
    }

    /// The broker is there.
    func homeBrokerConnected(isSessionKept: Bool) {
        homeAssistant?.announcer.connected(isSessionKept: isSessionKept, at: .now)
        announce()
    }

    func homeBrokerDisconnected() { homeAssistant?.announcer.disconnected() }

    /// Takes up a message of Home Assistant's own; false when it is none.
    func homeAssistantSpoke(_ message: MQTTMessage) -> Bool {
        guard homeAssistant != nil, message.topic == configuration.homeAssistant.birthTopic else { return false }
        if message.payload.elementsEqual("online".utf8) {
            log.info("Home Assistant has started", [.topic: message.topic])
            let delay = Duration.seconds(Double.random(in: Self.birthDelay))
            homeAssistant?.announcer.serverCame(at: .now, delay: delay)
            announce()
        } else if message.payload.elementsEqual("offline".utf8) {
            homeAssistant?.announcer.serverWent()
        }
        return true
    }

    /// Publishes what is due, once it is on the disk what the broker is going to hold.
    private func announce() {
        guard let state = homeAssistant, !state.isSaving, !isStopping else { return }
        if let file = state.file, state.announcer.record != state.saved {
            homeAssistant?.isSaving = true
            let record = state.announcer.record
            file.save(record.encode()) { [weak self] failure in
                self?.assumeIsolated { agent in
                    agent.noteState(failure)
                    agent.homeAssistant?.isSaving = false
                    agent.homeAssistant?.saved = record
                    agent.announce()
                }
            }
            return
        }
        for action in homeAssistant?.announcer.due(at: .now) ?? [] { carryOut(action) }
        if homeAssistant?.file != nil, let state = homeAssistant, state.announcer.record != state.saved {
            return announce()
        }
        armHomeTimer()
    }

    /// Writes down what was announced and taken back last.
    func keepAnnouncements() async {
        guard let state = homeAssistant, let file = state.file, state.announcer.record != state.saved else { return }
        _ = await file.save(state.announcer.record.encode())
    }

    private func carryOut(_ action: Announcer.Action) {
        switch action {
        case .publish(let topic, let payload):
            log.debug("Announced", [.topic: topic, .bytes: String(payload.count)])
            guard !publisher.announce(topic, payload) else { return }
            homeAssistant?.announcer.refused(topic, until: .now + Self.refusedGap)
        case .renewStates:
            let names = directory.devices.map { topics.device(directory.name(of: $0)) }
            publisher.renew([topics.bluetooth, topics.health] + names.map(\.avail) + names.map(\.state))
        }
    }

    private func armHomeTimer() {
        if let timer = homeAssistant?.timer { loop.cancel(timer) }
        // Made first: what is assigned to must not be read meanwhile.
        let timer = homeAssistant?.announcer.nextDeadline.map { deadline in
            loop.schedule(at: deadline) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.homeAssistant?.timer = nil
                    agent.announce()
                }
            }
        }
        homeAssistant?.timer = timer
    }
}
