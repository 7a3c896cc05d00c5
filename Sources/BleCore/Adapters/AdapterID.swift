/// Names one adapter: by its address, which it keeps wherever it is plugged in, or as the kernel does.
public enum AdapterID: Hashable, Sendable {
    case address(DeviceAddress)
    case name(AdapterName)

    /// Reads an address or a name: `00:1a:7d:da:71:13`, `hci0`.
    public init?(_ text: some StringProtocol) {
        if let name = AdapterName(text) {
            self = .name(name)
        } else if let address = DeviceAddress(text) {
            self = .address(address)
        } else {
            return nil
        }
    }
}

extension AdapterID: CustomStringConvertible {
    public var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name.text
        }
    }
}
