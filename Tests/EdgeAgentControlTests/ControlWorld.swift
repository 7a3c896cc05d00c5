import Foundation
import TestSupport

/// How a run of `edge-agent ctl` ended.
struct ControlRun {
    let status: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// The lines of the output as JSON objects.
    var objects: [[String: Any]] {
        lines.compactMap { line in
            // Not JSON is what a missing element says.
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
        }
    }
}

/// A gateway with simulated devices and a broker, and the program that commands it.
struct ControlWorld: Sendable {
    let world: AgentWorld
    let broker: Broker
    let agent: AgentProgram

    var environment: [String: String] {
        [
            "EDGE_AGENT_BROKER": "mqtt://127.0.0.1:\(broker.port)", "HOME": "/nonexistent",
            "PATH": "/usr/bin:/bin", "LLVM_PROFILE_FILE": AgentProgram.surroundings["LLVM_PROFILE_FILE"] ?? "/dev/null",
            "TERM": "xterm", "SHELL": "/bin/sh",
        ]
    }

    /// Starts `edge-agent ctl`.
    func start(_ arguments: [String], input: String = "") async throws -> ChildProcess {
        try await ChildProcess.spawn(
            try AgentProgram.path(),
            ["ctl"] + arguments,
            environment: environment,
            input: input
        )
    }

    /// Runs `edge-agent ctl` to its end.
    func run(_ arguments: String..., input: String = "") async throws -> ControlRun {
        try await end(try await start(arguments, input: input))
    }

    func end(_ child: ChildProcess) async throws -> ControlRun {
        ControlRun(status: try await child.exitStatus(), output: child.output, errors: child.errors)
    }

    /// Runs `edge-agent ctl` on a terminal of its own: what it shows there, both streams together.
    func runOnTerminal(_ line: String) async throws -> ControlRun {
        let command = "stty rows 30 cols 100; exec \(try AgentProgram.path()) ctl \(line)"
        let child = try await ChildProcess.spawn(
            "/usr/bin/script",
            ["--quiet", "--return", "--command", command, "/dev/null"],
            environment: environment
        )
        return try await end(child)
    }
}

/// Runs a test with a gateway `gw` that is ready.
func withControlWorld(
    _ options: AgentWorld.Options = AgentWorld.Options(),
    broker brokerOptions: BrokerOptions = BrokerOptions(),
    more: String = "",
    _ body: (ControlWorld) async throws -> Void
) async throws {
    try await withAgentWorld(options) { world in
        try await withBroker(brokerOptions) { broker in
            let configuration = """
                gateway: gw
                broker: mqtt://127.0.0.1:\(broker.port)
                logLevel: debug
                stateDir: "@/state"
                mqtt:
                  reconnectMinMs: 100
                  reconnectMaxMs: 400
                devices:
                  - address: "\(TestDevice.battery.address)"
                    alias: door
                \(more)
                """
            let agent = try await AgentProgram.start(configuration: configuration, bus: world.busAddress)
            try await agent.waitForLog("agent: Subscribed ", count: 11)
            try await agent.waitForLog("Bluetooth changed state=ready")
            try await body(ControlWorld(world: world, broker: broker, agent: agent))
        }
    }
}
