import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

/// A manager on a private bus, with a simulated bluetoothd and devices around it.
struct Bench {
    let manager: BluetoothManager
    let simulator: Simulator
    let bus: PrivateBus

    func peripheral(_ address: DeviceAddress) -> Peripheral { manager.peripheral(address) }

    /// Finds a device, connects to it and waits for its services.
    func linked(_ address: DeviceAddress) async throws -> Peripheral {
        try await manager.connect(to: address, timeout: .seconds(50))
    }

    /// Waits until nothing is under way but what observers of the test's own hold.
    ///
    /// What has ended on another thread may still have its clean-up queued on the loop, and no event tells of its end:
    /// the manager is asked again after a moment.
    func waitUntilIdle(observers: Int = 0) async throws {
        var idle = ManagerLoad()
        idle.observers = observers
        let deadline = ContinuousClock.now + .seconds(50)
        while true {
            let load = await manager.load
            if load == idle { return }
            guard ContinuousClock.now < deadline else {
                Issue.record("left behind: \(load)")
                return
            }
            // Sleep: nothing tells when what is left behind is gone; bounded by the deadline.
            try await bus.loop.sleep(for: .milliseconds(2))
        }
    }

    /// Runs an operation in a task of its own and cancels it as soon as the simulator has received a call.
    ///
    /// - Returns: whether the operation ended with `CancellationError`.
    func cancel<Value: Sendable>(
        at member: String,
        count: Int = 1,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async -> Bool {
        // Unstructured because it is cancelled from here, and awaited in place.
        let task = Task { try await operation() }
        await simulator.waitForCalls(of: member, count: count)
        task.cancel()
        do {
            _ = try await task.value
            return false
        } catch {
            return error is CancellationError
        }
    }
}

enum Devices {
    static let heart = address(DemoDevices.heartAddress)
    static let framer = address(DemoDevices.framerAddress)
    static let thermometer = address(DemoDevices.thermometerAddress)
    static let battery = address(DemoDevices.batteryAddress)
    static let unknown = address("C0:5A:00:00:00:99")

    static let rate = AttributeSelector(service: 0x180D, characteristic: 0x2A37)
    static let location = AttributeSelector(service: 0x180D, characteristic: 0x2A38)
    static let control = AttributeSelector(service: 0x180D, characteristic: 0x2A39)
    static let level = AttributeSelector(service: 0x180F, characteristic: 0x2A19)

    static func address(_ text: String) -> DeviceAddress {
        guard let address = DeviceAddress(text) else { preconditionFailure("a test's own constant") }
        return address
    }

    /// A belt that advertises often and notifies only when it is told to.
    static var belt: DeviceModel {
        var device = DemoDevices.heart
        device.advertisement.interval = .milliseconds(20)
        for service in device.services.indices {
            for index in device.services[service].characteristics.indices {
                device.services[service].characteristics[index].notifyEvery = nil
            }
        }
        return device
    }

    /// The belt, which advertises but never answers.
    static var silent: DeviceModel {
        var device = belt
        device.acceptsLinks = false
        return device
    }
}

/// Runs a test with a manager that follows a simulated bluetoothd and is ready.
func withBench<Value>(
    devices: [DeviceModel] = [Devices.belt],
    settings: SimulatorSettings = SimulatorSettings(),
    configuration: BluetoothManager.Configuration = .impatient,
    _ body: (Bench) async throws -> Value
) async throws -> Value {
    try await withSimulator(devices: devices, settings: settings) { bus, simulator in
        try await withManager(on: bus, configuration) { manager in
            try await manager.ready(within: .seconds(50))
            return try await body(Bench(manager: manager, simulator: simulator, bus: bus))
        }
    }
}

/// Runs a test with a manager on a bus, whatever is there.
func withManager<Value>(
    on bus: PrivateBus,
    _ configuration: BluetoothManager.Configuration = .impatient,
    _ body: (BluetoothManager) async throws -> Value
) async throws -> Value {
    let manager = BluetoothManager(configuration: configuration, bus: bus.address, loop: bus.loop, worker: bus.worker)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: bus.loop) {
            do { try await manager.run() } catch is CancellationError {}
        }
        let result: Result<Value, any Error>
        do { result = .success(try await body(manager)) } catch { result = .failure(error) }
        group.cancelAll()
        try await group.waitForAll()
        return try result.get()
    }
}

extension BluetoothManager.Configuration {
    /// Short gaps, for tests.
    static var impatient: Self {
        var configuration = Self()
        configuration.busRetry = .milliseconds(10) ... .milliseconds(50)
        configuration.retryGaps = RetryGaps(all: .milliseconds(10) ... .milliseconds(40))
        return configuration
    }
}

/// A failure's kind and stage: what tests compare.
struct Cause: Equatable {
    let kind: BleFailure.Kind
    let stage: BleFailure.Stage

    init(_ kind: BleFailure.Kind, _ stage: BleFailure.Stage) {
        self.kind = kind
        self.stage = stage
    }
}

/// What an operation fails with; nil when it succeeds or ends otherwise.
func failure(of operation: () async throws -> some Any) async -> BleFailure? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return error as? BleFailure
    }
}

/// The kind and stage of what an operation fails with.
func cause(of operation: () async throws -> some Any) async -> Cause? {
    await failure(of: operation).map { Cause($0.kind, $0.stage) }
}

/// Waits for the first element of a sequence that fulfils a condition.
func first<Elements: AsyncSequence>(
    of elements: Elements,
    where condition: (Elements.Element) -> Bool
) async throws -> Elements.Element? {
    for try await element in elements where condition(element) { return element }
    return nil
}
