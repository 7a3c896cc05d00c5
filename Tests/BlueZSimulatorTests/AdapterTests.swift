import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AdapterTests {
    private static let interface = Places.adapterInterface

    private func set(_ client: SimulatorClient, _ property: String, _ value: DBusValue) async throws {
        let name = DBusValue.string(property)
        try await client.call(
            Places.adapter,
            BusNames.properties,
            "Set",
            .string(Self.interface),
            name,
            .variant(value)
        )
    }

    @Test func `switching off ends links before the answer and announces itself after it`() async throws {
        try await withSimulator(devices: [DemoDevices.framer, DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            try await client.call(Places.adapter, Self.interface, "StartDiscovery")
            try await client.wait(for: "+Device1", from: Places.heart)
            let start = client.position
            try await set(client, "Powered", .bool(false))
            try await client.wait(for: "Adapter1 Powered=false Discovering=false", from: Places.adapter, after: start)
            let texts = client.texts(within: Places.adapter, from: start)
            let own = texts.filter { !$0.contains("RSSI") }
            #expect(
                own == [
                    "-Device1", "Device1 ServicesResolved=false Connected=false", "-> Set",
                    "Adapter1 Powered=false Discovering=false",
                ]
            )
            for member in ["StartDiscovery", "StopDiscovery"] {
                await #expect(throws: bluezError("NotReady", "Resource Not Ready")) {
                    try await client.call(Places.adapter, Self.interface, member)
                }
            }
            await #expect(throws: bluezError("Failed", "Input/output error")) {
                try await client.call(Places.framer, Places.device, "Connect")
            }
            let again = client.position
            try await set(client, "Powered", .bool(true))
            try await client.wait(for: "Adapter1 Powered=true", from: Places.adapter, after: again)
            #expect(client.texts(within: Places.adapter, from: again) == ["-> Set", "Adapter1 Powered=true"])
            try await client.reconnect(Places.framer)
        }
    }

    @Test func `an adapter that is pulled out takes its devices with it, and its return is announced`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            let start = client.position
            await simulator.removeAdapter()
            try await client.wait(for: "-", from: Places.adapter, after: start)
            #expect(client.texts(within: Places.heart, from: start) == ["-Device1"])
            #expect(client.texts(within: Places.adapter, from: start).last?.contains("Adapter1") == true)
            #expect(await simulator.addAdapter(AdapterModel(index: 1, devices: [])))
            try await client.wait(for: "+Adapter1", from: Places.path("/org/bluez/hci1"), after: start)
        }
    }

    @Test func `leaving the bus ends calls under way, and the return begins anew`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .seconds(30)
        var silent = DemoDevices.heart
        silent.acceptsLinks = false
        try await withSimulator(devices: [silent], settings: settings) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            async let lost = #expect(throws: DBusFailure.self) {
                try await client.call(Places.heart, Places.device, "Connect")
            }
            await simulator.waitForCalls(of: "Connect")
            await simulator.leaveBus()
            let failure = try #require(await lost)
            guard case .error("org.freedesktop.DBus.Error.NoReply", _) = failure else {
                Issue.record("the bus ends the call: \(failure)")
                return
            }
            #expect(try await client.connection.owner(of: Simulator.busName) == nil)
            try await simulator.returnToBus()
            #expect(try await client.connection.owner(of: Simulator.busName) != nil)
            #expect(await simulator.objectPaths.map(\.text) == ["/org/bluez", "/org/bluez/hci0"])
            try await client.find(Places.heart)
        }
    }

    @Test func `a name that is taken is left alone`() async throws {
        try await withSimulator { bus, simulator in
            await #expect(throws: Simulator.Failure.nameTaken) {
                _ = try await Simulator.start(
                    on: bus.address,
                    adapters: [],
                    loop: bus.loop,
                    worker: bus.worker
                )
            }
            #expect(!(await simulator.objectPaths.isEmpty))
        }
    }

    @Test func `agents are kept by client`() async throws {
        try await withSimulator(devices: []) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            let manager = "org.bluez.AgentManager1"
            let (daemon, agent) = (Places.path("/org/bluez"), DBusValue.path(Places.path("/agent")))
            await #expect(throws: bluezError("InvalidArguments", "Invalid arguments in method call")) {
                try await client.call(daemon, manager, "RegisterAgent", agent, .string("Telepathy"))
            }
            try await client.call(daemon, manager, "RegisterAgent", agent, .string("NoInputNoOutput"))
            await #expect(throws: bluezError("AlreadyExists", "Already Exists")) {
                try await client.call(daemon, manager, "RegisterAgent", agent, .string(""))
            }
            try await client.call(daemon, manager, "RequestDefaultAgent", agent)
            try await client.call(daemon, manager, "UnregisterAgent", agent)
            await #expect(throws: bluezError("DoesNotExist", "Does Not Exist")) {
                try await client.call(daemon, manager, "UnregisterAgent", agent)
            }
        }
    }
}
