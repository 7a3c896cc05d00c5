import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DefaultGatewayTests {
    private let machine = "0123456789abcdef0123456789abcdef"

    @Test(arguments: [
        ("shop", "shop"), ("Shop_3.example.org", "shop-3"), ("--a--", "a"), ("", "gateway"), ("ü", "gateway"),
        (String(repeating: "a", count: 64), String(repeating: "a", count: 56)),
    ])
    func `a host name is made to fit`(hostName: String, start: String) {
        let name = DefaultGateway.name(for: HostIdentity(hostName: hostName, machineID: machine))
        #expect(name.hasPrefix(start + "-"))
        #expect(name.count == start.count + 7)
        #expect(ConfigurationPattern.isGateway(name))
        #expect(!machine.contains(name.suffix(6)))
    }

    @Test func `machines of one host name differ and stay the same`() {
        let names = ["0", "1"].map { digit in
            DefaultGateway.name(for: HostIdentity(hostName: "shop", machineID: String(repeating: digit, count: 32)))
        }
        #expect(names[0] != names[1])
        #expect(
            DefaultGateway.name(for: HostIdentity(hostName: "shop", machineID: String(repeating: "0", count: 32)))
                == names[0]
        )
    }

    @Test func `without a machine id the host name decides`() {
        let names = ["a", "b"].map { DefaultGateway.name(for: HostIdentity(hostName: $0, machineID: nil)) }
        #expect(names[0].suffix(6) != names[1].suffix(6))
        #expect(names.allSatisfy(ConfigurationPattern.isGateway))
    }
}
