/// An error that a device answers a request with.
///
/// Source: Bluetooth Core Specification, Vol 3, Part F, 3.4.1.1.
struct AttError: Error, Equatable {
    let code: UInt8

    static let readNotPermitted = AttError(code: 0x02)
    static let writeNotPermitted = AttError(code: 0x03)
    static let insufficientAuthentication = AttError(code: 0x05)
    static let invalidOffset = AttError(code: 0x07)
    static let notFound = AttError(code: 0x0A)
    static let notLong = AttError(code: 0x0B)
    static let invalidLength = AttError(code: 0x0D)
    static let unlikely = AttError(code: 0x0E)
}
