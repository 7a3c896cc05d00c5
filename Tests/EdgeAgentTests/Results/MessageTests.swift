import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct MessageTests {
    let stamp: MessageStamp
    let door: DeviceTarget

    init() throws {
        stamp = MessageStamp(gateway: try #require(GatewayID("shop-3")), boot: "9e", seq: 4, timeMs: 0)
        door = DeviceTarget(address: try #require(DeviceAddress("a1b2c3d4e5f6")), name: .alias("door"))
    }

    private static let stampKeys = ["gw", "boot", "seq", "ts"]

    private func keys(_ bytes: [UInt8]) throws -> [String] {
        let keys = try parsed(bytes).entries.map(\.key)
        #expect(keys.suffix(4) == Self.stampKeys[...])
        return keys.dropLast(4)
    }

    @Test func `the state of the gateway is told, and its will is fixed`() throws {
        #expect(try parsed(StatusMessage.online.encode(stamp))["state"] == .string("online"))
        #expect(try keys(StatusMessage.offline.encode(stamp)) == ["state"])
        #expect(
            String(decoding: StatusMessage.will(boot: "9e", sinceMs: 0), as: UTF8.self)
                == #"{"state":"lost","boot":"9e","since":"1970-01-01T00:00:00.000Z"}"#
        )
    }

    @Test func `the states of Bluetooth are the contract's`() throws {
        let states = BluetoothMessage.allCases.map(\.rawValue)
        #expect(states == ["ready", "off", "blocked", "no-adapter", "absent", "not-responding", "denied"])
        for state in BluetoothMessage.allCases {
            #expect(try parsed(state.encode(stamp))["state"] == .string(state.rawValue))
        }
    }

    @Test func `an adapter is told with its links`() throws {
        let message = AdapterMessage(
            name: try #require(AdapterName("hci0")),
            address: door.address,
            isPowered: true,
            isDiscovering: false,
            links: LinkCounts(used: 2, max: nil, waiting: 1)
        )
        #expect(try keys(message.encode(stamp)) == ["adapter", "address", "powered", "discovering", "links"])
        var mended = message
        mended.recovery = .init(step: .powerCycle, fault: .connectsFail, atMs: 0)
        let recovery = try #require(try parsed(mended.encode(stamp))["recovery"]?.object)
        #expect(recovery.entries.map(\.key) == ["step", "reason", "at"] && recovery["step"] == .string("power-cycle"))
        let links = try #require(try parsed(message.encode(stamp))["links"]?.object)
        #expect(links["used"] == .integer(2) && links["max"] == .null && links["waiting"] == .integer(1))
    }

    @Test(arguments: [
        ([], LinkCounts()), ([LinkCounts(used: 2, max: 3, waiting: 1)], LinkCounts(used: 2, max: 3, waiting: 1)),
        (
            [LinkCounts(used: 2, max: 3, waiting: 1), LinkCounts(used: 1, max: 5)],
            LinkCounts(used: 3, max: 8, waiting: 1)
        ), ([LinkCounts(), LinkCounts(used: 1, max: 5)], LinkCounts(used: 1)),
        ([LinkCounts(used: 1, max: 5), LinkCounts(waiting: 2)], LinkCounts(used: 1, waiting: 2)),
    ])
    func `the links of all adapters are added up, where all know how many there may be`(
        all: [LinkCounts],
        sum: LinkCounts
    ) {
        #expect(LinkCounts(sum: all) == sum)
    }

    @Test func `a link is told in full or in short`() throws {
        let full = LinkMessage(
            device: door,
            state: .connecting,
            reason: "remote",
            sinceMs: 0,
            mtu: 247,
            attempt: 2,
            nextTryMs: 4000,
            owner: .own
        )
        #expect(
            try keys(full.encode(stamp)) == [
                "state", "reason", "since", "mtu", "attempt", "nextTryMs", "owner", "dev", "address",
            ]
        )
        #expect(try parsed(full.encode(stamp))["owner"] == .string("self"))
        #expect(
            try keys(LinkMessage(device: door, state: .disconnected, sinceMs: 0).encode(stamp)) == [
                "state", "since", "dev", "address",
            ]
        )
        let states = LinkMessage.State.allCases.map(\.rawValue)
        #expect(states == ["disconnected", "connecting", "connected", "resolved", "disconnecting"])
    }

    @Test func `each event has its name and its fields`() throws {
        let battery = AttributeSelector(service: 0x180F, characteristic: 0x2A19)
        let cases: [(EventMessage.Event, [String])] = [
            (.connected(mtu: 247), ["mtu"]), (.connected(mtu: nil), []), (.disconnected(reason: "remote"), ["reason"]),
            (.name(nil), ["name"]), (.services, []), (.bond(isBonded: true), ["bonded"]),
            (.subscriptionLost(battery, reason: "link"), ["service", "characteristic", "reason"]),
            (.subscriptionRestored(AttributeSelector(handle: 17)), ["handle"]),
            (.recovery(.disconnect, .connectFails, adapter: AdapterName("hci0")), ["step", "reason", "adapter"]),
        ]
        for (event, fields) in cases {
            let bytes = EventMessage(device: door, event: event).encode(stamp)
            #expect(try keys(bytes) == ["event"] + fields + ["dev", "address"])
            #expect(try parsed(bytes)["event"] == .string(event.name))
        }
        let names = Set(cases.map(\.0.name))
        #expect(
            names == [
                "connected", "disconnected", "name", "services", "bond", "subscription-lost", "subscription-restored",
                "recovery",
            ]
        )
    }

    @Test func `a notification has the contract's shape`() {
        let message = NotifyMessage(device: door, value: [0xAA, 0x01], count: 17, kind: .indicate, dropped: 3)
        #expect(
            String(decoding: message.encode(stamp), as: UTF8.self)
                == #"{"value":{"hex":"aa01"},"n":17,"kind":"indicate","dropped":3,"dev":"door","address":"a1b2c3d4e5f6","#
                + #""gw":"shop-3","boot":"9e","seq":4,"ts":"1970-01-01T00:00:00.000Z"}"#
        )
    }

    @Test func `the state of a scan is told`() throws {
        let session = try #require(SessionName("hall"))
        let message = ScanStateMessage(
            session: session,
            state: .stopped,
            reason: "command",
            mode: .active,
            signals: 9,
            published: 3,
            dropped: 1,
            coalesced: 5
        )
        #expect(
            try keys(message.encode(stamp)) == [
                "session", "state", "reason", "mode", "signals", "published", "dropped", "coalesced",
            ]
        )
        #expect(try parsed(message.encode(stamp))["coalesced"] == .integer(5))
        // A batch tells only that there was something.
        #expect(
            try keys(ScanBatchMessage(session: session, devices: []).encode(stamp)) == [
                "session", "devices", "dropped",
            ]
        )
        let batch = try parsed(ScanBatchMessage(session: session, devices: [], coalesced: 2).encode(stamp))
        #expect(batch["coalesced"] == .integer(2))
    }

    @Test func `the description of the agent is whole`() throws {
        let info = InfoContent(
            version: "1.0.0",
            mqttVersion: "5",
            limits: .init(
                maxPayloadBytes: 1,
                maxResultBytes: 2,
                maxQueuedPerDevice: 3,
                maxQueuedTotal: 4,
                maxSteps: 5,
                replayWindow: .init(spanMs: 6, commands: 7, bytes: 8)
            ),
            durability: .process,
            configurationHash: "ab"
        )
        #expect(
            try keys(info.encode(stamp)) == [
                "version", "mqtt", "verbs", "limits", "journal", "state", "profiles", "groups", "policy",
                "configuration",
            ]
        )
        let body = try parsed(info.encode(stamp))
        #expect(body["verbs"]?.array?.count == VerbName.sorted.count)
        #expect(
            body["limits"]?.object?.entries.map(\.key) == [
                "maxPayloadBytes", "maxResultBytes", "maxQueuedPerDevice", "maxQueuedTotal", "maxSteps", "replayWindow",
            ]
        )
        #expect(body["journal"]?.object?["kept"] == .bool(true))
    }

    @Test func `the health of the agent is whole`() throws {
        var health = HealthMessage()
        health.scanHolders = ["hall", "scan"]
        health.lastRecoveryMs = 0
        #expect(
            try keys(health.encode(stamp)) == [
                "uptimeMs", "residentBytes", "cpuMs", "queue", "links", "scan", "pairing", "reconnects", "recoveries",
                "counters", "drops", "coalesced", "lastRecovery", "clockSynced", "refusedSubscriptions",
            ]
        )
        #expect(try parsed(health.encode(stamp))["lastRecovery"] == .string("1970-01-01T00:00:00.000Z"))
        #expect(try parsed(HealthMessage().encode(stamp))["lastRecovery"] == .null)
        health.counters.repeated = 3
        health.coalesced.advertisements = 5
        health.links = LinkCounts(used: 2, max: 3, waiting: 1)
        health.recoveries = [.busReconnect: 2]
        let shown = try parsed(health.encode(stamp))
        let recoveries = try #require(shown["recoveries"]?.object)
        #expect(recoveries.entries.map(\.key) == RecoveryStep.allCases.map(\.rawValue))
        #expect(recoveries["bus-reconnect"] == .integer(2) && recoveries["helper"] == .integer(0))
        #expect(shown["scan"]?.object?.entries.map(\.key) == ["active", "holders", "paused"])
        #expect(shown["counters"]?.object?["repeated"] == .integer(3))
        #expect(shown["coalesced"]?.object?.entries.map(\.key) == ["states", "advertisements"])
        #expect(shown["coalesced"]?.object?["advertisements"] == .integer(5))
        #expect(shown["pairing"]?.object?["windowEnds"] == .null)
        health.pairing.windowEndsMs = 0
        health.pairing.prompts = 2
        let pairing = try parsed(health.encode(stamp))["pairing"]?.object
        #expect(pairing?["windowEnds"] == .string("1970-01-01T00:00:00.000Z") && pairing?["prompts"] == .integer(2))
        #expect(shown["links"]?.object?.entries.map(\.key) == ["used", "max", "waiting"])
    }

    @Test func `each class of messages counts by itself`() {
        var counters = SequenceCounters()
        for messageClass in MessageClass.allCases { #expect(counters.next(messageClass) == 1) }
        #expect(counters.next(.notify) == 2)
        #expect(counters.next(.notify) == 3)
        #expect(counters.next(.result) == 2)
    }
}
