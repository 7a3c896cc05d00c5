package import BlueZSimulator
import Foundation

/// Runs a test with the world of a scenario on a bus of its own.
///
/// - Parameters:
///   - scenario: the world, its faults, and what happens when.
///   - file: where received calls are written, too.
///   - body: gets the bus, for clients, and the simulator, for what happens besides.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or why there is no simulator.
package func withSimulator<Value>(
    scenario: Scenario,
    file: CallLogFile? = nil,
    _ body: (PrivateBus, Simulator) async throws -> Value
) async throws -> Value {
    try await withPrivateBus { bus in
        let simulator = try await Simulator.start(
            on: bus.address,
            scenario: scenario,
            loop: bus.loop,
            worker: bus.worker,
            file: file
        )
        let result: Result<Value, any Error>
        do { result = .success(try await body(bus, simulator)) } catch { result = .failure(error) }
        await simulator.leaveBus()
        return try result.get()
    }
}

/// The scenario files of the tests.
package enum ScenarioFiles {
    package static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Scenarios").standardized.path

    /// The names of all of them, without their ends.
    package static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".yaml") }
            .map { String($0.dropLast(5)) }.sorted()
    }

    /// A scenario that a test writes itself.
    package static func parse(_ text: String) throws -> Scenario { try Scenario.parse(Array(text.utf8)) }

    package static func read(_ name: String) throws -> Scenario {
        try ScenarioFile.read("\(directory)/\(name).yaml")
    }
}
