package import DBus
internal import EventLoop

extension BluetoothManager {
    /// Runs a manager on the system bus as long as the closure runs.
    ///
    /// At its end the discovery and the connection to the bus end; links stay, as BlueZ keeps them.
    ///
    /// - Parameters:
    ///   - configuration: what the manager may use and how patient it is.
    ///   - body: gets the manager, which is not to be kept beyond it.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws, or why the system gives no thread or descriptors.
    public static func withManager<Value>(
        configuration: Configuration = Configuration(),
        _ body: (BluetoothManager) async throws -> Value
    ) async throws -> Value {
        try await withManager(configuration: configuration, bus: .system, body)
    }

    /// The same on another bus.
    package static func withManager<Value>(
        configuration: Configuration = Configuration(),
        bus: BusAddress,
        _ body: (BluetoothManager) async throws -> Value
    ) async throws -> Value {
        let manager = try BluetoothManager(configuration: configuration, onThreadFor: bus)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: manager.loop) {
                do {
                    try await manager.run()
                } catch is CancellationError {
                    // The way in which it ends.
                }
            }
            let result: Result<Value, any Error>
            do { result = .success(try await body(manager)) } catch { result = .failure(error) }
            group.cancelAll()
            try await group.waitForAll()
            return try result.get()
        }
    }

    /// A device by its address, whether it is known yet or not.
    public nonisolated func peripheral(_ address: DeviceAddress) -> Peripheral {
        Peripheral(address: address, manager: self)
    }

    /// Makes a link to a device and waits until its services are known.
    ///
    /// A device that BlueZ does not know is listened for first. Attempts that fail are repeated within the time.
    ///
    /// - Returns: the device.
    /// - Throws: `BleFailure` with the stage, `notInRange` when it was not heard; `CancellationError`.
    @discardableResult
    public func connect(to address: DeviceAddress, timeout: Duration = .seconds(30)) async throws -> Peripheral {
        _ = try await withScope(timeout) { try await connect(address, $0) }
        return peripheral(address)
    }

    /// Makes a link to the first device heard that a request matches.
    ///
    /// - Parameters:
    ///   - request: what the device has to fulfil.
    ///   - strongest: take the strongest of those heard within three seconds of the first.
    ///   - timeout: how long listening and connecting may take together.
    /// - Returns: the device.
    /// - Throws: `BleFailure` with the stage, `notInRange` when none was heard; `CancellationError`.
    @discardableResult
    public func connect(
        where request: ScanRequest,
        strongest: Bool = false,
        timeout: Duration = .seconds(30)
    ) async throws -> Peripheral {
        let address = try await withScope(timeout) { scope in
            let address = try await find(request, strongest: strongest, scope)
            _ = try await connect(address, scope)
            return address
        }
        return peripheral(address)
    }

    /// Makes a link to the first device heard that fulfils a condition.
    ///
    /// - Returns: the device.
    /// - Throws: `BleFailure` with the stage, `notInRange` when none was heard; `CancellationError`.
    @discardableResult
    public nonisolated func connect(
        timeout: Duration = .seconds(30),
        where condition: (Advertisement) throws -> Bool
    ) async throws -> Peripheral {
        guard let found = try await scan(timeout: timeout, decide: { try condition($0) ? .connect : .skip }) else {
            throw BleFailure(.notInRange, at: .scan, detail: "no device matched")
        }
        return found
    }

    /// Switches an adapter on or off.
    ///
    /// - Parameters:
    ///   - on: the wanted state.
    ///   - adapter: nil: the one that the manager uses.
    ///   - timeout: how long it may take.
    /// - Returns: false when it was so already.
    /// - Throws: `BleFailure`, `adapterBlocked` where rfkill holds it; `CancellationError`.
    @discardableResult
    public func setPower(
        _ on: Bool,
        adapter: AdapterName? = nil,
        timeout: Duration = .seconds(10)
    ) async throws -> Bool {
        try await withScope(timeout) { try await setPower(on, adapter: adapter, $0) }
    }
}
