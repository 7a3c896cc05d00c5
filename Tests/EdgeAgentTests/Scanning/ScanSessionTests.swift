import BleCore
import EdgeAgent
import EventLoop
import TestSupport
import Testing

/// Which reports a lasting scan publishes, and in which messages.
@Suite(.timeLimit(.minutes(10)))
struct ScanSessionTests {
    /// A session on a loop of its own, with what it publishes.
    private final class Fixture: @unchecked Sendable {
        // Safe because: the session is used on the loop's thread alone.
        let loop: EventLoop
        let published = TestSupport.Log<ScanBatchMessage>()
        /// How many more messages find room; nil: all.
        private var room: Int?
        private var session: ScanSession?

        init(_ emit: ScanEmit, batch: ScanBatch = .none, takes: @escaping @Sendable (Int) -> Bool = { _ in true })
            async throws
        {
            loop = try EventLoop.startThread()
            let command = ScanStartCommand(session: nil, emit: emit, batch: batch)
            try await on { [published] fixture in
                fixture.session = ScanSession(
                    command,
                    name: .make(),
                    loop: fixture.loop,
                    nameOf: { .address($0) },
                    hasRoom: { [unowned fixture] in fixture.room.map { $0 > 0 } ?? true },
                    publish: { [unowned fixture] message in
                        if let room = fixture.room { fixture.room = max(0, room - 1) }
                        let isTaken = takes(published.all.count)
                        published.append(message)
                        return isTaken
                    }
                )
            }
        }

        deinit { loop.stop() }

        /// Runs on the loop and waits for it.
        func on<Value: Sendable>(_ work: @escaping @Sendable (Fixture) -> Value) async throws -> Value {
            let done = TestSupport.Log<Value>()
            loop.execute { done.append(work(self)) }
            return try await done.first(1)[0]
        }

        /// Has the session hear reports, all in one turn of the loop: no timer comes between them.
        func hear(_ reports: Advertisement...) async throws {
            try await on { fixture in
                for report in reports { fixture.session?.hear(report) }
            }
        }

        /// Says how many messages find room from now on, and has the session hear reports in the same turn.
        func hear(room: Int?, _ reports: [Advertisement] = []) async throws {
            try await on { fixture in
                fixture.room = room
                for report in reports { fixture.session?.hear(report) }
            }
        }

        func state() async throws -> ScanStateMessage? { try await on { $0.session?.state(.started) } }

        func stop() async throws -> ScanStateMessage? {
            try await on { fixture in
                fixture.session?.stop()
                return fixture.session?.state(.stopped, reason: "command")
            }
        }

        /// What the first device of each message sends.
        var companies: [[UInt8]?] { published.all.map { $0.devices.first?.advertisement.manufacturerData[0xFFFF] } }
        /// How many devices each message had.
        var sizes: [Int] { published.all.map(\.devices.count) }
    }

    private func report(_ number: UInt8, rssi: Int = -60, company: [UInt8] = [1]) throws -> Advertisement {
        let digits = String(number, radix: 16)
        let address = DeviceAddress("c05a000000" + (digits.count == 1 ? "0" : "") + digits)
        var report = Advertisement(address: try #require(address), adapter: "hci0", heard: 1000)
        report.rssi = rssi
        report.signals = 1
        report.manufacturerData = [0xFFFF: company]
        return report
    }

    @Test func `first publishes each device once`() async throws {
        let fixture = try await Fixture(.first)
        try await fixture.hear(report(1), report(1, company: [9]), report(2), report(1), report(2, company: [7]))
        #expect(fixture.sizes == [1, 1])
        let state = try await fixture.stop()
        #expect(state?.signals == 5 && state?.published == 2 && state?.dropped == 0)
    }

    @Test func `all publishes each report with its count`() async throws {
        let fixture = try await Fixture(.all)
        try await fixture.hear(report(1), report(1), report(1), report(1))
        #expect(fixture.sizes == [1, 1, 1, 1])
        #expect(fixture.published.all.map { $0.devices[0].advertisement.signals } == [1, 2, 3, 4])
    }

    @Test func `change publishes what says something new, whatever the signal strength`() async throws {
        let fixture = try await Fixture(.change)
        try await fixture.hear(
            report(1),
            report(1, rssi: -90),
            report(1, rssi: -30, company: [2]),
            report(1, company: [2]),
            report(1, company: [1])
        )
        #expect(fixture.companies == [[1], [2], [1]])
    }

    @Test func `every publishes the first at once and then the newest of each span`() async throws {
        let fixture = try await Fixture(.every(.milliseconds(200)))
        try await fixture.hear(
            report(1, company: [1]),
            report(1, company: [2]),
            report(2, company: [3]),
            report(1, company: [4])
        )
        _ = try await fixture.published.first(3)
        // Each device has spans of its own.
        #expect(fixture.companies == [[1], [3], [4]])
    }

    @Test func `a batch goes out when it is full, when its time is over, and with the end`() async throws {
        let fixture = try await Fixture(.all, batch: ScanBatch(maxDevices: 3, maxDelay: .milliseconds(100)))
        try await fixture.hear(report(1), report(2), report(3), report(4))
        #expect(fixture.published.all.first?.devices.count == 3)
        _ = try await fixture.published.first(2)
        #expect(fixture.sizes == [3, 1])
        let late = try await Fixture(.all, batch: ScanBatch(maxDevices: 3, maxDelay: .seconds(60)))
        try await late.hear(report(5), report(6))
        #expect(late.sizes == [])
        let state = try await late.stop()
        #expect(late.sizes == [2] && state?.published == 2)
    }

    @Test func `what finds no place is counted and told with the next message`() async throws {
        let fixture = try await Fixture(.all, takes: { $0 > 1 })
        try await fixture.hear(report(1), report(1), report(1), report(1))
        #expect(fixture.published.all.map(\.dropped) == [0, 1, 2, 0])
        let state = try await fixture.stop()
        #expect(state?.published == 2 && state?.dropped == 2)
    }

    @Test func `what finds no room waits, of each device the newest at the place of the first, and nothing is dropped`()
        async throws
    {
        let fixture = try await Fixture(.change)
        let reports = try (1...9).flatMap { number in
            try [report(1, company: [number]), report(2, company: [number]), report(number + 2, company: [number])]
        }
        try await fixture.hear(room: 0, reports)
        #expect(fixture.published.all.isEmpty)
        var state = try await fixture.state()
        #expect(state?.signals == 27 && state?.published == 0 && state?.dropped == 0 && state?.coalesced == 16)
        try await fixture.hear(room: 2)
        _ = try await fixture.published.first(2)
        // Those that have gone wait anew, behind the others.
        try await fixture.hear(room: 0, [report(1, company: [10]), report(3, company: [10])])
        #expect(fixture.published.all.count == 2)
        try await fixture.hear(room: nil)
        let messages = try await fixture.published.first(12)
        let addresses = messages.map { $0.devices[0].advertisement.address }
        #expect(try addresses == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1].map { try report($0).address })
        #expect(fixture.companies == [[9], [9], [10], [2], [3], [4], [5], [6], [7], [8], [9], [10]])
        // A report counts each time that it is heard, also when another one stands for it.
        #expect(
            messages[0].devices[0].advertisement.signals == 9 && messages[11].devices[0].advertisement.signals == 10
        )
        // What was coalesced is told with the next message.
        #expect(messages.map(\.coalesced) == [16, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        try await fixture.hear(report(1, company: [11]), report(1, company: [12]))
        // With room again each goes out at once.
        #expect(fixture.companies.suffix(2) == [[11], [12]])
        state = try await fixture.stop()
        #expect(state?.signals == 31 && state?.published == 14 && state?.dropped == 0 && state?.coalesced == 17)
    }

    @Test func `what waits goes out in messages as large as was asked for, all of it with the end`() async throws {
        let fixture = try await Fixture(.all, batch: ScanBatch(maxDevices: 3, maxDelay: .milliseconds(50)))
        let reports = try (1...8).map { try report($0) }
        try await fixture.hear(room: 0, reports)
        try await fixture.hear(room: 2, reports)
        _ = try await fixture.published.first(2)
        #expect(fixture.sizes == [3, 3])
        let state = try await fixture.stop()
        #expect(fixture.sizes == [3, 3, 2])
        #expect(state?.signals == 16 && state?.published == 8 && state?.coalesced == 8 && state?.dropped == 0)
    }

    @Test func `many that wait go out in several turns, in order`() async throws {
        let fixture = try await Fixture(.first)
        let reports = try (1...5000).map { number in
            let digits = String(number, radix: 16)
            let address = DeviceAddress("c05a0000" + String(repeating: "0", count: 4 - digits.count) + digits)
            return Advertisement(address: try #require(address), adapter: "hci0", heard: 1000)
        }
        try await fixture.hear(room: 0, reports)
        try await fixture.hear(room: nil)
        let messages = try await fixture.published.first(5000)
        #expect(messages.map { $0.devices[0].advertisement.address } == reports.map(\.address))
        #expect(try await fixture.stop()?.coalesced == 0)
    }
}
