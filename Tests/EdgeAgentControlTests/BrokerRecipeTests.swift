import EdgeAgentControl
import Foundation
import MQTT
import TestSupport
import Testing

/// What the broker recipe of `deploy/broker` lets each kind of client do.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct BrokerRecipeTests {
    private static let clients: [(BrokerRecipe.Kind, String)] = [
        (.gateway, "gw-a"), (.gateway, "gw-b"), (.controller, "ann"), (.controller, "bob"), (.home, "hass"),
    ]

    /// Topics of every kind, of two gateways and two callers.
    private static let topics: Set<String> = {
        var topics: Set<String> = ["edge/v1/all/cmd", "reply/x", "other", "homeassistant/status"]
        for caller in ["ann", "bob"] { topics.insert("edge/v1/all/cmd/\(caller)") }
        for gateway in ["gw-a", "gw-b"] {
            let base = "edge/v1/\(gateway)"
            for level in [
                "status", "info", "health", "bluetooth", "adapter/hci0", "pair", "scan/s", "scan/s/state", "cmd",
                "config/desired", "config/reported", "dev/door/cmd", "dev/door/set/on", "dev/door/job",
                "dev/door/link", "dev/door/event", "dev/door/state", "dev/door/avail", "dev/door/gatt",
                "dev/door/notify/180f/2a19", "group/g/cmd", "somethingelse",
            ] { topics.insert("\(base)/\(level)") }
            for caller in ["ann", "bob"] {
                for level in ["cmd/\(caller)", "dev/door/cmd/\(caller)", "group/g/cmd/\(caller)", "res/\(caller)/1"] {
                    topics.insert("\(base)/\(level)")
                }
            }
            topics.insert("homeassistant/device/\(gateway)/c05a00000001/config")
        }
        return topics
    }()

    private static func matching(_ patterns: [String]) throws -> Set<String> {
        let expressions = try patterns.map { try Regex("^\($0)$") }
        return topics.filter { topic in expressions.contains { topic.wholeMatch(of: $0) != nil } }
    }

    /// The topics that a client hears when somebody writes to all of them.
    private func readable(_ configuration: MQTTConfiguration, _ recipe: BrokerRecipe, fence: String) async throws
        -> Set<String>
    {
        try await withRecipeClient(recipe.watcher) { watcher in
            try await withRecipeClient(configuration) { client in
                try await client.listen()
                for topic in Self.topics.sorted() { try await watcher.publish(topic) }
                try await watcher.publish(fence, "fence")
                _ = try await client.heard.wait { $0.payload == Array("fence".utf8) }
                return client.topics
            }
        }
    }

    /// The topics on which something arrives when a client writes to all of them.
    private func writable(_ configuration: MQTTConfiguration, _ recipe: BrokerRecipe) async throws -> Set<String> {
        try await withRecipeClient(recipe.watcher) { watcher in
            try await watcher.listen()
            return try await withRecipeClient(configuration) { client in
                for topic in Self.topics.sorted() { try await client.publish(topic) }
                // What the broker has acknowledged has been passed on before this.
                try await withRecipeClient(recipe.second) { try await $0.publish("fence") }
                _ = try await watcher.heard.wait { $0.topic == "fence" }
                return watcher.topics.subtracting(["fence"])
            }
        }
    }

    @Test func `each kind of client reads and writes what is its own, and nothing else`() async throws {
        let recipe = try await BrokerRecipe.start(Self.clients)
        let gateway = recipe.configuration(.gateway, "gw-a")
        let commands =
            "edge/v1/gw-a/(cmd|cmd/.*|dev/door/cmd|dev/door/cmd/.*|dev/door/set/on|group/g/cmd.*|config/desired|status)"
        #expect(
            try await readable(gateway, recipe, fence: "edge/v1/gw-a/cmd")
                == Self.matching([commands, "edge/v1/all/cmd.*", "homeassistant/status"])
        )
        let told = "edge/v1/gw-a/(status|info|health|bluetooth|adapter/hci0|pair|scan/.*|config/reported|res/.*)"
        let devices = "edge/v1/gw-a/dev/door/(job|link|event|state|avail|gatt|notify/.*)"
        #expect(
            try await writable(gateway, recipe)
                == Self.matching([told, devices, "homeassistant/device/gw-a/.*"])
        )

        let controller = recipe.configuration(.controller, "ann")
        let everybody = "edge/v1/gw-[ab]/(status|info|health|bluetooth|adapter/hci0|scan/.*)"
        let values = "edge/v1/gw-[ab]/dev/door/(link|event|state|avail|gatt|notify/.*)"
        #expect(
            try await readable(controller, recipe, fence: "edge/v1/gw-b/res/ann/1")
                == Self.matching([everybody, values, "edge/v1/gw-[ab]/res/ann/1"])
        )
        let own = "edge/v1/(all/cmd/ann|gw-[ab]/(cmd/ann|dev/door/cmd/ann|group/g/cmd/ann))"
        #expect(try await writable(controller, recipe) == Self.matching([own]))

        let home = recipe.configuration(.home, "hass")
        let states = "edge/v1/gw-[ab]/(status|health|bluetooth|dev/door/(state|avail|event))"
        #expect(
            try await readable(home, recipe, fence: "homeassistant/status")
                == Self.matching([states, "homeassistant/.*"])
        )
        #expect(
            try await writable(home, recipe)
                == Self.matching(["edge/v1/gw-[ab]/dev/door/set/on", "homeassistant/.*"])
        )
    }

    @Test func `the operator alone asks gateways for a configuration and hears what they say of it`() async throws {
        let recipe = try await BrokerRecipe.start(Self.clients + [(.controller, "ops")], hasOperator: true)
        for (name, isOperator) in [("ops", true), ("ann", false)] {
            let controller = recipe.configuration(.controller, name)
            let mine = try await writable(controller, recipe).filter { $0.contains("/config/") }
            let desired = try Self.matching(["edge/v1/gw-[ab]/config/desired"])
            #expect(mine == (isOperator ? desired : []), "\(name)")
            let fence = "edge/v1/gw-a/status"
            let heard = try await readable(controller, recipe, fence: fence).filter { $0.contains("/config/") }
            let reported = try Self.matching(["edge/v1/gw-[ab]/config/reported"])
            #expect(heard == (isOperator ? reported : []), "\(name)")
        }
    }

    @Test func `a certificate opens its own listener alone, and a revoked one none`() async throws {
        let recipe = try await BrokerRecipe.start(Self.clients + [(.gateway, "ann")])
        for (kind, name, port) in [
            (BrokerRecipe.Kind.controller, "ann", BrokerRecipe.Kind.gateway), (.gateway, "gw-a", .controller),
            (.home, "hass", .gateway), (.controller, "bob", .home),
        ] {
            let configuration = recipe.configuration(kind, name, at: port, id: "x")
            try await withRecipeClient(configuration, isConnected: false) { client in
                guard case .connectFailed(.tls, _) = try await client.events.first(1)[0] else {
                    Issue.record("\(kind) at \(port): \(client.events.all)")
                    return
                }
            }
        }
        let revoked = recipe.configuration(.gateway, "gw-b")
        let kept = recipe.directory + "/kept"
        try FileManager.default.copyItem(atPath: recipe.certificate(.gateway, "gw-b"), toPath: kept + ".pem")
        try FileManager.default.copyItem(atPath: recipe.key(.gateway, "gw-b"), toPath: kept + ".key")
        try await withRecipeClient(revoked) { _ in }
        try await recipe.certificates("revoke", "gateway", "gw-b")
        try await recipe.restart()
        var configuration = revoked
        configuration.tls = MQTTTLS(caFile: recipe.authority, certificateFile: kept + ".pem", keyFile: kept + ".key")
        try await withRecipeClient(configuration, isConnected: false) { client in
            let event = try await client.events.first(1)[0]
            guard case .connectFailed(.tls(let text), _) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(text.contains("revoked") || text.contains("may not accept"), "\(text)")
        }
        try await withRecipeClient(recipe.configuration(.gateway, "gw-a")) { _ in }
    }

    @Test func `nobody gets what is a gateway's by using its client id`() async throws {
        let recipe = try await BrokerRecipe.start(Self.clients)
        try await withRecipeClient(recipe.watcher) { watcher in
            var first = recipe.configuration(.gateway, "gw-a")
            first.sessionExpirySeconds = 60
            try await withRecipeClient(first) { gateway in
                try await gateway.listen()
                // Another gateway is called by its certificate, whatever it says.
                try await withRecipeClient(recipe.configuration(.gateway, "gw-b", id: "gw-a")) { _ in }
                try await watcher.publish("edge/v1/gw-a/cmd/bob")
                _ = try await gateway.heard.first(1)
                #expect(gateway.events.all.allSatisfy { if case .disconnected = $0 { false } else { true } })
            }
            try await watcher.publish("edge/v1/gw-a/cmd/bob")
            // A controller may take the session over, with the subscriptions in it, but not the rights.
            var controller = recipe.configuration(.controller, "ann", id: "gw-a")
            controller.sessionExpirySeconds = 60
            try await withRecipeClient(controller) { client in
                try await client.listen()
                try await watcher.publish("edge/v1/gw-a/cmd/bob")
                try await client.publish("edge/v1/gw-a/status")
                try await watcher.publish("edge/v1/gw-a/res/ann/1", "fence")
                _ = try await client.heard.wait { $0.payload == Array("fence".utf8) }
                #expect(client.topics == ["edge/v1/gw-a/res/ann/1"])
            }
        }
    }

    @Test func `a packet over the limit is not passed on`() async throws {
        let recipe = try await BrokerRecipe.start(Self.clients)
        try await withRecipeClient(recipe.watcher) { watcher in
            try await watcher.listen()
            try await withRecipeClient(recipe.configuration(.controller, "ann")) { client in
                guard case .connected(let connection) = client.events.all.first else {
                    Issue.record("\(client.events.all)")
                    return
                }
                #expect(connection.limits.maximumPacketBytes == 270_336)
                try await client.publish("edge/v1/gw-a/cmd/ann", String(repeating: "x", count: 280_000))
                try await client.publish("edge/v1/gw-a/cmd/ann", String(repeating: "x", count: 262_144))
                _ = try await watcher.heard.first(1)
                #expect(watcher.heard.all.map(\.payload.count) == [262_144])
            }
        }
    }

    @Test func `an agent and an operator meet through it`() async throws {
        let recipe = try await BrokerRecipe.start(Self.clients)
        var options = AgentWorld.Options()
        options.devices = [.battery]
        try await withAgentWorld(options) { world in
            let configuration = """
                gateway: gw-a
                broker: mqtts://localhost:\(recipe.ports[.gateway] ?? 0)
                logLevel: debug
                stateDir: "@/state"
                mqtt:
                  caFile: \(recipe.authority)
                  certificateFile: \(recipe.certificate(.gateway, "gw-a"))
                  keyFile: \(recipe.key(.gateway, "gw-a"))
                  clientId: gw-a
                policy:
                  - allow: read
                    callers: ann
                """
            let agent = try await AgentProgram.start(configuration: configuration, bus: world.busAddress)
            try await agent.waitForLog("agent: Subscribed ", count: 11)
            try await agent.waitForLog("Bluetooth changed state=ready")
            func read(_ name: String, as client: String? = nil) async throws -> (Int32, String) {
                let environment = [
                    "EDGE_AGENT_BROKER": "mqtts://localhost:\(recipe.ports[.controller] ?? 0)",
                    "EDGE_AGENT_CLIENT": client ?? name, "EDGE_AGENT_CAFILE": recipe.authority,
                    "EDGE_AGENT_CERT": recipe.certificate(.controller, name),
                    "EDGE_AGENT_KEY": recipe.key(.controller, name),
                    "LLVM_PROFILE_FILE": AgentProgram.surroundings["LLVM_PROFILE_FILE"] ?? "/dev/null",
                ]
                let child = try await ChildProcess.spawn(
                    try AgentProgram.path(),
                    ["ctl", "read", TestDevice.battery.hex, "180f", "2a19", "--wait", "2s"],
                    environment: environment
                )
                return (try await child.exitStatus(), child.output + child.errors)
            }
            let ann = try await read("ann")
            #expect(ann.0 == ControlOutcome.ok.rawValue, "\(ann) \(agent.log)")
            let bob = try await read("bob")
            #expect(bob.0 == ControlOutcome.rejected.rawValue && bob.1.contains("denied"), "\(bob)")
            // Under another's name nothing of it arrives.
            let pretender = try await read("bob", as: "ann")
            #expect(pretender.0 == ControlOutcome.unknown.rawValue, "\(pretender)")
        }
    }
}
