import EdgeAgent
import Testing

/// What is announced when, with a clock that is moved by hand.
@Suite(.timeLimit(.minutes(10)))
struct AnnouncerTests {
    private let start = ContinuousClock.now

    private func at(_ ms: Int) -> ContinuousClock.Instant { start + .milliseconds(ms) }

    private func device(_ name: String, _ components: [HomeComponent] = [], via: String? = "gw") -> DeviceAnnouncement {
        var device = DeviceAnnouncement(
            topic: "homeassistant/device/gw/\(name)/config",
            identity: "gw_\(name)",
            name: name,
            components: components
        )
        device.via = via
        return device
    }

    private func topic(_ name: String) -> String { "homeassistant/device/gw/\(name)/config" }

    /// All that is published until a moment: the device, or `-` before one that is taken away; `*` for the values.
    private func play(_ announcer: inout Announcer, until end: Int) -> [String] {
        var played: [String] = []
        while let next = announcer.nextDeadline, next <= at(end) {
            for action in announcer.due(at: next) {
                switch action {
                case .publish(let topic, let payload):
                    let name = topic.split(separator: "/").dropLast().last ?? ""
                    played.append((payload.isEmpty ? "-" : "") + name)
                case .renewStates: played.append("*")
                }
            }
        }
        return played
    }

    @Test func `nothing goes out before there is a broker, then the gateway goes first and the others follow apart`() {
        var announcer = Announcer()
        announcer.want([device("a"), device("b"), device("gateway", via: nil)], at: at(0))
        #expect(announcer.nextDeadline == nil && announcer.due(at: at(0)).isEmpty)
        announcer.connected(isSessionKept: false, at: at(1000))
        #expect(play(&announcer, until: 1000) == ["gateway"])
        #expect(announcer.nextDeadline == at(1050))
        #expect(play(&announcer, until: 60_000) == ["a", "b"])
        #expect(announcer.nextDeadline == nil)
    }

    @Test func `what is the same is not said again, what has changed is`() {
        var announcer = Announcer()
        announcer.connected(isSessionKept: false, at: at(0))
        announcer.want([device("a"), device("b")], at: at(0))
        #expect(play(&announcer, until: 1000) == ["a", "b"])
        announcer.want([device("a"), device("b")], at: at(1000))
        #expect(announcer.nextDeadline == nil)
        var other = device("b")
        other.name = "Other"
        announcer.want([device("a"), other], at: at(2000))
        #expect(play(&announcer, until: 60_000) == ["b"])
    }

    @Test(arguments: [(true, [String]()), (false, ["a", "b"])])
    func `a broker without the session is told everything, one with it nothing`(isKept: Bool, told: [String]) {
        var announcer = Announcer()
        announcer.connected(isSessionKept: false, at: at(0))
        announcer.want([device("a"), device("b")], at: at(0))
        _ = play(&announcer, until: 1000)
        announcer.disconnected()
        announcer.connected(isSessionKept: isKept, at: at(2000))
        #expect(play(&announcer, until: 60_000) == told)
    }

    @Test func `B73 a birth message brings everything once, after its delay, and then the values`() {
        var announcer = Announcer()
        announcer.connected(isSessionKept: true, at: at(0))
        announcer.want([device("a"), device("gateway", via: nil)], at: at(0))
        _ = play(&announcer, until: 1000)
        // A burst is one run, whatever chance says of the later ones.
        for ms in [10_000, 10_200, 10_400, 10_600, 10_800] { announcer.serverCame(at: at(ms), delay: .seconds(2)) }
        #expect(play(&announcer, until: 11_999).isEmpty)
        #expect(play(&announcer, until: 60_000) == ["gateway", "a", "*"])
        announcer.serverCame(at: at(70_000), delay: .seconds(2))
        announcer.serverWent()
        #expect(play(&announcer, until: 90_000).isEmpty)
    }

    @Test func `many devices are announced at a bounded rate`() {
        var announcer = Announcer()
        announcer.connected(isSessionKept: false, at: at(0))
        announcer.want((0..<100).map { device("d\($0)") }, at: at(0))
        #expect(play(&announcer, until: 999).count == 20)
        #expect(play(&announcer, until: 4999).count == 80)
    }

    @Test
    func `B75 a component that goes is told whole, reduced and left out, and is forgotten by a server that is there`()
        throws
    {
        var announcer = Announcer()
        announcer.connected(isSessionKept: false, at: at(0))
        announcer.serverCame(at: at(0), delay: .zero)
        let both = device("a", [component("kept", .sensor), component("gone", .switch)])
        announcer.want([both], at: at(0))
        _ = play(&announcer, until: 1000)
        announcer.want([device("a", [component("kept", .sensor)])], at: at(2000))
        var said: [[String: [String]]] = []
        while let next = announcer.nextDeadline {
            for case .publish(_, let payload) in announcer.due(at: next) { said.append(try components(payload)) }
        }
        let kept = ["p", "unique_id", "stat_t"]
        #expect(
            said == [
                ["sensor-kept": kept, "switch-gone": ["p", "unique_id", "stat_t", "cmd_t", "qos"]],
                ["sensor-kept": kept, "switch-gone": ["p"]], ["sensor-kept": kept],
            ]
        )
        #expect(announcer.record.records.map(\.components) == [["sensor-kept": .sensor]] && !announcer.hasRemains)
    }

    /// The names of each component's fields.
    private func components(_ payload: [UInt8]) throws -> [String: [String]] {
        let root = try #require(try JSONReader(maxBytes: 100_000).read(payload).object)
        let components = try #require(root["cmps"]?.object)
        return Dictionary(
            uniqueKeysWithValues: components.entries.map { ($0.key, $0.value.object?.entries.map(\.key) ?? []) }
        )
    }

    @Test func `B75 what an earlier life announced and is gone is taken away once, and once more from the next server`()
    {
        let earlier = AnnouncedDevices([
            AnnouncedDevices.Record(topic: topic("a"), identity: "gw_a", components: ["sensor-x": .sensor]),
            AnnouncedDevices.Record(topic: topic("old"), identity: "gw_old", components: ["sensor-x": .sensor]),
        ])
        var announcer = Announcer(earlier)
        announcer.want([device("a", [component("x", .sensor)])], at: at(0))
        announcer.connected(isSessionKept: true, at: at(0))
        #expect(play(&announcer, until: 10_000) == ["a", "old", "old", "-old"])
        // The next life knows that it was taken away.
        announcer = Announcer(announcer.record)
        announcer.want([device("a", [component("x", .sensor)])], at: at(10_000))
        announcer.connected(isSessionKept: false, at: at(10_000))
        #expect(play(&announcer, until: 20_000) == ["a"])
        #expect(announcer.hasRemains)
        announcer.serverCame(at: at(20_000), delay: .zero)
        #expect(play(&announcer, until: 40_000) == ["a", "old", "old", "-old", "*"])
        #expect(announcer.record.records.map(\.topic) == [topic("a")] && !announcer.hasRemains)
    }

    @Test func `a component that becomes another kind of entity is another one, and the first goes`() throws {
        var announcer = Announcer()
        announcer.connected(isSessionKept: true, at: at(0))
        announcer.want([device("a", [component("x", .sensor)])], at: at(0))
        _ = play(&announcer, until: 1000)
        announcer.want([device("a", [component("x", .switch)])], at: at(2000))
        var said: [[String]] = []
        while let next = announcer.nextDeadline {
            for case .publish(_, let payload) in announcer.due(at: next) {
                said.append(try components(payload).map { "\($0.key) \($0.value.count)" }.sorted())
            }
        }
        #expect(said == [["sensor-x 3", "switch-x 5"], ["sensor-x 1", "switch-x 5"], ["switch-x 5"]])
    }

    @Test func `what found no place is tried again`() {
        var announcer = Announcer()
        announcer.connected(isSessionKept: false, at: at(0))
        announcer.want([device("a")], at: at(0))
        #expect(play(&announcer, until: 0) == ["a"])
        announcer.refused(topic("a"), until: at(1000))
        #expect(play(&announcer, until: 999).isEmpty)
        #expect(play(&announcer, until: 1000) == ["a"])
    }

    @Test func `what is kept on disk is read as it was written, and what is no discovery topic is refused`() throws {
        let kept = AnnouncedDevices([
            AnnouncedDevices.Record(
                topic: topic("a"),
                identity: "gw_a",
                components: ["sensor-x": .sensor, "light-y": .light]
            ),
            AnnouncedDevices.Record(topic: topic("b"), identity: "gw_b", components: [:], isCleared: true),
        ])
        #expect(try AnnouncedDevices.decode(kept.encode(), path: "") == kept)
        for topic in ["", "edge/v1/gw/status", "homeassistant/+/gw/a/config", "homeassistant/device/config", "a/b/c"] {
            let file = #"{"version":1,"devices":[{"topic":"\#(topic)","identity":"x","components":{}}]}"#
            #expect(throws: StateFailure.self) { try AnnouncedDevices.decode(Array(file.utf8), path: "") }
        }
    }
}
