import EdgeAgent
import Foundation
import Testing

/// Damaged files end in problems, never in a trap.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationMutationTests {
    /// A generator whose numbers are the same in each run (SplitMix64).
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private let pieces = [
        "&a ", "*a", "!!int ", "{", "}", "[", "]", "- ", ": ", "\n", "\"", "'", "|\n", "? ", "%", "\0", "\u{FFFE}",
        "\t",
        "---\n", "...\n", "<<: ", "99999999999999999999", "~", "#",
    ]

    @Test(arguments: 0..<8)
    func `a damaged file gives problems of one bounded line each`(seed: UInt64) throws {
        let text = """
            broker: mqtts://agent@broker.example:8883
            gateway: shop-3
            mqtt: {version: 5, keepAliveSeconds: 60, qos: {scan: 1}}
            limits:
              maxQueuedTotal: 100
            devices:
              - address: "a1:b2:c3:d4:e5:f6"
                alias: door
              - {address: a1b2c3d4e5f7, alias: lamp, name: "Lamp"}
            groups:
              lights: [lamp, 112233445566]
            policy:
              - {allow: [read-only, write], callers: [none, "a-*"], devices: [door, "*"], characteristics: 2a19}
              - deny: any
            """
        var numbers = Numbers(state: seed)
        var refused = 0
        for _ in 0..<300 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &numbers)
                case 1: bytes.remove(at: place)
                case 2:
                    bytes.insert(contentsOf: Array(pieces.randomElement(using: &numbers)?.utf8 ?? "".utf8), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 8))
                }
                if bytes.isEmpty { bytes = [0x23] }
            }
            var reader = ConfigurationReader(defaultGateway: "g")
            reader.read(yaml: bytes, path: "f")
            reader.check()
            refused += reader.problems.isEmpty ? 0 : 1
            for problem in reader.problems {
                let line = problem.description
                try #require(!line.utf8.contains { $0 < 0x20 } && line.utf8.count < 1024)
            }
        }
        #expect(refused > 100)
    }
}
