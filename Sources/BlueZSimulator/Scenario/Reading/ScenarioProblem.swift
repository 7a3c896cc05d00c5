/// One thing that is wrong with a scenario.
package struct ScenarioProblem: Equatable, Sendable, CustomStringConvertible {
    /// From 1; nil when it is not known.
    package let line: Int?
    /// The way to the value, as `devices[0].services[1].uuid`; empty for the file itself.
    package let key: String
    package let message: String

    package var description: String {
        let place = line.map { "line \($0): " } ?? ""
        return place + (key.isEmpty ? message : "\(key): \(message)")
    }
}

/// All that is wrong with a scenario, in the order of the file.
package struct ScenarioProblems: Error, Equatable, Sendable, CustomStringConvertible {
    package let problems: [ScenarioProblem]

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Collects problems while reading goes on.
final class ProblemList {
    /// After so many the file is no scenario.
    private static let limit = 100

    private(set) var problems: [ScenarioProblem] = []

    func add(_ line: Int?, _ key: String, _ message: String) {
        guard problems.count < Self.limit else { return }
        problems.append(ScenarioProblem(line: line, key: key, message: message))
    }
}
