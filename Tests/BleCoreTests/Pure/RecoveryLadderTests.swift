import BleCore
import PaceSupport
import TestSupport
import Testing

/// Which step comes next, with a clock that is moved by hand.
@Suite(.timeLimit(.minutes(10)))
struct RecoveryLadderTests {
    private typealias Ladder = RecoveryLadder
    private static let door = Ladder.Subject.device(Devices.heart)
    private let start = ContinuousClock.now
    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// The steps that failures lead to, one failure each second so often.
    private func steps(
        _ fault: RecoveryFault,
        every seconds: Int,
        times: Int,
        leave: (RecoveryStep) -> Ladder.Leave = { _ in .yes }
    ) -> [String] {
        var ladder = Ladder()
        return (0..<times).compactMap { round in
            let step = ladder.failed(Self.door, fault, at: at(round * seconds), leave: leave)
            return step.map { "\(round * seconds) \($0.rawValue)" }
        }
    }

    @Test(arguments: [
        (RecoveryFault.connectInProgress, ["2 cancel-connect", "4 remove-device"]),
        (.connectFails, ["3 disconnect", "7 remove-device"]),
        (.servicesUnresolved, ["2 remove-device"]),
        (.connectsFail, ["3 scan-restart", "6 power-cycle", "9 helper"]),
        (.scannerSilent, ["0 scan-restart", "1 scan-restart", "2 scan-restart", "3 power-cycle", "4 helper"]),
        (.noAnswers, ["0 bus-reconnect", "2 helper"]),
    ])
    func `B13 harmless steps come first, stronger ones when they did not help`(
        fault: RecoveryFault,
        expected: [String]
    ) {
        let taken = steps(fault, every: 1, times: 10)
        #expect(Array(taken.prefix(expected.count)) == expected)
    }

    @Test func `B13 the gaps between the same steps double, and an hour has a bound`() {
        let taken = steps(.connectInProgress, every: 1, times: 3600) { $0 == .removeDevice ? .never : .yes }
        let times = taken.compactMap { Int($0.split(separator: " ")[0]) }
        #expect(times == [2, 7, 17, 37, 77, 157, 317, 637, 1277, 2557])
        // Success in between: the gaps begin anew, the bound of the hour does not.
        var ladder = Ladder()
        var count = 0
        for second in 0..<3600 {
            if ladder.failed(Self.door, .connectInProgress, at: at(second), leave: { _ in .yes }) == .removeDevice {
                count += 1
                ladder.succeeded(Self.door)
            }
        }
        #expect(count == 4)
    }

    @Test func `a success lets a ladder begin at its foot`() {
        var ladder = Ladder()
        func fail(_ second: Int) -> RecoveryStep? {
            ladder.failed(Self.door, .connectInProgress, at: at(second)) { _ in .yes }
        }
        #expect(fail(0) == nil && fail(1) == nil && fail(2) == .cancelConnect && fail(3) == nil)
        ladder.succeeded(Self.door)
        #expect(ladder.count == 0)
        #expect(fail(10) == nil && fail(11) == nil && fail(12) == .cancelConnect)
        #expect(fail(13) == nil && fail(14) == .removeDevice)
        // Another device's success is its own.
        ladder.succeeded(.device(Devices.battery))
        #expect(ladder.count == 1)
    }

    @Test func `B13 what must not be done is passed over, what cannot be done now is waited for`() {
        let bonded = steps(.connectInProgress, every: 10, times: 9) { $0 == .removeDevice ? .never : .yes }
        #expect(bonded.allSatisfy { $0.hasSuffix("cancel-connect") } && bonded.count == 3)
        var ladder = Ladder()
        var isFree = false
        var taken: [String] = []
        for second in 0..<20 {
            if second == 15 { isFree = true }
            let step = ladder.failed(.bus, .connectsFail, at: at(second)) { step in
                step == .powerCycle ? isFree ? .yes : .notNow : step == .helper ? .never : .yes
            }
            if let step { taken.append("\(second) \(step.rawValue)") }
        }
        #expect(taken == ["3 scan-restart", "15 power-cycle"])
        #expect(steps(.noAnswers, every: 1, times: 50) { _ in .never }.isEmpty)
    }

    @Test func `faults of many devices are kept within a bound, the oldest go`() {
        var ladder = Ladder()
        func fail(_ number: UInt64, _ second: Int) -> RecoveryStep? {
            guard let address = DeviceAddress(rawValue: number) else { return nil }
            return ladder.failed(.device(address), .servicesUnresolved, at: at(second)) { _ in .yes }
        }
        for number in 0..<2000 { _ = fail(UInt64(number), 0) }
        #expect(ladder.count == Ladder.bound)
        _ = fail(5000, 4000)
        #expect(ladder.count == 1)
    }

    @Test(.apart) func `no walk takes a step that is forbidden, too soon, or too often`() {
        for seed in 1...Rounds.of(40) {
            var random = SeededRandom(seed: UInt64(seed))
            var ladder = Ladder()
            var now = start
            var taken: [String: [ContinuousClock.Instant]] = [:]
            let subjects: [Ladder.Subject] = [Self.door, .device(Devices.battery), .bus]
            for _ in 0..<3000 {
                now += .milliseconds(Int.random(in: 0...30_000, using: &random))
                let subject = subjects[Int.random(in: 0..<subjects.count, using: &random)]
                if Int.random(in: 0..<20, using: &random) == 0 {
                    ladder.succeeded(subject)
                    continue
                }
                let fault = RecoveryFault.allCases[Int.random(in: 0..<RecoveryFault.allCases.count, using: &random)]
                let forbidden = RecoveryStep.allCases.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
                let isSoft = Bool.random(using: &random)
                let step = ladder.failed(subject, fault, at: now) { step in
                    forbidden.contains(step) ? isSoft ? .notNow : .never : .yes
                }
                guard let step else { continue }
                #expect(!forbidden.contains(step))
                let rungs = Ladder.rungs(against: fault).filter { $0.step == step }
                let key = "\(subject) \(step)"
                let lastHour = (taken[key] ?? []).filter { now - $0 < .seconds(3600) }
                let most =
                    RecoveryFault.allCases.flatMap { Ladder.rungs(against: $0) }
                    .filter { $0.step == step }.map(\.perHour).max() ?? 0
                #expect(!rungs.isEmpty && lastHour.count < most)
                if let last = lastHour.last, let gap = rungs.map(\.gap).min() { #expect(now - last >= gap) }
                taken[key] = lastHour + [now]
            }
            #expect(!taken.isEmpty)
        }
    }

    @Test func `an adapter is suspected when several devices fail through it, and cleared by a link`() throws {
        var troubles = ConnectTroubles()
        func fails(_ device: DeviceAddress, _ adapter: AdapterID, _ second: Int) -> Bool {
            troubles.failed(device, on: adapter, at: at(second))
        }
        let (one, two) = (try #require(AdapterID("hci0")), try #require(AdapterID("00:1A:7D:DA:71:11")))
        #expect(!fails(Devices.heart, one, 0) && !fails(Devices.heart, one, 1))
        #expect(!fails(Devices.battery, two, 2) && fails(Devices.battery, one, 3))
        #expect(troubles.isFailing(Devices.heart, on: one) && !troubles.isFailing(Devices.heart, on: two))
        troubles.succeeded(on: one)
        #expect(!fails(Devices.battery, one, 4))
        // What was long ago does not count.
        #expect(!fails(Devices.heart, one, 400))
    }
}
