import BleCore
import EdgeAgent
import Testing

/// The configuration with these rules, a list of YAML, and two named devices.
func policyConfiguration(_ rules: String) throws -> Configuration {
    let reader = readConfiguration(
        """
        gateway: shop-3
        devices:
          - {address: a1b2c3d4e5f6, alias: door}
          - {address: a1b2c3d4e5f7, alias: lamp-1}
        policy: \(rules)
        """
    )
    try #require(reader.problems.isEmpty, "\(reader.problems)")
    return reader.configuration
}

/// The policy of these rules.
func policy(_ rules: String) throws -> Policy { try #require(try policyConfiguration(rules).policy) }

extension DeviceTarget {
    static func named(_ alias: String, _ address: String) throws -> DeviceTarget {
        DeviceTarget(address: try #require(DeviceAddress(address)), name: .alias(alias))
    }

    static func door() throws -> DeviceTarget { try named("door", "a1b2c3d4e5f6") }
    static func lamp() throws -> DeviceTarget { try named("lamp-1", "a1b2c3d4e5f7") }
    /// A device without an alias.
    static func stranger() throws -> DeviceTarget {
        let address = try #require(DeviceAddress("ffeeddccbbaa"))
        return DeviceTarget(address: address, name: .address(address))
    }
}

extension AttributeSelector {
    static let battery = AttributeSelector(service: 0x180F, characteristic: 0x2A19)
    static let temperature = AttributeSelector(service: 0x1809, characteristic: 0x2A1C)
    static let unknown = AttributeSelector(handle: 17)
}
