import EdgeAgent
import PaceSupport
import TestSupport
import Testing

/// Devices come, change and go, while agent, broker and server die and return.
@Suite(.timeLimit(.minutes(10)))
struct AnnouncerWalkTests {
    @Test(.apart, arguments: 0..<20 as Range<UInt64>)
    func `whatever happens, in the end the server knows what there is and nothing else`(part: UInt64) {
        for seed in (part * 20)..<(part * 20 + UInt64(Rounds.of(20))) {
            var walk = AnnouncerWalk(seed: seed)
            for _ in 0..<60 { walk.step() }
            walk.finish()
            let wanted = ModelServer.entities(walk.wanted)
            #expect(walk.server.registry == wanted, "seed \(seed)")
            let held = Dictionary(uniqueKeysWithValues: walk.wanted.map { ($0.topic, $0.encode()) })
            #expect(walk.server.retained == held, "seed \(seed)")
            #expect(walk.server.touched.isSubset(of: walk.everWanted))
            #expect(walk.announcer.record.records.map(\.topic) == walk.wanted.map(\.topic).sorted(), "seed \(seed)")
            #expect(!walk.announcer.hasRemains && walk.announcer.nextDeadline == nil)
        }
    }
}

/// One random walk.
private struct AnnouncerWalk {
    private var random: SeededRandom
    var announcer = Announcer()
    var server = ModelServer()
    var wanted: [DeviceAnnouncement] = []
    var everWanted: Set<String> = []
    private var disk = AnnouncedDevices()
    private var isConnected = false
    /// A birth message that is on its way.
    private var birth: ContinuousClock.Instant?
    private var now = ContinuousClock.now

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func step() {
        switch below(12) {
        case 0: restartAgent()
        case 1: setConnected(!isConnected, isSessionKept: below(2) == 0)
        case 2: server.isRunning ? stopServer() : startServer()
        case 3:
            setConnected(false, isSessionKept: false)
            server.forget()
        case 4, 5, 6: change()
        default: pass(.milliseconds(below(4000)))
        }
    }

    /// Peace: broker, agent and a server that has just started.
    mutating func finish() {
        if !isConnected { setConnected(true, isSessionKept: false) }
        pass(.seconds(10))
        stopServer()
        startServer()
        pass(.seconds(60))
    }

    private mutating func restartAgent() {
        announcer = Announcer(disk)
        isConnected = false
        announcer.want(wanted, at: now)
    }

    private mutating func setConnected(_ on: Bool, isSessionKept: Bool) {
        isConnected = on
        if on {
            // A broker that has lost what was retained has no session either.
            let isKept = isSessionKept && Set(wanted.map(\.topic)).isSubset(of: server.retained.keys)
            announcer.connected(isSessionKept: isKept, at: now)
        } else {
            announcer.disconnected()
        }
    }

    private mutating func startServer() {
        server.start()
        birth = now + .seconds(5)
    }

    private mutating func stopServer() {
        server.stop()
        birth = nil
        if isConnected { announcer.serverWent() }
    }

    private mutating func change() {
        let platforms: [HomePlatform] = [.sensor, .switch, .button]
        wanted = (0..<4).compactMap { number in
            guard below(3) > 0 else { return nil }
            let topic = "homeassistant/device/gw/\(number)/config"
            let components = (0..<3).compactMap { key in
                below(3) > 0 ? component("value\(key)", platforms[below(3)]) : nil
            }
            return DeviceAnnouncement(
                topic: topic,
                identity: "gw_\(number)",
                name: "Device \(below(2))",
                components: components
            )
        }
        everWanted.formUnion(wanted.map(\.topic))
        announcer.want(wanted, at: now)
    }

    private mutating func pass(_ span: Duration) {
        let end = now + span
        while true {
            if let birth, birth <= end, birth <= announcer.nextDeadline ?? birth {
                now = max(now, birth)
                self.birth = nil
                if isConnected { announcer.serverCame(at: now, delay: .milliseconds(below(5000))) }
            } else if let next = announcer.nextDeadline, next <= end {
                now = max(now, next)
                disk = announcer.record
                for case .publish(let topic, let payload) in announcer.due(at: now) { server.publish(topic, payload) }
                disk = announcer.record
            } else {
                now = end
                return
            }
        }
    }
}

func component(_ key: String, _ platform: HomePlatform, name: String? = nil) -> HomeComponent {
    var component = HomeComponent(key, platform, name: name)
    if platform.isShown { component.state = HomeComponent.Reading(topic: "edge/v1/gw/dev/x/state") }
    if platform.isOperated { component.commandTopic = "edge/v1/gw/dev/x/set/\(key)" }
    return component
}
