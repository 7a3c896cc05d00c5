import BlueZSimulator
import EventLoop
import MQTT
import TestSupport

/// How an agent keeps what it accepts.
struct Mode: Sendable {
    /// `none`, or the durability.
    let name: String

    func configuration(port: Int) -> String {
        """
        gateway: \(name)
        broker: mqtt://127.0.0.1:\(port)
        stateDir: "\(name == "none" ? "/proc/none" : "@/state")"
        durability: \(name == "none" ? "process" : name)
        logLevel: error
        links: {idleMs: 3600000}

        """
    }
}

/// One agent with its devices and a client that commands it.
final class BenchGateway: Sendable {
    enum Verb: String { case read, write }

    /// Devices that answer; one more never does.
    static let healthy = 10
    private static let value = #""service":"fff0","characteristic":"fff5""#
    private static let devices = (0..<healthy).map { device(number: $0) }
    private static let dead: TestDevice = {
        var model = device(number: healthy).model
        // Longer than anything here: Connect is never answered.
        model.connectDelay = .seconds(3600)
        return TestDevice(model)
    }()

    let mode: Mode
    private let world: AgentWorld
    private let load: Load
    private let client: MQTTClient

    init(_ mode: Mode, _ world: AgentWorld, _ load: Load, _ client: MQTTClient) {
        self.mode = mode
        self.world = world
        self.load = load
        self.client = client
    }

    private static func device(number: Int) -> TestDevice {
        var model = TestDevice.awkward.model
        model.address = "C0:5A:00:00:02:\(String(number + 16, radix: 16, uppercase: true))"
        return TestDevice(model)
    }

    static var world: AgentWorld.Options {
        var options = AgentWorld.Options()
        options.devices = devices + [dead]
        return options
    }

    private func topic(_ device: TestDevice) -> String { "edge/v1/\(mode.name)/dev/\(device.hex)/cmd" }

    /// Reads or writes, so many at a time; all devices but one when there are fewer at a time than devices.
    func run(_ verb: Verb, count: Int, outstanding: Int) async throws -> Run {
        let rest = "\"verb\":\"\(verb)\",\(Self.value)" + (verb == .write ? #","value":{"hex":"2a"}"# : "")
        let devices = outstanding == Self.healthy - 1 ? Self.devices.dropLast() : Self.devices[...]
        return try await load.measure(devices.map { (topic($0), rest) }, count: count, outstanding: outstanding)
    }

    /// Makes links to all devices that answer.
    func warmUp() async throws {
        _ = try await load.measure(
            Self.devices.map { (topic($0), #""verb":"connect""#) },
            count: Self.healthy,
            outstanding: Self.healthy
        )
    }

    /// Has the agent try to reach the dead device from now on: its `Connect` is out when this returns.
    func commandDeadDevice() async throws {
        // All others have their links.
        let connects = await world.count(of: "Connect")
        let payload = #"{"client":"dead","verb":"read",\#(Self.value),"timeoutMs":600000}"#
        try await publish(payload, to: topic(Self.dead))
        await world.waitForCalls(of: "Connect", count: connects + 1)
    }

    func releaseDeadDevice() async throws {
        try await publish(#"{"client":"dead","verb":"disconnect","now":true}"#, to: topic(Self.dead))
    }

    private func publish(_ payload: String, to topic: String) async throws {
        let outcomes = Log<MQTTOutcome>()
        let publication = MQTTPublication(topic: topic, payload: Array(payload.utf8))
        if let refusal = await client.publish(publication, completion: { outcomes.append($0) }) { throw refusal }
        _ = try await outcomes.first(1)
    }
}

/// Runs a body with an agent for each mode, each with a world of its own.
func withBench(
    _ modes: ArraySlice<Mode>,
    on broker: Broker,
    _ started: [BenchGateway] = [],
    _ body: ([BenchGateway]) async throws -> Void
) async throws {
    guard let mode = modes.first else { return try await body(started) }
    try await withAgentWorld(BenchGateway.world) { world in
        let agent = try await AgentProgram.start(
            configuration: mode.configuration(port: broker.port),
            bus: world.busAddress
        )
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let heard = Log<String>()
        let box = LoadBox()
        let client = MQTTClient(
            MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "bench-\(mode.name)"),
            on: loop,
            onMessage: { message in
                if message.topic.hasSuffix("/bluetooth") {
                    heard.append(String(decoding: message.payload, as: UTF8.self))
                }
                box.load?.heard(message)
            },
            onEvent: { _ in }
        )
        let load = Load(client, on: loop)
        loop.execute { box.load = load }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: loop) { try await client.run() }
            try await client.subscribe(
                ["res/bench/+", "bluetooth"].map { MQTTSubscription("edge/v1/\(mode.name)/\($0)") }
            )
            _ = try await heard.wait { $0.contains(#""state":"ready""#) }
            let gateway = BenchGateway(mode, world, load, client)
            try await gateway.warmUp()
            try await withBench(modes.dropFirst(), on: broker, started + [gateway], body)
            await client.close(timeout: .milliseconds(200))
            group.cancelAll()
        }
        try await agent.kill()
    }
}

/// The load of a client that is made before it.
private final class LoadBox: @unchecked Sendable {
    // Safe because: used on the loop alone.
    var load: Load?
}
