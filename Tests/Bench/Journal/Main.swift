import EventLoop
import Foundation
import MQTT
import TestSupport

/// What the journal costs, and what one dead device costs the others: agents, buses, simulated devices and a broker on
/// loopback; the agent that stands beside this program, or that `EDGE_AGENT_PROGRAM` names.
///
/// Machines are noisy: all cases are measured in turns, several rounds of them, and what counts are the ratios.
@main
enum JournalBench {
    private static let rounds = 5
    private static let modes = [Mode(name: "none"), Mode(name: "process"), Mode(name: "power")]

    static func main() async throws {
        try await withBroker { broker in
            try await withBench(modes[...], on: broker) { gateways in
                try await measureJournal(gateways)
                guard let first = gateways.first(where: { $0.mode.name == "process" }) else { return }
                try await measureDeadDevice(first)
            }
        }
    }

    /// Writes a second without a journal and with either durability.
    private static func measureJournal(_ gateways: [BenchGateway]) async throws {
        print(
            "writes/s over \(BenchGateway.healthy) devices: median of \(rounds) rounds (lowest-highest), ratio to none"
        )
        for (outstanding, count) in [(1, 400), (32, 3000)] {
            var rates: [String: [Double]] = [:]
            for gateway in gateways { _ = try await gateway.run(.write, count: count / 4, outstanding: outstanding) }
            for round in 0..<rounds {
                // Whoever comes first in one round comes last in the next.
                for gateway in round % 2 == 0 ? gateways : gateways.reversed() {
                    let run = try await gateway.run(.write, count: count, outstanding: outstanding)
                    rates[gateway.mode.name, default: []].append(run.perSecond)
                }
            }
            let floor = median(rates["none"] ?? [])
            for mode in modes {
                let own = rates[mode.name] ?? []
                let spread = "\(Int(own.min() ?? 0))-\(Int(own.max() ?? 0))"
                print(
                    "  \(outstanding) outstanding  \(pad(mode.name, 8)) \(pad(String(Int(median(own))), 7)) "
                        + "(\(spread))  \(ratio(median(own), floor))"
                )
            }
        }
    }

    /// Reads on healthy devices while another one never answers Connect, and without it.
    private static func measureDeadDevice(_ gateway: BenchGateway) async throws {
        print(
            "reads of \(BenchGateway.healthy - 1) healthy devices, one each at a time, µs: median of \(rounds) rounds"
        )
        var (alone, beside): ([Run], [Run]) = ([], [])
        for round in 0..<rounds {
            for isDead in round % 2 == 0 ? [false, true] : [true, false] {
                if isDead { try await gateway.commandDeadDevice() }
                let run = try await gateway.run(.read, count: 2000, outstanding: BenchGateway.healthy - 1)
                if isDead { try await gateway.releaseDeadDevice() }
                if isDead { beside.append(run) } else { alone.append(run) }
            }
        }
        for (name, at) in [("p50", 0.5), ("p99", 0.99)] {
            let (without, with) = (median(alone.map { $0.quantile(at) }), median(beside.map { $0.quantile(at) }))
            print(
                "  \(name)  without \(pad(String(Int(without)), 6)) beside a dead one \(pad(String(Int(with)), 6)) \(ratio(with, without))"
            )
        }
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }

    private static func ratio(_ value: Double, _ floor: Double) -> String { String(format: "%.2f", value / floor) }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
