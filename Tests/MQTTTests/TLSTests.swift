import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    private func configuration(_ port: Int, host: String = "localhost", ca: String?) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(port)
        configuration.host = host
        configuration.tls = MQTTTLS(caFile: ca)
        return configuration
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a broker with a good certificate is accepted by name and by address`(_ host: String) async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issueForLoopback()
        try await withBroker(options) { broker in
            try await withClient(configuration(broker.port, host: host, ca: files.authority)) { test in
                try await test.connected()
                let outcome = try await test.deliver(MQTTPublication(topic: "t", payload: [1]))
                #expect(outcome == .acknowledged)
            }
        }
    }

    @Test func `an unknown issuer is named as the reason`() async throws {
        let files = try await Certificates()
        let others = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issueForLoopback()
        try await withBroker(options) { broker in
            for authority in [others.authority, nil] {
                try await withClient(configuration(broker.port, ca: authority)) { test in
                    let failure = try await test.failure()
                    #expect(failure.isRejection("unable to get local issuer certificate"))
                }
            }
        }
    }

    @Test func `a certificate for another name is named as the reason`() async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issue("elsewhere", alternatives: ["DNS:broker.example"])
        try await withBroker(options) { broker in
            try await withClient(configuration(broker.port, ca: files.authority)) { test in
                let failure = try await test.failure()
                #expect(failure == .tls("the broker's certificate is not for the name localhost"))
            }
        }
    }

    @Test func `an expired certificate is named as the reason`() async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issue("old", alternatives: ["DNS:localhost"], days: -1)
        try await withBroker(options) { broker in
            try await withClient(configuration(broker.port, ca: files.authority)) { test in
                let failure = try await test.failure()
                #expect(failure.isRejection("certificate has expired"))
            }
        }
    }

    @Test func `a client certificate is shown, and missed when there is none`() async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issueForLoopback()
        options.clientAuthority = files.authority
        try await withBroker(options) { broker in
            var configuration = configuration(broker.port, ca: files.authority)
            try await withClient(configuration) { test in
                guard case .tls(let text) = try await test.failure() else {
                    Issue.record("\(test.events.all)")
                    return
                }
                #expect(text.contains("client certificate"))
            }
            let pair = try await files.issue("agent")
            configuration.tls?.certificateFile = pair.certificate
            configuration.tls?.keyFile = pair.key
            try await withClient(configuration) { try await $0.connected() }
        }
    }

    @Test func `a file that holds no certificate is named as the reason`() async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issueForLoopback()
        try await withBroker(options) { broker in
            try await withClient(configuration(broker.port, ca: files.directory + "/ca.key")) { test in
                guard case .tls(let text) = try await test.failure() else {
                    Issue.record("\(test.events.all)")
                    return
                }
                #expect(text.contains("ca.key"))
            }
        }
    }

    @Test func `a broker that speaks no TLS is a failure of TLS and no fall-back`() async throws {
        let files = try await Certificates()
        try await withBroker { broker in
            try await withClient(configuration(broker.port, ca: files.authority)) { test in
                for attempt in 1...3 {
                    guard case .tls = try await test.failure(attempt) else {
                        Issue.record("\(test.events.all)")
                        return
                    }
                }
            }
        }
    }

    @Test func `the minimum version is kept`() async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issueForLoopback()
        options.listenerLines = ["tls_version tlsv1.2", "ciphers ECDHE-ECDSA-AES128-GCM-SHA256"]
        options.listenerLines.append("ciphers_tls1.3 TLS_AES_128_GCM_SHA256")
        try await withBroker(options) { broker in
            var configuration = configuration(broker.port, ca: files.authority)
            try await withClient(configuration) { try await $0.connected() }
            configuration.tls?.minimum = .tls13
            try await withClient(configuration) { test in
                // mosquitto's tls_version is a minimum too: 1.3 is agreed on.
                let connection = try await test.connected()
                #expect(connection.isFirst)
            }
        }
    }
}

extension MQTTFailure {
    /// Whether it says that the certificate was not accepted, for this reason when OpenSSL could still be asked.
    fileprivate func isRejection(_ reason: String) -> Bool {
        let text = "the broker's certificate was not accepted"
        return self == .tls(text + ": " + reason) || self == .tls(text)
    }
}
