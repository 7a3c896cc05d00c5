import BleCore
import DBus
import EventLoop
import TestSupport
import Testing

/// Adapters that bluetoothd switches, starts or tells of in ways that nobody asked for.
@Suite(.timeLimit(.minutes(10)))
struct AdapterCallTests {
    private static let failed = "org.bluez.Error.Failed"
    private static let off: [(ObjectPath, Messages.Interfaces)] = [
        (Messages.adapter, [(Messages.adapterInterface, [("Powered", .bool(false))])])
    ]

    private func only(_ member: String, _ answer: @escaping FakeBluez.Answer) -> FakeBluez.Answer {
        { call in call.member == member ? try answer(call) : try call.reply() }
    }

    @Test func `an adapter that rfkill holds is blocked until it is on`() async throws {
        let answer = only("Set") { try $0.errorReply(Self.failed, "Blocked through rfkill") }
        try await withPeer(objects: Self.off, isReady: false, answer: answer) { manager, bluez in
            let events = await manager.eventSequence()
            _ = try await first(of: events) { if case .state(.off) = $0 { true } else { false } }
            #expect(await cause { try await manager.setPower(true) } == Cause(.adapterBlocked, .adapter))
            #expect(await manager.state == .blocked)
            #expect(await cause { try await manager.connect(to: Devices.heart) } == Cause(.adapterBlocked, .adapter))
            try await bluez.send(
                try Messages.changed(Messages.adapter, Messages.adapterInterface, [("Powered", .bool(true))])
            )
            try await manager.ready(within: .seconds(50))
        }
    }

    @Test func `an adapter that cannot be switched, or goes meanwhile, is told of`() async throws {
        try await withPeer(answer: only("Set") { try $0.errorReply(Self.failed, "no") }) { manager, _ in
            let failure = await failure { try await manager.setPower(false) }
            #expect(failure?.kind == .bus)
            #expect(failure?.applied == .maybe)
            let other = try #require(AdapterName("hci7"))
            let missing = await cause { try await manager.setPower(true, adapter: other) }
            #expect(missing == Cause(.adapterMissing, .adapter))
        }
        try await withPeer(answer: only("Set") { _ in nil }) { manager, bluez in
            async let failure = failure { try await manager.setPower(false, timeout: .seconds(50)) }
            _ = try await bluez.call("Set")
            try await bluez.send(try Messages.removed(Messages.adapter, Messages.adapterInterface))
            let found = await failure
            #expect(found?.kind == .adapterMissing)
            #expect(found?.applied == .maybe)
            let none = await cause { try await manager.setPower(true) }
            #expect(none == Cause(.adapterMissing, .adapter))
        }
    }

    @Test func `a bus that ends under a switch leaves it in doubt`() async throws {
        try await withPeer(answer: only("Set") { _ in nil }) { manager, bluez in
            async let failure = failure { try await manager.setPower(false, timeout: .seconds(50)) }
            _ = try await bluez.call("Set")
            await bluez.connection.close()
            #expect(await failure?.applied == .maybe)
            #expect(await manager.state == .absent)
        }
    }

    @Test(arguments: [
        ("SetDiscoveryFilter", "org.bluez.Error.NotSupported", BleFailure.Kind.notSupported),
        ("StartDiscovery", "org.bluez.Error.NotReady", .adapterOff), ("StartDiscovery", failed, .bus),
    ])
    func `a discovery that is refused is told, and tried again`(
        member: String,
        error: String,
        kind: BleFailure.Kind
    ) async throws {
        let refusals = Log<Int>()
        let answer = only(member) { call in
            refusals.append(1)
            return refusals.all.count == 1 ? try call.errorReply(error, "no") : try call.reply()
        }
        try await withPeer(answer: answer) { manager, bluez in
            #expect(await cause { try await manager.advertisements() } == Cause(kind, .scan))
            #expect(await manager.load.isListening == false)
            // Somebody who wants to hear whatever happens is served with the next try.
            await manager.stopDiscovery(await manager.demandDiscovery(ScanRequest()))
            let demand = await manager.demandDiscovery(ScanRequest())
            _ = try await bluez.call("StartDiscovery", count: member == "StartDiscovery" ? 2 : 1)
            await manager.stopDiscovery(demand)
        }
    }

    @Test func `a discovery that is refused while somebody wants it is tried again a second later`() async throws {
        let times = Log<ContinuousClock.Instant>()
        let answer = only("StartDiscovery") { call in
            times.append(.now)
            return times.all.count == 1 ? try call.errorReply(Self.failed, "no") : try call.reply()
        }
        try await withPeer(answer: answer) { manager, bluez in
            _ = await manager.demandDiscovery(ScanRequest())
            _ = try await bluez.call("StartDiscovery", count: 2)
            let both = try await times.first(2)
            #expect(both[1] - both[0] > .milliseconds(900))
        }
    }

    // MARK: The monitor

    private static let monitored: [(ObjectPath, Messages.Interfaces)] = [
        (
            Messages.adapter,
            Messages.adapterObject.1 + [("org.bluez.AdvertisementMonitorManager1", [])]
        )
    ]
    private static let monitors = Messages.path("/monitors/hci0")
    private static let monitor = Messages.path("/monitors/hci0/all")

    private static var passive: ScanRequest {
        var request = ScanRequest()
        request.mode = .passive
        return request
    }

    private func ask(
        _ bluez: FakeBluez,
        _ path: ObjectPath,
        _ interface: String,
        _ member: String
    ) async throws -> [DBusValue] {
        let name = try #require(try await bluez.call("RegisterMonitor").sender)
        var reader = try await bluez.connection.call(try DBusMessage.call(name, path, interface, member)).reader()
        var values: [DBusValue] = []
        while reader.hasNext() { values.append(try reader.value()) }
        return values
    }

    @Test func `bluetoothd gets the monitor's patterns, and no more than it may ask`() async throws {
        try await withPeer(objects: Self.monitored, answer: { try $0.reply() }) { manager, bluez in
            var request = ScanRequest()
            request.mode = .passive
            request.manufacturers = [0x1234]
            let demand = await manager.demandDiscovery(request)
            let interface = "org.bluez.AdvertisementMonitor1"
            let objects = try await ask(bluez, Self.monitors, BusNames.objectManager, "GetManagedObjects")
            let properties = try await ask(bluez, Self.monitor, BusNames.properties, "GetAll")
            #expect("\(objects)".contains("or_patterns"))
            #expect("\(objects)".contains(Self.monitor.text))
            #expect("\(properties)".contains("or_patterns"))
            for member in ["Activate", "DeviceFound", "DeviceLost"] {
                #expect(try await ask(bluez, Self.monitor, interface, member).isEmpty)
            }
            #expect(await manager.isDiscovering)
            await #expect(throws: DBusFailure.self) { try await ask(bluez, Self.monitor, interface, "Sing") }
            await manager.stopDiscovery(demand)
            _ = try await bluez.call("UnregisterMonitor")
            let left = try await ask(bluez, Self.monitors, BusNames.objectManager, "GetManagedObjects")
            #expect(!"\(left)".contains("or_patterns"))
            #expect(await !manager.isDiscovering)
        }
    }

    @Test func `a monitor that bluetoothd lets go is told of, and wanted again`() async throws {
        try await withPeer(objects: Self.monitored, answer: { try $0.reply() }) { manager, bluez in
            let request = Self.passive
            async let cause = cause { try await manager.advertisements(request, timeout: .seconds(50)) }
            _ = try await bluez.call("RegisterMonitor")
            #expect(try await ask(bluez, Self.monitor, "org.bluez.AdvertisementMonitor1", "Release").isEmpty)
            #expect(await cause == Cause(.notSupported, .scan))
            let demand = await manager.demandDiscovery(request)
            _ = try await bluez.call("RegisterMonitor", count: 2)
            await manager.stopDiscovery(demand)
            _ = try await bluez.call("UnregisterMonitor")
            let objects = try await ask(bluez, Self.monitors, BusNames.objectManager, "GetManagedObjects")
            #expect(!"\(objects)".contains("or_patterns"))
        }
    }
}
