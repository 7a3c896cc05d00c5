import EventLoop
import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConnectTests {
    @Test(arguments: [MQTTVersionPolicy.v5, .v311])
    func `a message goes to the broker and comes back`(_ version: MQTTVersionPolicy) async throws {
        try await withBroker { broker in
            try await withClient(MQTTConfiguration(broker.port, version: version)) { test in
                let connection = try await test.connected()
                #expect(connection.version == (version == .v5 ? .v5 : .v311))
                #expect(!connection.sessionPresent)
                #expect(connection.isFirst)
                let outcome = try await test.subscribe(MQTTSubscription("a/#"))
                #expect(outcome == .granted(.atLeastOnce))
                let delivered = try await test.deliver(MQTTPublication(topic: "a/b", payload: Array("hello".utf8)))
                #expect(delivered.isAcknowledged)
                let message = try await test.messages.first(1)[0]
                #expect(message.topic == "a/b")
                #expect(text(message) == "hello")
                #expect(message.qos == .atLeastOnce)
                #expect(!message.retain)
            }
        }
    }

    @Test func `properties of MQTT 5 go out and come in`() async throws {
        try await withBroker { broker in
            try await withClient(MQTTConfiguration(broker.port, version: .v5)) { test in
                try await test.subscribe(MQTTSubscription("in/#"))
                let publisher = try await ChildProcess.spawn(
                    "/usr/bin/mosquitto_pub",
                    ["-V", "5", "-h", "127.0.0.1", "-p", String(broker.port), "-q", "1", "-t", "in/1", "-m", "x"]
                        + ["-D", "publish", "response-topic", "reply/me", "-D", "publish", "correlation-data", "c-1"]
                        + [
                            "-D", "publish", "user-property", "client", "one", "-D", "publish", "user-property", "a",
                            "",
                        ]
                        + ["-D", "publish", "message-expiry-interval", "100", "-D", "publish", "content-type", "t/p"]
                )
                let message = try await test.messages.first(1)[0]
                #expect(try await publisher.exitStatus() == 0)
                #expect(message.responseTopic == "reply/me")
                #expect(message.correlationData == Array("c-1".utf8))
                #expect(message.userProperties == [MQTTUserProperty("client", "one"), MQTTUserProperty("a", "")])
                #expect(message.expirySeconds.map { (99...100).contains($0) } == true)
                #expect(message.contentType == "t/p")

                let subscriber = try await ChildProcess.spawn(
                    "/usr/bin/mosquitto_sub",
                    ["-V", "5", "-h", "127.0.0.1", "-p", String(broker.port), "-q", "1", "-t", "out", "-C", "1", "-d"]
                        + ["-F", "%p|%D|%P|%C|%F|%E"]
                )
                try await broker.waitForLog("Sending SUBACK", count: 2)
                var publication = MQTTPublication(topic: "out", payload: Array("y".utf8))
                publication.correlationData = [0x31, 0x32]
                publication.contentType = "application/json"
                publication.isText = true
                publication.expirySeconds = 50
                publication.userProperties = [MQTTUserProperty("status", "ok"), MQTTUserProperty("code", "")]
                #expect(try await test.deliver(publication).isAcknowledged)
                #expect(try await subscriber.exitStatus() == 0)
                let line = subscriber.output.split(separator: "\n").last { $0.contains("|") }
                let fields = line?.split(separator: "|", omittingEmptySubsequences: false).map(String.init) ?? []
                #expect(fields.prefix(2) == ["y", "12"])
                #expect(fields.dropFirst(2).first?.contains("status:ok") == true)
                #expect(fields.dropFirst(3).first == "application/json")
                #expect(fields.dropFirst(4).first == "1")
                #expect(fields.last.flatMap { Int($0) }.map { (48...50).contains($0) } == true)
            }
        }
    }

    @Test func `a payload over the cap arrives as its size and its properties`() async throws {
        try await withBroker { broker in
            var configuration = MQTTConfiguration(broker.port, version: .v5)
            configuration.maxPayloadBytes = 100
            try await withClient(configuration) { test in
                try await test.subscribe(MQTTSubscription("in"))
                for count in [101, 100] {
                    try await ChildProcess.run(
                        "/usr/bin/mosquitto_pub",
                        ["-V", "5", "-h", "127.0.0.1", "-p", String(broker.port), "-q", "1", "-t", "in", "-s"]
                            + ["-D", "publish", "response-topic", "reply/me"],
                        input: String(repeating: "x", count: count)
                    )
                }
                let messages = try await test.messages.first(2)
                #expect(messages[0].isOversize)
                #expect(messages[0].payload.isEmpty)
                #expect(messages[0].payloadBytes == 101)
                #expect(messages[0].responseTopic == "reply/me")
                #expect(!messages[1].isOversize)
                #expect(messages[1].payload.count == 100)
                #expect(await test.client.counters.oversize == 1)
            }
        }
    }

    @Test(arguments: [MQTTVersionPolicy.v5, .v311])
    func `the will goes out when the link is cut and not after a close`(_ version: MQTTVersionPolicy) async throws {
        try await withBroker { broker in
            try await withClient(MQTTConfiguration(broker.port, id: "watcher")) { watcher in
                try await watcher.subscribe(MQTTSubscription("status"))
                var configuration = MQTTConfiguration(broker.port, version: version)
                configuration.will = MQTTWill(topic: "status", payload: Array("lost".utf8))
                // With a session to come back to, mosquitto keeps the will of a client that another takes over from.
                configuration.sessionExpirySeconds = 0
                try await withClient(configuration) { try await $0.connected() }
                try await withClient(configuration) { test in
                    try await test.connected()
                    // Another with the same id: the broker cuts this one off.
                    var other = configuration
                    other.will = nil
                    other.reconnect.first = .seconds(30)
                    other.reconnect.longest = .seconds(30)
                    try await withClient(other) { thief in
                        try await thief.connected()
                        _ = try await test.failure()
                    }
                    let message = try await watcher.messages.first(1)[0]
                    #expect(text(message) == "lost")
                }
                _ = try await watcher.deliver(MQTTPublication(topic: "status", payload: Array("end".utf8)))
                let last = try await watcher.messages.wait { text($0) == "end" }
                #expect(text(last) == "end")
                #expect(watcher.messages.all.count { text($0) == "lost" } == 1)
            }
        }
    }

    @Test func `cancelling the task sends what is queued and says goodbye`() async throws {
        try await withBroker { broker in
            try await withClient(MQTTConfiguration(broker.port, id: "watcher")) { watcher in
                try await watcher.subscribe(MQTTSubscription("#"))
                let loop = try EventLoop.startThread()
                defer { loop.stop() }
                var configuration = MQTTConfiguration(broker.port)
                configuration.will = MQTTWill(topic: "will", payload: [1])
                let test = TestClient(configuration, on: loop)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask(executorPreference: loop) { try await test.client.run() }
                    try await test.connected()
                    for number in 0..<100 {
                        await test.client.publish(MQTTPublication(topic: "t", payload: [UInt8(number)]))
                    }
                    group.cancelAll()
                    try await group.waitForAll()
                }
                #expect(test.events.all.last == .closed)
                let messages = try await watcher.messages.first(100)
                #expect(messages.map(\.payload) == (0..<100).map { [UInt8($0)] })
                try await broker.waitForLog("Received DISCONNECT from agent")
                #expect(watcher.messages.all.count { $0.topic == "will" } == 0)
                #expect(await test.client.publish(MQTTPublication(topic: "t", payload: [])) == .closing)
            }
        }
    }

    @Test func `a password is needed, used, and never shown`() async throws {
        var options = BrokerOptions()
        options.users = ["agent": "hunter2"]
        try await withBroker(options) { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.username = "agent"
            configuration.password = MQTTSecret(Array("wrong".utf8))
            try await withClient(configuration) { test in
                guard case .refused(let code, let text) = try await test.failure() else {
                    Issue.record("not refused")
                    return
                }
                #expect(code == 0x87)
                #expect(text.contains("Not authorized"))
            }
            configuration.password = MQTTSecret(Array("hunter2".utf8))
            try await withClient(configuration) { try await $0.connected() }
            #expect(!"\(configuration)".contains("hunter2"))
            #expect(!String(reflecting: configuration).contains("hunter2"))
            var dumped = ""
            dump(configuration, to: &dumped)
            #expect(!dumped.contains("hunter2") && !dumped.contains("104"))
        }
    }

    @Test(arguments: Spoilt.allCases)
    func `a value that cannot work ends the client at once and names its field`(
        _ spoilt: Spoilt
    ) async throws {
        var configuration = MQTTConfiguration(1883)
        let field = spoilt.apply(to: &configuration)
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let test = TestClient(configuration, on: loop)
        do {
            try await test.client.run()
            Issue.record("did not throw")
        } catch let failure as MQTTFailure {
            guard case .configuration(field, _) = failure else {
                Issue.record("\(failure)")
                return
            }
        }
    }
}

/// A value that cannot work.
enum Spoilt: CaseIterable {
    case emptyHost, hostWithNUL, portZero, portTooHigh, emptyClientID, shortKeepalive, passwordAlone, emptyWindow
    case wildcardWill, missingCA, certificateAlone

    func apply(to configuration: inout MQTTConfiguration) -> String {
        switch self {
        case .emptyHost: configuration.host = ""
        case .hostWithNUL: configuration.host = "a\0b"
        case .portZero: configuration.port = 0
        case .portTooHigh: configuration.port = 65536
        case .emptyClientID: configuration.clientID = ""
        case .shortKeepalive: configuration.keepaliveSeconds = 1
        case .passwordAlone: configuration.password = MQTTSecret([1])
        case .emptyWindow: configuration.outgoing.unacknowledged = 0
        case .wildcardWill: configuration.will = MQTTWill(topic: "a/#", payload: [])
        case .missingCA: configuration.tls = MQTTTLS(caFile: "/nonexistent/ca.pem")
        case .certificateAlone: configuration.tls = MQTTTLS(certificateFile: "/nonexistent/c.pem")
        }
        return switch self {
        case .emptyHost, .hostWithNUL: "host"
        case .portZero, .portTooHigh: "port"
        case .emptyClientID: "client id"
        case .shortKeepalive: "keepalive"
        case .passwordAlone: "password"
        case .emptyWindow: "unacknowledged"
        case .wildcardWill: "will"
        case .missingCA: "ca file"
        case .certificateAlone: "tls"
        }
    }
}
