import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BrokerAddressTests {
    @Test(arguments: [
        ("mqtt://localhost", BrokerAddress(secure: false, host: "localhost", port: 1883)),
        ("MQTTS://broker.example", BrokerAddress(secure: true, host: "broker.example", port: 8883)),
        ("mqtt://10.0.0.1:65535/", BrokerAddress(secure: false, host: "10.0.0.1", port: 65535)),
        ("mqtt://[::1]", BrokerAddress(secure: false, host: "::1", port: 1883)),
        ("mqtts://agent@[fe80::1%eth0]:1", BrokerAddress(secure: true, host: "fe80::1%eth0", port: 1, user: "agent")),
        ("mqtt://a%40b%25@host", BrokerAddress(secure: false, host: "host", port: 1883, user: "a@b%")),
        ("mqtt://a@b@host_1", BrokerAddress(secure: false, host: "host_1", port: 1883, user: "a@b")),
    ])
    func `a URL is read and written back`(url: String, address: BrokerAddress) throws {
        #expect(try BrokerAddress(url: url) == address)
        #expect(try BrokerAddress(url: address.description) == address)
    }

    @Test(arguments: [
        ("", BrokerAddressProblem.noScheme),
        ("localhost:1883", .noScheme),
        ("http://host", .unknownScheme),
        ("mqtt://user:S3cr3t-needle@host", .password),
        ("mqtt://user:S3cr3t@needle@host", .password),
        ("mqtt://:@host", .password),
        ("mqtt://@host", .badUser),
        ("mqtt://a%4@host", .badUser),
        ("mqtt://a%00@host", .badUser),
        ("mqtt://a%ff@host", .badUser),
        ("mqtt://host/path", .path),
        ("mqtt://host?x=1", .path),
        ("mqtt://", .badHost),
        ("mqtt://:1883", .badHost),
        ("mqtt://ho st", .badHost),
        ("mqtt://hö", .badHost),
        ("mqtt://[host]", .badHost),
        ("mqtt://[::1", .badHost),
        ("mqtt://[::1]x", .badHost),
        ("mqtt://a..b", .badHost),
        ("mqtt://-host", .badHost),
        ("mqtt://" + String(repeating: "a", count: 70_000), .badHost),
        ("mqtt://::1", .bareIPv6),
        ("mqtt://host:", .badPort),
        ("mqtt://host:0", .badPort),
        ("mqtt://host:65536", .badPort),
        ("mqtt://host:+1", .badPort),
        ("mqtt://host:99999999999999999999", .badPort),
    ])
    func `another text is refused for its reason, which holds none of it`(url: String, problem: BrokerAddressProblem) {
        #expect(throws: problem) { try BrokerAddress(url: url) }
        #expect(!problem.explanation.contains("S3cr3t"))
    }
}
