import EdgeAgent
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConfigurationDifferenceTests {
    private let running = readConfiguration("gateway: shop-3").configuration

    @Test func `each kind of key waits or holds as its mark says`() {
        var wanted = running
        wanted.logLevel = .debug
        wanted.mqtt.keepAlive = .seconds(99)
        wanted.durability = .power
        wanted.bluetooth.adapter = "hci1"
        wanted.metrics.listen = "127.0.0.1:1"
        let difference = ConfigurationDifference(from: running, to: wanted)
        #expect(
            difference.keys == [
                "durability", "logLevel", "mqtt.keepAliveSeconds", "bluetooth.adapter", "metrics.listen",
            ]
        )
        #expect(difference.pending == ["durability", "bluetooth.adapter", "metrics.listen"])
        #expect(difference.concernsConnection)
        var now = running
        (now.logLevel, now.mqtt.keepAlive) = (.debug, .seconds(99))
        #expect(difference.now == now)
        #expect(!ConfigurationDifference(from: running, to: running).concernsConnection)
        #expect(ConfigurationDifference.keys(running, running).isEmpty)
    }

    @Test func `a value that was set is unset again`() {
        var former = running
        former.links.maximum = 3
        former.links.rules.rssiMin = -80
        #expect(ConfigurationDifference(from: former, to: running).now == running)
    }

    @Test func `groups wait for their devices`() {
        var wanted = running
        wanted.groups = [GroupConfiguration(name: "hall", members: ["a1b2c3d4e5f6"])]
        let alone = ConfigurationDifference(from: running, to: wanted)
        #expect(alone.pending.isEmpty && alone.now.groups == wanted.groups && alone.keys == ["groups"])
        wanted.devices = [DeviceConfiguration(address: "a1b2c3d4e5f6", alias: "door")]
        let both = ConfigurationDifference(from: running, to: wanted)
        #expect(both.pending == ["devices", "groups"] && both.now == running)
    }

    @Test func `every key takes its value over, and no other`() {
        for key in ConfigurationKey.all {
            var copy = running
            key.copy(running, &copy)
            #expect(copy == running, "\(key.path)")
        }
    }

    @Test func `what is told of the configuration is the file's keys, and no secret`() throws {
        var configuration = readConfiguration(
            "gateway: shop-3\nbroker: mqtts://S3cr3t@host\nrecovery: {helper: [/bin/S3cr3t, x]}\n"
                + "devices: [{address: a1b2c3d4e5f6, alias: door, link: {policy: keep}}]\ngroups: {hall: [door]}\n"
                + "policy: [{allow: any, callers: S3cr3t}]"
        ).configuration
        configuration.mqtt.username = "S3cr3t"
        configuration.mqtt.passwordFile = "/S3cr3t"
        configuration.mqtt.password = Secret(Array("S3cr3t".utf8))
        configuration.mqtt.keyFile = "/S3cr3t"
        configuration.bluetooth.identityKeysFile = "/S3cr3t"
        configuration.profiles.bindKeysFile = "/S3cr3t"
        func told(_ section: String?) throws -> JSONObject {
            let content = ConfigurationContent(
                configuration,
                section: section,
                hash: "h",
                changed: ["a"],
                pending: ["b"]
            )
            let body = ResultBody.ok(
                try DecoderFixture().command(#"{"verb":"config.get"}"#, on: DecoderFixture.onGateway),
                confirmed: .local,
                payload: .configuration(content)
            )
            let stamp = PageExamples(fixture: try DecoderFixture(), page: "").stamp()
            let payload = ResultEncoder().encode(body, stamp: stamp).payload
            #expect(!String(decoding: payload, as: UTF8.self).contains("S3cr3t"))
            return try #require(try parsed(payload)["result"]?.object)
        }
        let all = try told(nil)
        let shown = try #require(all["configuration"]?.object)
        #expect(shown["gateway"] == .string("shop-3") && shown["broker"] == .string("mqtts://host:8883"))
        #expect(shown["mqtt"]?.object?["passwordFile"] == .string("set"))
        #expect(shown["mqtt"]?.object?["qos"]?.object?["scan"] == .integer(0))
        #expect(shown["mqtt"]?.object?["cleanSession"] == .bool(true))
        #expect(shown["bluetooth"]?.object?["pairing"]?.object?["promptMs"] == .integer(25_000))
        #expect(shown["recovery"]?.object?["helper"] == .string("set"))
        #expect(shown["policy"]?.object?["rules"] == .integer(1))
        #expect(shown["groups"]?.object?["hall"] == .array([.string("door")]))
        #expect(shown["devices"]?.array?.first?.object?["link"]?.object?["policy"] == .string("keep"))
        #expect(all["changed"] == .array([.string("a")]) && all["pending"] == .array([.string("b")]))
        for section in ConfigurationContent.sections {
            let part = try #require(try told(section)["configuration"]?.object)
            #expect(part.entries.map(\.key) == (shown[section] == nil ? [] : [section]))
            #expect(part[section] == shown[section])
        }
        // What can be asked for is what is told.
        let keys = Set(shown.entries.map(\.key)).union(["metrics"])
        #expect(
            keys.isSuperset(
                of: Set(ConfigurationKey.all.map { String($0.path.prefix { $0 != "." }) }).subtracting(["audit"])
            )
        )
    }

    @Test func `what is reported has the fields of its schema`() throws {
        let reported = ReportedConfiguration(
            state: .rolledBack,
            configuration: "c",
            errors: [.init(key: nil, "x")],
            reason: "r",
            problem: "p"
        )
        let stamp = PageExamples(fixture: try DecoderFixture(), page: "").stamp()
        let real = try parsed(reported.encode(stamp))
        let schema = try parsed(Array(try documentation("reported.schema.json").utf8))
        let properties = try #require(schema["properties"]?.object)
        #expect(real.entries.map(\.key) == properties.entries.map(\.key))
        let names = properties["state"]?.object?["enum"]?.array?.compactMap(\.string)
        #expect(names == RemoteState.Name.allCases.map(\.rawValue))
        let required = Set(schema["required"]?.array?.compactMap(\.string) ?? [])
        #expect(required.union(["reason", "problem"]) == Set(real.entries.map(\.key)))
    }
}

/// A file of the documentation.
private func documentation(_ name: String) throws -> String {
    let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")
    return try String(contentsOf: docs.appending(path: name), encoding: .utf8)
}
