/// One typed operation on a device: what a command becomes before it is carried out.
///
/// A value: it does nothing until a `BluetoothManager` performs it, and may be performed again.
public struct BlueToothTaskModel<Value: Sendable>: Sendable {
    /// The device that the operation is for.
    public let address: DeviceAddress
    /// How long it may take, connecting and discovery included.
    public let timeout: Duration
    package let operation: @Sendable (isolated BluetoothManager, OperationScope) async throws -> Value

    /// Makes a model of an operation that runs on the manager, within a scope that bounds it.
    package init(
        _ address: DeviceAddress,
        timeout: Duration,
        operation: @escaping @Sendable (isolated BluetoothManager, OperationScope) async throws -> Value
    ) {
        self.address = address
        self.timeout = timeout
        self.operation = operation
    }

    /// The same operation with another value made of its own.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) -> BlueToothTaskModel<Other> {
        BlueToothTaskModel<Other>(address, timeout: timeout) { [operation] manager, scope in
            try transform(try await operation(manager, scope))
        }
    }
}

extension BluetoothManager {
    /// Performs a task within its time.
    ///
    /// - Throws: `BleFailure`, or `CancellationError` when the calling task is cancelled.
    public func perform<Value: Sendable>(_ task: BlueToothTaskModel<Value>) async throws -> Value {
        try await withScope(task.timeout) { try await task.operation(self, $0) }
    }

    /// Performs a task within a scope that its owner may end.
    package func perform<Value: Sendable>(
        _ task: BlueToothTaskModel<Value>,
        in scope: OperationScope
    ) async throws -> Value {
        try await task.operation(self, scope)
    }
}
