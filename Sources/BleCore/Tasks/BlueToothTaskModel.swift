internal import EventLoop

/// One typed task for a device: what is to be done, how long it may take, and what its outcome is made into.
///
/// A value: it does nothing until a `BluetoothManager` performs it, and may be performed again. Its operation is a
/// command with its answer, the reading of one value, or whatever else the manager offers.
///
/// ```swift
/// let level = BlueToothTaskModel(address, reading: battery) { Int($0.first ?? 0) }
/// let percent = try await manager.perform(level.onEnd { print("battery: \($0)") })
/// ```
public struct BlueToothTaskModel<Value: Sendable>: Sendable {
    /// Hears how a task ended, once each time it is performed.
    public typealias Observer = @Sendable (Result<Value, any Error>) -> Void

    /// The device that the task is for.
    public let address: DeviceAddress
    /// How long it may take, searching, connecting and discovery included.
    public let timeout: Duration
    package let operation: @Sendable (isolated BluetoothManager, OperationScope) async throws -> Value
    /// Tells all who hear how it ends, in the order in which they were added.
    private(set) var observer: Observer?
    private(set) var plugins: [any BlueToothTaskPlugin] = []

    /// A task whose operation runs on the manager, within a scope that bounds it.
    package init(
        _ address: DeviceAddress,
        timeout: Duration,
        operation: @escaping @Sendable (isolated BluetoothManager, OperationScope) async throws -> Value
    ) {
        self.address = address
        self.timeout = timeout
        self.operation = operation
    }

    /// A command, and what its packets are made into.
    ///
    /// 120 s in all unless said otherwise.
    public init(
        _ address: DeviceAddress,
        timeout: Duration = .seconds(120),
        command: PeripheralOperationCommand,
        parse: @escaping @Sendable (ResponsePackets) throws -> Value
    ) {
        self.init(address, timeout: timeout) { manager, scope in
            try parse(try await manager.perform(command, on: address, scope).answer)
        }
    }

    /// A command that is made late, once the link stands: from a value that is read first.
    public init(
        _ address: DeviceAddress,
        timeout: Duration = .seconds(120),
        reading first: AttributeSelector,
        command: @escaping @Sendable ([UInt8]) throws -> PeripheralOperationCommand,
        parse: @escaping @Sendable (ResponsePackets) throws -> Value
    ) {
        self.init(address, timeout: timeout) { manager, scope in
            let value = try await manager.read(first, of: address, scope)
            return try parse(try await manager.perform(try command(value), on: address, scope).answer)
        }
    }

    /// The reading of one value, and what it is made into.
    ///
    /// 20 s in all unless said otherwise.
    public init(
        _ address: DeviceAddress,
        timeout: Duration = .seconds(20),
        reading attribute: AttributeSelector,
        parse: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        self.init(address, timeout: timeout) { manager, scope in
            try parse(try await manager.read(attribute, of: address, scope))
        }
    }

    /// The same task with one more who hears how it ends.
    public func onEnd(_ observer: @escaping Observer) -> Self {
        var task = self
        if let earlier = self.observer {
            task.observer = { outcome in
                earlier(outcome)
                observer(outcome)
            }
        } else {
            task.observer = observer
        }
        return task
    }

    /// The same task with one more plugin.
    public func with(_ plugin: any BlueToothTaskPlugin) -> Self {
        var task = self
        task.plugins.append(plugin)
        return task
    }

    /// The same operation with another value made of its own.
    ///
    /// Observers stay behind: they hear of the old value.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) -> BlueToothTaskModel<Other> {
        var task = BlueToothTaskModel<Other>(address, timeout: timeout) { [operation] manager, scope in
            try transform(try await operation(manager, scope))
        }
        task.plugins = plugins
        return task
    }
}

/// Something that accompanies tasks of any type: a log, a counter, a lamp.
public protocol BlueToothTaskPlugin: Sendable {
    /// The task is about to start.
    func taskWillStart(for address: DeviceAddress)
    /// The task has ended; without an error it succeeded.
    func taskDidEnd(for address: DeviceAddress, error: (any Error)?)
}

/// A task whose value's type is forgotten, for queues that hold tasks of every type.
///
/// Its observers still hear the value.
public struct BlueToothAnyTaskModel: Sendable {
    public let address: DeviceAddress
    public let timeout: Duration
    fileprivate let run: @Sendable (isolated BluetoothManager, OperationScope) async -> Void

    public init<Value: Sendable>(_ task: BlueToothTaskModel<Value>) {
        address = task.address
        timeout = task.timeout
        run = { manager, scope in _ = await manager.outcome(of: task, in: scope) }
    }
}

extension BluetoothManager {
    /// Performs a task within its time.
    ///
    /// - Throws: `BleFailure`, what the task's own closures throw, or `CancellationError` when the calling task is
    ///   cancelled.
    public func perform<Value: Sendable>(_ task: BlueToothTaskModel<Value>) async throws -> Value {
        try await withScope(task.timeout) { try await outcome(of: task, in: $0).get() }
    }

    /// Performs a task whose outcome its observers hear.
    public func perform(_ task: BlueToothAnyTaskModel) async {
        let scope = OperationScope(timeout: task.timeout, on: loop)
        defer { scope.finish() }
        await withTaskCancellationHandler {
            await task.run(self, scope)
        } onCancel: {
            loop.execute { scope.cancel() }
        }
    }

    /// Performs a task within a scope that its owner may end; its observers hear the outcome.
    package func perform(_ task: BlueToothAnyTaskModel, in scope: OperationScope) async {
        await task.run(self, scope)
    }

    fileprivate func outcome<Value: Sendable>(
        of task: BlueToothTaskModel<Value>,
        in scope: OperationScope
    ) async -> Result<Value, any Error> {
        for plugin in task.plugins { plugin.taskWillStart(for: task.address) }
        let outcome: Result<Value, any Error>
        do {
            if let name = scope.adapter { try await requireAdapter(name, scope) }
            outcome = .success(try await task.operation(self, scope))
        } catch {
            outcome = .failure(error)
        }
        var error: (any Error)?
        if case .failure(let failure) = outcome { error = failure }
        for plugin in task.plugins { plugin.taskDidEnd(for: task.address, error: error) }
        task.observer?(outcome)
        return outcome
    }
}
