import EdgeAgent
import Glibc
import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// An agent that is asked for another configuration over a real broker.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct RemoteAgentTests {
        @Test func `what is asked for holds at once, is told and kept, and ends with an empty payload`() async throws {
            try await withAgent(.remote()) { gateway in
                let before = try await gateway.hear(on: "info").json["configuration"]
                let none = try await gateway.hear("none", on: "config/reported").json
                #expect(none["configuration"] == before && none["kept"] == true && none["inForce"] == nil)
                let hash = try await gateway.ask(#"{"limits":{"healthIntervalSeconds":1},"links":{"max":3}}"#)
                let applied = try await gateway.reported("applied")
                #expect(applied["desired"].text == hash && applied["inForce"].text == hash)
                #expect(applied["changed"] == ["limits.healthIntervalSeconds", "links.max"])
                #expect(applied["pending"] == [] && applied["errors"] == [] && applied["kept"] == true)
                #expect(applied["configuration"] != before)
                let mark = gateway.caller.mark
                try await gateway.hear(on: "health", from: mark, count: 2)
                let all = try await gateway.send("config.get")["result"]
                #expect(all["configuration"]["links"]["max"] == 3 && all["hash"] == applied["configuration"])
                #expect(all["changed"] == applied["changed"])
                #expect(try await gateway.send("info")["result"]["configuration"] == applied["configuration"])
                #expect(!gateway.agent.log.contains("Broker connection is made anew"))
                _ = try await gateway.ask("")
                let again = try await gateway.reported("none", from: mark)
                #expect(again["configuration"] == before && again["changed"] == [] && again["desired"] == nil)
                #expect(gateway.agent.lines(with: "audit: Remote configuration applied").count == 2)
            }
        }

        @Test func `what is wrong in one key changes nothing, and hostile payloads no more`() async throws {
            try await withAgent(.remote()) { gateway in
                let before = try await gateway.hear(on: "info").json["configuration"]
                _ = try await gateway.ask(#"{"logLevel":"error","broker":"mqtt://S3cr3t","policy":[]}"#)
                let rejected = try await gateway.reported("rejected")
                #expect(rejected["errors"].list.map { $0["key"] } == ["broker", "policy"])
                #expect(rejected["configuration"] == before && rejected["inForce"] == nil)
                var random = SeededRandom(seed: 9)
                var payloads: [[UInt8]] = (0..<40).map { _ in
                    (0..<Int.random(in: 1...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
                }
                payloads.append(Array((String(repeating: "[", count: 200_000)).utf8))
                payloads.append([UInt8](repeating: 0x20, count: 300_000))
                payloads.append(
                    Array(
                        ("{\"groups\":{" + (0..<9000).map { "\"g\($0)\":[\"x\"]" }.joined(separator: ",") + "}}").utf8
                    )
                )
                for payload in payloads { try await gateway.ask(payload) }
                let last = try await gateway.hear(on: "config/reported") { json in
                    json["errors"][0]["key"] == "groups" && json["state"] == "rejected"
                }
                #expect(last.message.payload.count < 4096)
                #expect(try await gateway.send("config.get")["result"]["hash"] == before)
                #expect(!gateway.agent.log.contains("S3cr3t"))
                #expect(gateway.agent.log.contains("audit: Remote configuration rejected"))
            }
        }

        @Test func `settings of the connection are tried on a new one, and stay once it has stood`() async throws {
            try await withAgent(.remote()) { gateway in
                let mark = gateway.caller.mark
                _ = try await gateway.ask(#"{"mqtt":{"keepAliveSeconds":47,"version":"3.1.1"}}"#)
                let applied = try await gateway.reported("applied")
                #expect(applied["changed"] == ["mqtt.version", "mqtt.keepAliveSeconds"])
                try await gateway.broker.waitForLog("k47")
                #expect(gateway.agent.lines(with: "Broker connection is made anew").count == 1)
                #expect(try await gateway.send("info")["result"]["mqtt"] == "3.1.1")
                // Nobody was told that the gateway has gone.
                let states = gateway.caller.all(from: mark, gateway.topic("status")).map { $0.json["state"].text }
                #expect(states.allSatisfy { $0 == "online" })
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
            }
        }

        @Test func `settings that cost the connection are taken back, and not tried again`() async throws {
            var setup = AgentSetup.remote()
            setup.keys["remote.confirmSeconds"] = "8"
            setup.broker.isPersistent = true
            try await withAgent(setup) { gateway in
                let before = try await gateway.hear(on: "info").json["configuration"]
                let hash = try await gateway.ask(#"{"mqtt":{"keepAliveSeconds":600},"links":{"max":3}}"#)
                try await gateway.broker.waitForLog("k600")
                try await gateway.broker.stop()
                try await within("the former one") {
                    try await gateway.agent.waitForLog("Remote configuration is taken back")
                }
                try await gateway.broker.start()
                try await gateway.broker.waitForLog("k30")
                try await gateway.caller.subscribed(connection: 2)
                let taken = try await gateway.reported("rolled-back")
                #expect(taken["reason"] == "the broker was not connected within 8 s")
                #expect(taken["desired"].text == hash && taken["inForce"] == nil && taken["configuration"] == before)
                #expect(taken["changed"] == [])
                // The broker still has it, and sends it at each connect.
                let mark = gateway.caller.mark
                try await gateway.settle()
                #expect(try await gateway.send("config.get")["result"]["configuration"]["links"]["max"] == .missing)
                _ = try await gateway.ask(#"{"links":{"max":4}}"#)
                #expect(try await gateway.reported("applied", from: mark)["changed"] == ["links.max"])
                #expect(gateway.agent.lines(with: "Remote configuration is tried").count == 2)
                #expect(gateway.agent.lines(with: "audit: Remote configuration taken back").count == 1)
            }
        }

        @Test(arguments: [SIGKILL, SIGTERM])
        func `one that was on trial when the agent ended is not used again`(signal: Int32) async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.remote(state: state)
                setup.keys["remote.confirmSeconds"] = "3600"
                try await withAgent(setup) { first in
                    _ = try await first.ask(#"{"links":{"max":3}}"#)
                    _ = try await first.reported("applied")
                    let hash = try await first.ask(#"{"mqtt":{"keepAliveSeconds":600}}"#)
                    try await first.broker.waitForLog("k600")
                    _ = try await first.stop(signal)
                    let mark = first.caller.mark
                    let second = try await startAgent(setup, first.world, first.broker, first.caller)
                    try await second.subscribed()
                    let reported = try await second.reported("rolled-back", from: mark)
                    #expect(reported["reason"] == "the agent ended before the broker had confirmed it")
                    #expect(reported["desired"].text == hash && reported["changed"] == ["links.max"])
                    try await second.settle()
                    #expect(!second.agent.log.contains("Remote configuration is tried"))
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `what the broker has kept is found at the start, and holds after a restart without it`() async throws
        {
            try await withStateFolder { state in
                try await withAgentWorld { world in
                    try await withBroker { broker in
                        try await withCaller(port: broker.port, version: .v5) { caller in
                            try await caller.listen(prefix: "edge")
                            let setup = AgentSetup.remote(state: state)
                            var publication = MQTTPublication(
                                topic: "edge/v1/gw/config/desired",
                                payload: Array(#"{"links":{"max":2}}"#.utf8)
                            )
                            (publication.retain, publication.qos) = (true, .atLeastOnce)
                            try await caller.publish(publication)
                            let first = try await startAgent(setup, world, broker, caller)
                            #expect(try await first.reported("applied")["changed"] == ["links.max"])
                            _ = try await first.stop()
                            try await broker.stop()
                            let second = try await startAgent(setup, world, broker, caller)
                            try await within("the kept one") {
                                try await second.agent.waitForLog("Remote configuration holds key=links.max")
                            }
                            _ = try await second.stop(SIGKILL)
                        }
                    }
                }
            }
        }

        @Test func `what cannot change while it runs waits for the next start`() async throws {
            try await withStateFolder { state in
                let setup = AgentSetup.remote(state: state)
                try await withAgent(setup) { first in
                    let address = TestDevice.battery.address
                    _ = try await first.ask(
                        #"{"devices":[{"address":"\#(address)","alias":"cell"}],"groups":{"all":["cell"]},"links":{"max":2}}"#
                    )
                    let applied = try await first.reported("applied")
                    #expect(applied["pending"] == ["devices", "groups"])
                    #expect(applied["changed"] == ["links.max", "groups", "devices"])
                    let running = try await first.send("config.get")["result"]
                    #expect(running["configuration"]["devices"] == [] && running["pending"] == applied["pending"])
                    #expect(running["configuration"]["links"]["max"] == 2)
                    _ = try await first.send("restart")
                    #expect(try await first.ended() == ExitCode.temporaryFailure.rawValue)
                    let mark = first.caller.mark
                    let second = try await startAgent(setup, first.world, first.broker, first.caller)
                    try await second.subscribed()
                    let after = try await second.hear(on: "config/reported", from: mark) { $0["pending"] == [] }.json
                    #expect(after["state"] == "applied" && after["changed"] == applied["changed"])
                    #expect(try await second.send("info")["result"]["groups"] == ["all"])
                    try await second.hear(on: "dev/cell/avail", from: mark)
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `without a state directory it holds for this run, and says so`() async throws {
            try await withAgent(.remote(state: "/proc/none")) { gateway in
                _ = try await gateway.ask(#"{"links":{"max":3}}"#)
                let applied = try await gateway.reported("applied")
                #expect(applied["kept"] == false && applied["problem"].text?.hasPrefix("/proc/none: mkdir: ") == true)
            }
        }

        @Test(arguments: [("auto", true, "off"), ("on", true, "applied"), ("off", false, "off")])
        func `with a policy it is taken only where the file says so`(_ mode: String, _ hasPolicy: Bool, _ state: String)
            async throws
        {
            var setup = AgentSetup.remote()
            setup.keys["remote.configuration"] = mode
            if hasPolicy { setup.keys["policy"] = "[{allow: any}]" }
            try await withAgent(setup) { gateway in
                let mark = gateway.caller.mark
                _ = try await gateway.ask(#"{"links":{"max":3}}"#)
                let reported = try await gateway.reported(state, from: mark)
                #expect((reported["inForce"].text != nil) == (state == "applied"))
                #expect(reported["changed"].list.count == (state == "applied" ? 1 : 0))
            }
        }

        @Test func `of a file that is read again what can change does, under what was asked for`() async throws {
            try await withStateFolder { state in
                let setup = AgentSetup.remote(state: state)
                try await withAgent(setup) { gateway in
                    _ = try await gateway.ask(#"{"links":{"max":3},"limits":{"maxQueuedTotal":100}}"#)
                    _ = try await gateway.reported("applied")
                    let mark = gateway.caller.mark
                    var other = setup
                    other.keys["links.max"] = "9"
                    other.keys["links.idleMs"] = "1234"
                    other.keys["durability"] = "power"
                    try gateway.agent.replace("edge-agent.yaml", other.configuration(port: gateway.broker.port))
                    gateway.agent.send(SIGHUP)
                    let reported = try await gateway.hear(on: "config/reported", from: mark) {
                        $0["pending"] == ["durability"]
                    }
                    #expect(reported.json["changed"] == ["limits.maxQueuedTotal", "links.max"])
                    let links = try await gateway.send("config.get", #""section":"links""#)["result"]["configuration"]
                    #expect(links["links"]["max"] == 3 && links["links"]["idleMs"] == 1234)
                    // This file and what was asked for do not go together.
                    other.keys["limits.maxQueuedPerDevice"] = "200"
                    try gateway.agent.replace("edge-agent.yaml", other.configuration(port: gateway.broker.port))
                    gateway.agent.send(SIGHUP)
                    try await gateway.agent.waitForLog(
                        "Configuration does not go with the remote one: nothing is changed"
                    )
                    let limits = try await gateway.send("config.get", #""section":"limits""#)["result"]["configuration"]
                    #expect(limits["limits"]["maxQueuedPerDevice"] == 64 && limits["limits"]["maxQueuedTotal"] == 100)
                    try gateway.agent.replace("edge-agent.yaml", "gatway: x")
                    gateway.agent.send(SIGHUP)
                    try await gateway.agent.waitForLog("error agent: Configuration is not valid")
                    try await gateway.settle()
                }
            }
        }

        @Test func `the level of the log changes, for a time and for good`() async throws {
            try await withAgent(.remote()) { gateway in
                let first = try await gateway.send("log.level", #""level":"error","forMs":1000"#)
                #expect(first["result"]["level"] == "error" && first["result"]["former"] == "debug")
                #expect(first["result"]["ends"].text?.hasSuffix("Z") == true)
                try await within("the end") {
                    try await gateway.agent.waitForLog("Log has the level of the configuration level=debug")
                }
                let second = try await gateway.send("log.level", #""level":"notice""#)
                #expect(second["result"]["former"] == "debug" && second["result"]["ends"] == nil)
                // Another one of the configuration ends what a command has set.
                _ = try await gateway.ask(#"{"logLevel":"info"}"#)
                _ = try await gateway.reported("applied")
                #expect(try await gateway.send("log.level", #""level":"debug""#)["result"]["former"] == "info")
                #expect(gateway.agent.log.contains("verb=log.level"))
            }
        }
    }
}

extension AgentSetup {
    /// A gateway that gives the broker little time to confirm a configuration.
    fileprivate static func remote(state: String? = nil) -> AgentSetup {
        var setup = AgentSetup()
        setup.keys["remote.confirmSeconds"] = "5"
        if let state { setup.keys["stateDir"] = "\"\(state)\"" }
        return setup
    }
}

extension Gateway {
    /// Asks for a configuration, retained; the hash of what was asked for.
    @discardableResult
    fileprivate func ask(_ text: String) async throws -> String? { try await ask(Array(text.utf8)) }

    @discardableResult
    fileprivate func ask(_ payload: [UInt8]) async throws -> String? {
        try await publish(payload, to: "config/desired") { publication in
            (publication.retain, publication.qos) = (true, .atLeastOnce)
        }
        return DesiredConfiguration(payload)?.hash
    }

    /// Waits for what is said of it.
    fileprivate func reported(_ state: String, from mark: Int = 0) async throws -> Json {
        try await hear(state, on: "config/reported", from: mark).json
    }
}
