import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TLSTests {
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
                #expect(outcome.isAcknowledged)
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
        let pair = try await files.issueForLoopback()
        // A server of OpenSSL's own: mosquitto's bound is a minimum too.
        let port = try freePort()
        let server = try await ChildProcess.spawn(
            "/usr/bin/openssl",
            [
                "s_server", "-www", "-accept", "127.0.0.1:\(port)", "-cert", pair.certificate, "-key", pair.key,
                "-tls1_2",
            ]
        )
        try await server.waitFor("ACCEPT")
        var configuration = configuration(port, ca: files.authority)
        configuration.tls?.minimum = .tls13
        configuration.answerDeadline = .seconds(5)
        try await withClient(configuration) { test in
            let failure = try await test.failure()
            guard case .tls(let text) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(text == "the broker speaks no version of TLS that is allowed here", "\(text)")
        }
        // The other way round it gets as far as CONNECT, which nobody answers.
        configuration.tls?.minimum = .tls12
        try await withClient(configuration) { test in
            let failure = try await test.failure()
            #expect(failure == .noAnswer(after: .seconds(5)))
        }
    }

    @Test func `the broker's name is told in the handshake`() async throws {
        let files = try await Certificates()
        let (first, second) = (try await files.issue("first"), try await files.issueForLoopback())
        let port = try freePort()
        var arguments = ["s_server", "-www", "-accept", "127.0.0.1:\(port)"]
        arguments += ["-cert", first.certificate, "-key", first.key]
        // The certificate that fits is shown to those alone who ask for the name.
        arguments += ["-servername", "localhost", "-cert2", second.certificate, "-key2", second.key]
        let server = try await ChildProcess.spawn("/usr/bin/openssl", arguments)
        try await server.waitFor("ACCEPT")
        var configuration = configuration(port, ca: files.authority)
        configuration.answerDeadline = .seconds(5)
        try await withClient(configuration) { test in
            let failure = try await test.failure()
            #expect(failure == .noAnswer(after: .seconds(5)))
        }
    }

    @Test(arguments: ["encrypted", "other"])
    func `a key that cannot be used is named as the reason`(kind: String) async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issueForLoopback()
        let pair = try await files.issue("agent")
        let key: String
        if kind == "encrypted" {
            key = files.directory + "/locked.key"
            try await ChildProcess.run(
                "/usr/bin/openssl",
                ["pkey", "-in", pair.key, "-aes128", "-passout", "pass:x", "-out", key]
            )
        } else {
            key = try await files.issue("other").key
        }
        try await withBroker(options) { broker in
            var configuration = configuration(broker.port, ca: files.authority)
            configuration.tls?.certificateFile = pair.certificate
            configuration.tls?.keyFile = key
            try await withClient(configuration) { test in
                let failure = try await test.failure()
                guard case .tls(let text) = failure else {
                    Issue.record("\(failure)")
                    return
                }
                let reason =
                    kind == "encrypted"
                    ? "the key \(key) cannot be read; it must not be encrypted"
                    : "the key \(key) does not belong to the certificate \(pair.certificate)"
                #expect(text == reason, "\(text)")
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
