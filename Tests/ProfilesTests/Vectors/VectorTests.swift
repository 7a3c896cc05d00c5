import BleCore
import Foundation
import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct VectorTests {
    @Test func `the vectors are there`() {
        #expect(Vector.all.count > 75)
    }

    /// Keys of `expected` that say something about the packet and are no value of it.
    private static let notes: Set<String> = [
        "accept", "why", "model", "values", "supported", "warning", "events", "sequence", "counter_hex",
    ]

    @Test(arguments: Vector.all) func `each advertisement is read as its makers say`(vector: Vector) throws {
        var reader = vector.reader
        if let sequence = vector.expected["sequence"] as? [[String: Any]] {
            for (index, step) in sequence.enumerated() {
                let payload = hex(try #require(step["service_data"] as? String))
                let reading = reader.read(vector.with(payload: payload), at: .seconds(index))
                try compare(reading, step.filter { $0.key != "service_data" }, vector)
            }
            return
        }
        try compare(reader.read(vector.advertisement, at: .zero), vector.expected, vector)
    }

    private func compare(_ reading: AdvertisementReading, _ expected: [String: Any], _ vector: Vector) throws {
        let isRefused = [expected["accept"], expected["supported"]].contains { $0 as? Bool == false }
        if isRefused {
            #expect(reading.values.isEmpty && reading.events.isEmpty)
            return
        }
        if expected["model"] is NSNull || expected["values"] != nil {
            // Another maker's device, or one that tells nothing: at most what every such frame has.
            #expect(reading["model"] ?? .null == .null || expected["values"] != nil)
            #expect(reading.values.allSatisfy { !$0.isState } || reading["model"] == .null)
            return
        }
        #expect(reading.refusal == nil)
        for (name, value) in expected where !Self.notes.contains(name) {
            #expect(reading[name] == parsedValue(value), "\(name)")
        }
        let surplus = reading.values.filter { $0.isState && expected[$0.name] == nil }.map(\.name)
        #expect(Set(surplus).isSubset(of: ["movement_counter", "calibrating"]), "\(surplus)")
        if let events = expected["events"] as? [[String: Any]] {
            #expect(reading.events.map(\.table) == events.map(Self.plain))
        }
        if let warning = expected["warning"] as? String { #expect(reading.warnings == [warning]) }
    }

    private static func plain(_ event: [String: Any]) -> [String: ParsedValue] { event.mapValues { parsedValue($0) } }
}

extension DecodedEvent {
    /// The event as the vectors write it.
    fileprivate var table: [String: ParsedValue] {
        var table: [String: ParsedValue] = [name: number("\(index)"), "type": .text(type)]
        for detail in details { table[detail.name] = detail.value }
        return table
    }
}
