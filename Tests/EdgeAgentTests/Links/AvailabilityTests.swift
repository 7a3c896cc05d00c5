import BleCore
import EdgeAgent
import Testing

/// Which devices are there, with a clock that is moved by hand.
@Suite(.timeLimit(.minutes(10)))
struct AvailabilityTests {
    private let door: DeviceAddress
    private let start = ContinuousClock.now

    init() throws { door = try #require(DeviceAddress("a1b2c3d4e5f6")) }

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }
    private func online(_ isOnline: Bool) -> Availability.Change { .init(door, isOnline: isOnline) }

    @Test func `a device is there while it has a link, and an interval longer`() {
        var table = Availability()
        #expect(table.follow(door, interval: .seconds(10), at: start) == online(false))
        #expect(table.follow(door, at: start) == nil && table.nextDeadline == nil)
        #expect(table.link(door, isUp: true, at: at(1)) == online(true))
        #expect(table.link(door, isUp: true, at: at(2)) == nil)
        #expect(table.due(at: at(1000)) == [] && table.nextDeadline == nil)
        #expect(table.link(door, isUp: false, at: at(1000)) == nil)
        #expect(table.nextDeadline == at(1010) && table.due(at: at(1009)) == [])
        #expect(table.due(at: at(1010)) == [online(false)] && table.due(at: at(1011)) == [])
        #expect(!table.isOnline(door) && table.nextDeadline == nil)
    }

    @Test func `a report and a job that reached it count alike, the later one`() {
        var table = Availability()
        _ = table.follow(door, interval: .seconds(10), at: start)
        #expect(table.heard(door, at: at(1)) == online(true))
        #expect(table.reached(door, at: at(5)) == nil)
        #expect(table.due(at: at(11)) == [] && table.nextDeadline == at(15))
        #expect(table.due(at: at(15)) == [online(false)])
        #expect(table.reached(door, at: at(20)) == online(true))
    }

    @Test(arguments: [(1.0, 60.0), (30, 90), (200, 600), (500, 900)])
    func `the interval is learned within bounds`(_ gap: Double, _ interval: Double) {
        var table = Availability()
        _ = table.follow(door, at: start)
        table.listening(true, at: start)
        #expect(table.interval(of: door) == Availability.unlearned)
        for count in 0...3 { _ = table.heard(door, at: at(1 + Double(count) * gap)) }
        #expect(table.interval(of: door) == .seconds(interval))
    }

    @Test func `the longest of the last gaps counts, and older ones are forgotten`() {
        var table = Availability()
        _ = table.follow(door, at: start)
        table.listening(true, at: start)
        var now = 1.0
        _ = table.heard(door, at: at(now))
        for gap in [100.0] + Array(repeating: 25, count: 15) {
            now += gap
            _ = table.heard(door, at: at(now))
        }
        #expect(table.interval(of: door) == .seconds(300))
        _ = table.heard(door, at: at(now + 25))
        #expect(table.interval(of: door) == .seconds(75))
    }

    @Test func `a gap in which nobody listened, or that a link has filled, is none`() {
        var table = Availability()
        _ = table.follow(door, at: start)
        for round in 0..<4 {
            table.listening(true, at: at(Double(round) * 200))
            _ = table.heard(door, at: at(Double(round) * 200 + 1))
            table.listening(false, at: at(Double(round) * 200 + 2))
        }
        table.listening(true, at: at(1000))
        _ = table.heard(door, at: at(1001))
        _ = table.link(door, isUp: true, at: at(1002))
        _ = table.link(door, isUp: false, at: at(1300))
        _ = table.heard(door, at: at(1301))
        #expect(table.interval(of: door) == Availability.unlearned)
    }

    @Test func `B83 devices that are not followed leave nothing behind`() throws {
        var table = Availability()
        table.listening(true, at: start)
        for number in 0..<10_000 {
            let hex = String(number, radix: 16)
            let other = try #require(DeviceAddress(String(repeating: "0", count: 12 - hex.count) + hex))
            #expect(table.heard(other, at: start) == nil)
        }
        #expect(table.count == 0)
        _ = table.follow(door, hasLink: true, at: start)
        table.leave(door)
        #expect(table.count == 0 && table.nextDeadline == nil)
    }
}
