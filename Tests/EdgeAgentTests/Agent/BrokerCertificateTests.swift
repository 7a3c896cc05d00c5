import Foundation
import TestSupport
import Testing

extension AgentLane1 {
    /// TLS between agent and broker: what the log says when something does not fit.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct BrokerCertificateTests {
        /// What is wrong with the certificates.
        enum Fault: String, CaseIterable {
            case wrongAuthority, wrongName, expired, noClientCertificate, expiredClient, strangeClient

            /// Part of the reason that the log tells.
            var reasons: [String] {
                switch self {
                case .wrongAuthority: ["the broker's certificate was not accepted"]
                case .wrongName: ["the broker's certificate is not for the name localhost"]
                case .expired: ["the broker's certificate was not accepted"]
                case .noClientCertificate: ["client certificate"]
                // The alert is lost where the broker's close overtakes it.
                case .expiredClient:
                    ["client's certificate: it has expired", "may not accept the client's certificate"]
                case .strangeClient:
                    ["client's certificate: its issuer is not known there", "may not accept the client's certificate"]
                }
            }
        }

        private func start(_ world: AgentWorld, _ port: Int, _ mqtt: [String], environment: [String: String] = [:])
            async throws -> AgentProgram
        {
            let lines = ["reconnectMinMs: 100", "reconnectMaxMs: 60000"] + mqtt
            let configuration = """
                gateway: gw
                broker: mqtts://localhost:\(port)
                stateDir: "@/state"
                mqtt:
                \(lines.map { "  " + $0 }.joined(separator: "\n"))
                """
            return try await AgentProgram.start(
                configuration: configuration,
                environment: environment,
                bus: world.busAddress
            )
        }

        @Test(arguments: Fault.allCases)
        func `what does not fit is one line an attempt, with the reason, and growing gaps`(fault: Fault) async throws {
            let (ours, others) = (try await Certificates(), try await Certificates())
            var options = BrokerOptions()
            options.certificate =
                switch fault {
                case .wrongName: try await ours.issue("elsewhere", alternatives: ["DNS:broker.example"])
                case .expired: try await ours.issue("old", alternatives: ["DNS:localhost"], days: -1)
                default: try await ours.issueForLoopback()
                }
            var mqtt = ["caFile: \(fault == .wrongAuthority ? others.authority : ours.authority)"]
            switch fault {
            case .noClientCertificate: options.clientAuthority = ours.authority
            case .expiredClient, .strangeClient:
                options.clientAuthority = ours.authority
                let issuer = fault == .strangeClient ? others : ours
                let pair = try await issuer.issue("agent", days: fault == .expiredClient ? -1 : 2)
                mqtt += ["certificateFile: \(pair.certificate)", "keyFile: \(pair.key)"]
            default: break
            }
            try await withAgentWorld { world in
                try await withBroker(options) { broker in
                    let agent = try await start(world, broker.port, mqtt)
                    try await agent.waitForLog("Broker not reached", count: 4)
                    let lines = agent.lines(with: "Broker not reached").prefix(4)
                    for line in lines {
                        #expect(fault.reasons.contains { line.contains($0) }, "\(line)")
                        #expect(
                            line.contains("error=\"TLS: ") && line.contains("broker=mqtts://localhost:\(broker.port)")
                        )
                    }
                    let gaps = try lines.map { line in
                        try #require(line.firstMatch(of: /waitMs=(\d+)/).flatMap { Int($0.1) })
                    }
                    #expect(gaps == gaps.sorted() && gaps[3] >= 4 * gaps[0], "\(gaps)")
                    // A reason stands nowhere but in these lines.
                    let warnings = agent.lines(with: "<4>").count + agent.lines(with: " warning ").count
                    #expect(warnings <= lines.count + 1, "\(agent.log)")
                    #expect(!agent.log.contains("MQTT 5, going on"))
                }
            }
        }

        @Test func `a client certificate and the system's authorities lead to the broker`() async throws {
            let files = try await Certificates()
            var options = BrokerOptions()
            options.certificate = try await files.issueForLoopback()
            options.clientAuthority = files.authority
            let pair = try await files.issue("agent")
            let mqtt = ["certificateFile: \(pair.certificate)", "keyFile: \(pair.key)", "tlsMinimum: \"1.3\""]
            try await withAgentWorld { world in
                try await withBroker(options) { broker in
                    let trusting = try await start(world, broker.port, mqtt + ["caFile: \(files.authority)"])
                    try await trusting.waitForLog("Broker connected")
                    trusting.send(SIGTERM)
                    #expect(try await trusting.exitStatus() == 0)
                    // The place of OpenSSL's own authorities, moved.
                    let place = ["SSL_CERT_FILE": files.authority]
                    let systematic = try await start(world, broker.port, mqtt, environment: place)
                    try await systematic.waitForLog("Broker connected")
                }
            }
        }
    }
}
