import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConfigurationTextTests {
    @Test func `the effective configuration can be read again and means the same`() throws {
        try withTemporaryDirectory { directory in
            try writeFile("S3cr3t-needle", to: directory + "/password")
            let reader = readConfiguration(
                """
                broker: mqtt://a%40b@[::1]:1
                mqtt: {version: 3.1.1, clientId: "yes", qos: {job: 0}, passwordFile: \(directory)/password}
                devices:
                  - {address: 012345678901, alias: "on", name: "a: #b \\"c\\\\ \\u202e ü"}
                """
            )
            #expect(reader.problems.isEmpty)
            let text = ConfigurationText.yaml(reader.configuration)
            let again = readConfiguration(text)
            #expect(again.problems.isEmpty)
            #expect(again.configuration == reader.configuration)
            #expect(ConfigurationText.yaml(again.configuration) == text)
            #expect(text.contains("  # its content: ***\n"))
            #expect(!text.contains("S3cr3t"))
        }
    }

    @Test func `the hash tells configurations apart and leaves secrets out`() {
        let plain = Configuration(gateway: "a")
        var other = plain
        other.mqtt.qos.scan = 1
        var secret = plain
        secret.mqtt.password = Secret([1])
        #expect(ConfigurationText.hash(plain).utf8.count == 64)
        #expect(ConfigurationText.hash(plain) != ConfigurationText.hash(other))
        #expect(ConfigurationText.hash(plain) == ConfigurationText.hash(secret))
    }

    @Test func `every default is a value that its key accepts`() {
        for key in ConfigurationKey.all {
            guard let value = key.show(Configuration(gateway: "shop-1")) else { continue }
            var configuration = Configuration(gateway: "shop-1")
            let scalar = ConfigurationKey.Scalar(text: value, quoted: false)
            #expect(key.read(scalar, &configuration) == nil, "\(key.path)")
            #expect(key.show(configuration) == value)
        }
    }

    @Test func `no key stands twice and every flag has a key`() {
        let paths = ConfigurationKey.all.map(\.path)
        #expect(Set(paths).count == paths.count)
        let flags = ConfigurationKey.all.compactMap(\.flag)
        #expect(Set(flags).count == 10)
        #expect(Set(CommandLineFlag.all.map(\.name)) == Set(flags).union(["--config"]))
    }
}
