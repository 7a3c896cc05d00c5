import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FramerTests {
    private static func frame(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let frame = [0x7E, command, UInt8(clamping: payload.count)] + payload
        return frame + [frame.reduce(0, &+)]
    }

    /// Writes the pieces and gives what is notified until as many bytes have come.
    private static func exchange(
        _ pieces: [[UInt8]],
        bytes count: Int,
        _ body: ([[UInt8]]) -> Void
    ) async throws {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            try await client.call(Places.answers, Places.characteristic, "StartNotify")
            let start = client.position
            for piece in pieces { try await client.write(Places.frames, piece) }
            let packets = (count + 19) / 20
            try await client.wait(for: "GattCharacteristic1 Value=", from: Places.answers, after: start, count: packets)
            let prefix = "GattCharacteristic1 Value="
            let values = client.texts(within: Places.answers, from: start).map { text in
                text.dropFirst(prefix.count).split(separator: ",").compactMap { UInt8($0, radix: 16) }
            }
            body(values)
        }
    }

    @Test func `an echo comes back reversed though its frame came in pieces`() async throws {
        let frame = Self.frame(1, [1, 2, 3])
        try await Self.exchange([[0xFF], Array(frame.prefix(2)), Array(frame.dropFirst(2))], bytes: 7) { packets in
            #expect(packets == [Self.frame(0x81, [3, 2, 1])])
        }
    }

    @Test func `a status comes in packets of twenty bytes`() async throws {
        try await Self.exchange([Self.frame(2, [])], bytes: 76) { packets in
            #expect(packets.map(\.count) == [20, 20, 20, 16])
            #expect(packets.flatMap { $0 } == Self.frame(0x82, Array(0x40..<(0x40 + 72))))
        }
    }

    @Test func `two frames in one write are both answered, and one with a wrong sum is not`() async throws {
        let wrong: [UInt8] = [0x7E, 1, 1, 9, 0]
        try await Self.exchange([wrong, Self.frame(3, [2]) + Self.frame(0x22, [])], bytes: 40) { packets in
            #expect(packets == [Self.frame(0x83, [0, 1]), Self.frame(0xFF, [0x22])])
        }
    }

    @Test func `an answer may have a wrong sum`() async throws {
        try await Self.exchange([Self.frame(5, [])], bytes: 34) { packets in
            let bytes = packets.flatMap { $0 }
            #expect(bytes.last == bytes.dropLast().reduce(1, &+))
        }
    }

    @Test func `an answer may end the link half way`() async throws {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            try await client.call(Places.answers, Places.characteristic, "StartNotify")
            let start = client.position
            try await client.write(Places.frames, Self.frame(6, []))
            try await client.wait(
                for: "Device1 ServicesResolved=false Connected=false",
                from: Places.framer,
                after: start
            )
            #expect(client.texts(within: Places.answers, from: start).count == 1)
        }
    }
}
