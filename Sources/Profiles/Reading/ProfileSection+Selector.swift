internal import BleCore

extension ProfileSection {
    /// A characteristic: `service` and `uuid`, or a `handle`.
    ///
    /// - Parameter service: The service where the section names none.
    /// - Returns: The characteristic; nil, with a problem noted, when it is not named.
    func selector(in service: BluetoothUUID? = nil) -> AttributeSelector? {
        let service = uuid("service") ?? service
        let uuid = uuid("uuid")
        if let handle = number("handle", 1...0xFFFF) {
            return AttributeSelector(handle: UInt16(handle), service: service, characteristic: uuid)
        }
        if uuid == nil, !has("uuid") { problem(nil, "needs the keys \"service\" and \"uuid\", or \"handle\"") }
        if uuid != nil, service == nil, !has("service") { problem("uuid", "needs the key \"service\" beside it") }
        guard let uuid, let service else { return nil }
        return AttributeSelector(service: service, characteristic: uuid)
    }
}
