package import BlueZSimulator

/// Runs a test with a simulated bluetoothd on a bus of its own.
///
/// - Parameters:
///   - devices: what is around the one adapter, `hci0`.
///   - settings: short times unless told otherwise.
///   - body: gets the bus, for clients, and the simulator, for what happens in the world.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or why there is no simulator.
package func withSimulator<Value>(
    devices: [DeviceModel] = DemoDevices.all,
    settings: SimulatorSettings = SimulatorSettings(),
    _ body: (PrivateBus, Simulator) async throws -> Value
) async throws -> Value {
    try await withSimulator(adapters: [AdapterModel(devices: devices)], settings: settings, body)
}

/// The same with any number of adapters.
package func withSimulator<Value>(
    adapters: [AdapterModel],
    settings: SimulatorSettings = SimulatorSettings(),
    policy: String = "",
    _ body: (PrivateBus, Simulator) async throws -> Value
) async throws -> Value {
    try await withPrivateBus(policy: policy) { bus in
        let simulator = try await Simulator.start(
            on: bus.address,
            adapters: adapters,
            settings: settings,
            loop: bus.loop,
            worker: bus.worker
        )
        let result: Result<Value, any Error>
        do { result = .success(try await body(bus, simulator)) } catch { result = .failure(error) }
        await simulator.leaveBus()
        return try result.get()
    }
}
