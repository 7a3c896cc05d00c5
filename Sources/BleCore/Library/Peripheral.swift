/// One device: a name for it, with which everything can be done that the manager can do for a device.
///
/// It holds no link and costs nothing; two with one address are the same. Each operation that needs a link makes one
/// where there is none, within its time. All of them throw `BleFailure` with the stage that failed and whether the device
/// may have acted, and `CancellationError` as soon as the calling task is cancelled.
///
/// ```swift
/// let lamp = try await bluetooth.connect(to: address)
/// let switched = AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1)
/// try await lamp.write([1], to: switched)
/// print(try await lamp.read(switched))
/// try await lamp.disconnect()
/// ```
public struct Peripheral: Sendable {
    public let address: DeviceAddress
    let manager: BluetoothManager

    /// What is known of the device; nil when BlueZ does not know it.
    public var info: DeviceInfo? {
        get async { await manager.device(address) }
    }

    /// The signal strength of the last report, dBm; nil before the first.
    ///
    /// BlueZ tells it only of devices that advertise while somebody scans, and not of a link.
    public var rssi: Int? {
        get async {
            guard let heard = await info?.advertisement, heard.signals > 0 else { return nil }
            return heard.rssi
        }
    }

    /// Makes a link and waits until the services are known.
    @discardableResult
    public func connect(timeout: Duration = .seconds(30)) async throws -> ConnectOutcome {
        try await perform(timeout) { try await $0.connect(address, $1) }
    }

    /// Ends the link, whoever made it, and waits until it is gone.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    public func disconnect(timeout: Duration = .seconds(10)) async throws -> Bool {
        try await perform(timeout) { try await $0.disconnect(address, $1) }
    }

    /// Finds the services, with their characteristics and descriptors, in the order of their handles.
    public func discover(timeout: Duration = .seconds(30)) async throws -> [GattService] {
        try await perform(timeout) { try await $0.discover(address, $1) }
    }

    /// Reads a characteristic or a descriptor.
    ///
    /// - Parameters:
    ///   - selector: which.
    ///   - offset: from which byte on, 0 to 512.
    ///   - timeout: connecting and discovery included.
    /// - Returns: the value.
    /// - Throws: `BleFailure` with the stage; `CancellationError`.
    public func read(
        _ selector: AttributeSelector,
        offset: Int = 0,
        timeout: Duration = .seconds(20)
    ) async throws -> [UInt8] {
        try Self.check(offset)
        return try await perform(timeout) { try await $0.read(selector, of: address, offset: offset, $1) }
    }

    /// Writes a value to a characteristic or a descriptor.
    ///
    /// - Parameters:
    ///   - value: the bytes.
    ///   - selector: where to.
    ///   - mode: with response where the characteristic offers it, unless told otherwise.
    ///   - offset: from which byte on, 0 to 512.
    ///   - lengths: how to split a value that is too long for one packet; without them it stays whole.
    ///   - gap: the pause between packets without response.
    ///   - timeout: connecting and discovery included.
    /// - Returns: how much went out, and whether the device acknowledged.
    /// - Throws: `BleFailure`, whose `applied` tells whether the device may have acted; `CancellationError`.
    @discardableResult
    public func write(
        _ value: [UInt8],
        to selector: AttributeSelector,
        mode: WriteMode = .auto,
        offset: Int = 0,
        lengths: (any PeripheralCommandLengthProtocol)? = nil,
        gap: Duration = .milliseconds(20),
        timeout: Duration = .seconds(20)
    ) async throws -> WriteOutcome {
        try Self.check(offset)
        return try await perform(timeout) { manager, scope in
            try await manager.write(
                value,
                to: selector,
                of: address,
                mode: mode,
                offset: offset,
                lengths: lengths,
                gap: gap,
                scope
            )
        }
    }

    /// Makes BlueZ forget the device: its link, what it knows of its services, and its bond.
    ///
    /// - Returns: false when BlueZ did not know it.
    @discardableResult
    public func forget(timeout: Duration = .seconds(10)) async throws -> Bool {
        try await perform(timeout) { try await $0.forget(address, $1) }
    }

    /// Waits until no call for the device is under way, those included whose callers have given up.
    ///
    /// BlueZ refuses some calls while an earlier one lasts; after a timeout or a cancellation this is when to go on.
    /// A call that does not end within the configured `settleLimit` costs the link.
    public func settle() async { await manager.settle(address) }

    func perform<Value: Sendable>(
        _ timeout: Duration,
        _ operation: @escaping @Sendable (isolated BluetoothManager, OperationScope) async throws -> Value
    ) async throws -> Value {
        try await manager.perform(BlueToothTaskModel(address, timeout: timeout, operation: operation))
    }

    private static func check(_ offset: Int) throws(BleFailure) {
        guard (0...512).contains(offset) else {
            throw BleFailure(.att(0x07), at: .operate, detail: "the offset is not between 0 and 512")
        }
    }
}

extension Peripheral: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.address == right.address && left.manager === right.manager
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(address) }
}
