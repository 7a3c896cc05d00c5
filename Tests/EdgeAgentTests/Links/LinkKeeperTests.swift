import BleCore
import EdgeAgent
import Testing

/// When links are made again, with a clock that is moved by hand.
@Suite(.timeLimit(.minutes(10)))
struct LinkKeeperTests {
    private let door: DeviceAddress
    private let lamp: DeviceAddress
    private let start = ContinuousClock.now
    private let keep: LinkRules = {
        var rules = LinkRules()
        rules.policy = .keep
        return rules
    }()

    init() throws {
        door = try #require(DeviceAddress("a1b2c3d4e5f6"))
        lamp = try #require(DeviceAddress("a1b2c3d4e5f7"))
    }

    private func keeper(_ change: (inout LinkKeeper.Gaps) -> Void = { _ in }) -> LinkKeeper {
        var gaps = LinkKeeper.Gaps()
        gaps.jitter = { 1 }
        change(&gaps)
        return LinkKeeper(gaps)
    }

    /// The moment so many milliseconds after the start.
    private func at(_ ms: Int) -> ContinuousClock.Instant { start + .milliseconds(ms) }

    /// Lets each try fail at once and tells when they were made, in seconds.
    private func failures(_ keeper: inout LinkKeeper, until end: Int) -> [Double] {
        var times: [Double] = []
        while let next = keeper.nextDeadline, next <= at(end) {
            for case .connect(let address) in keeper.due(at: next) {
                times.append((next - start) / .seconds(1))
                _ = keeper.ended(address, .failure, at: next)
            }
        }
        return times
    }

    @Test func `the gaps double up to the longest`() {
        var keeper = keeper { $0.longest = .seconds(8) }
        keeper.want(door, keep, hasLink: false, at: start)
        #expect(failures(&keeper, until: 40_000) == [0, 1, 3, 7, 15, 23, 31, 39])
        #expect(keeper.attempt(of: door) == 9 && keeper.nextTry(of: door, at: at(39_000)) == .seconds(8))
    }

    @Test func `jitter moves each gap`() {
        var keeper = keeper { $0.jitter = { 0.5 } }
        keeper.want(door, keep, hasLink: true, at: start)
        keeper.linkDown(door, at: start)
        #expect(keeper.nextDeadline == at(500))
    }

    @Test(arguments: [(29_999, 4), (30_000, 1)])
    func `only a link that held lets the gaps begin anew`(_ stood: Int, _ gap: Int) {
        var keeper = keeper()
        keeper.want(door, keep, hasLink: false, at: start)
        // Fails at 0 and 1 s; the third try, at 3 s, succeeds.
        #expect(failures(&keeper, until: 2000) == [0, 1])
        #expect(keeper.due(at: at(3000)) == [.connect(door)])
        #expect(keeper.ended(door, .success, at: at(3000)) == [])
        keeper.linkUp(door, at: at(3100))
        #expect(keeper.phase(of: door) == .up(since: at(3000)) && keeper.attempt(of: door) == nil)
        keeper.linkDown(door, at: at(3000 + stood))
        #expect(keeper.nextDeadline == at(3000 + stood + gap * 1000))
        #expect(keeper.attempt(of: door) == 1)
    }

    @Test func `a link that flaps is made again ever more seldom, though each try succeeds`() {
        var keeper = keeper()
        keeper.want(door, keep, hasLink: true, at: start)
        var now = start
        var gaps: [Duration] = []
        for _ in 0..<9 {
            keeper.linkDown(door, at: now)
            guard let next = keeper.nextDeadline else { break }
            gaps.append(next - now)
            #expect(keeper.due(at: next) == [.connect(door)])
            _ = keeper.ended(door, .success, at: next)
            now = next + .seconds(1)
        }
        #expect(gaps.map { $0 / .seconds(1) } == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test func `after so many tries it is given up, until there is a link`() {
        var rules = keep
        rules.maxAttempts = 3
        var keeper = keeper()
        keeper.want(door, rules, hasLink: false, at: start)
        #expect(keeper.due(at: start) == [.connect(door)])
        #expect(keeper.ended(door, .failure, at: start) == [])
        #expect(failures(&keeper, until: 1500) == [1])
        #expect(keeper.due(at: at(3000)) == [.connect(door)])
        #expect(keeper.ended(door, .failure, at: at(3000)) == [.gaveUp(door, attempts: 3)])
        #expect(keeper.nextDeadline == nil && keeper.phase(of: door) == .gaveUp)
        #expect(keeper.attempt(of: door) == 3 && keeper.nextTry(of: door, at: at(3000)) == nil)
        // The same wish once more changes nothing, hearing it neither.
        keeper.want(door, rules, hasLink: false, at: at(4000))
        #expect(keeper.heard(door, rssi: -50, at: at(90_000)) == [])
        #expect(keeper.phase(of: door) == .gaveUp)
        keeper.linkUp(door, at: at(100_000))
        keeper.linkDown(door, at: at(100_500))
        #expect(keeper.attempt(of: door) == 1 && keeper.nextDeadline != nil)
    }

    @Test func `more tries may be allowed afterwards, and a Bluetooth that returns is a new start`() {
        var rules = keep
        rules.maxAttempts = 1
        for isAllowed in [true, false] {
            var keeper = keeper()
            keeper.want(door, rules, hasLink: false, at: start)
            _ = keeper.due(at: start)
            #expect(keeper.ended(door, .failure, at: start) == [.gaveUp(door, attempts: 1)])
            if isAllowed {
                keeper.want(door, keep, hasLink: false, at: start)
                #expect(keeper.nextDeadline == at(1000))
            } else {
                #expect(keeper.bluetoothReturned(at: start) == [.connect(door)])
                #expect(keeper.attempt(of: door) == 1)
            }
        }
    }

    @Test func `a device that was silent is tried as soon as it is heard again`() {
        var keeper = keeper()
        keeper.want(door, keep, hasLink: false, at: start)
        // The sixth gap is 32 s, from 31 s on.
        #expect(failures(&keeper, until: 31_000) == [0, 1, 3, 7, 15, 31])
        #expect(keeper.listening == [door])
        #expect(keeper.heard(lamp, rssi: -50, at: at(60_000)) == [])
        #expect(keeper.heard(door, rssi: nil, at: at(55_000)) == [.connect(door)])
        #expect(keeper.isTrying(door) && keeper.listening == [] && keeper.nextDeadline == nil)
        #expect(keeper.heard(door, rssi: nil, at: at(55_100)) == [])
    }

    @Test func `a device that is there all the time and takes no link is not tried with each report`() {
        var keeper = keeper()
        keeper.want(door, keep, hasLink: false, at: start)
        _ = failures(&keeper, until: 31_000)
        for ms in stride(from: 31_100, to: 63_000, by: 100) {
            #expect(keeper.heard(door, rssi: -50, at: at(ms)) == [])
        }
        #expect(keeper.nextDeadline == at(63_000))
    }

    @Test func `with rssiMin only what is near enough is tried`() {
        var rules = keep
        rules.rssiMin = -70
        var keeper = keeper()
        keeper.want(door, rules, hasLink: false, at: start)
        #expect(keeper.listening == [door])
        // Never heard, then too weak, then strong but long ago: no try, and no count of one.
        #expect(keeper.due(at: start) == [])
        #expect(keeper.heard(door, rssi: -71, at: at(900)) == [])
        #expect(keeper.due(at: at(1000)) == [])
        #expect(keeper.heard(door, rssi: -60, at: at(1500)) == [])
        #expect(keeper.due(at: at(11_600)) == [])
        #expect(keeper.attempt(of: door) == 1 && keeper.nextDeadline == at(12_600))
        #expect(keeper.heard(door, rssi: -70, at: at(12_500)) == [.connect(door)])
    }

    @Test func `disconnect ends it, a try under way as well, until somebody makes a link`() {
        var keeper = keeper()
        keeper.want(door, keep, hasLink: true, at: start)
        #expect(keeper.pause(door) == [])
        keeper.linkDown(door, at: at(100))
        #expect(keeper.nextDeadline == nil && keeper.isPaused(door))
        // A subscription that is renewed does not bring it back.
        keeper.want(door, keep, hasLink: false, at: at(200))
        #expect(keeper.nextDeadline == nil)
        #expect(keeper.bluetoothReturned(at: at(300)) == [])
        keeper.linkUp(door, at: at(1000))
        keeper.linkDown(door, at: at(2000))
        #expect(keeper.due(at: at(3000)) == [.connect(door)])
        #expect(keeper.pause(door) == [.cancel(door)])
        #expect(keeper.ended(door, .success, at: at(3100)) == [])
        #expect(keeper.phase(of: door) == nil)
    }

    @Test func `without Bluetooth nothing is tried, and then one after the other`() {
        var keeper = keeper()
        for address in [door, lamp] {
            keeper.want(address, keep, hasLink: false, at: start)
        }
        #expect(keeper.due(at: start).count == 2)
        for address in [door, lamp] { _ = keeper.ended(address, .noBluetooth, at: start) }
        #expect(keeper.nextDeadline == nil)
        #expect(keeper.bluetoothReturned(at: at(5000)) == [.connect(door)])
        #expect(keeper.nextDeadline == at(5200))
        #expect(keeper.due(at: at(5200)) == [.connect(lamp)])
        #expect(keeper.attempt(of: lamp) == 1)
    }

    @Test func `what was not the device's fault is no try of those that are counted`() {
        var rules = keep
        rules.maxAttempts = 1
        var keeper = keeper()
        keeper.want(door, rules, hasLink: false, at: start)
        var now = start
        for _ in 0..<4 {
            #expect(keeper.due(at: now) == [.connect(door)])
            #expect(keeper.ended(door, .postponed, at: now) == [])
            now = keeper.nextDeadline ?? now
        }
        #expect(now == at(15_000) && keeper.attempt(of: door) == 1)
    }

    @Test func `what nobody wants leaves nothing behind`() {
        var keeper = keeper()
        keeper.linkUp(door, at: start)
        keeper.linkDown(door, at: start)
        #expect(keeper.pause(door) == [] && keeper.count == 0)
        keeper.want(door, keep, hasLink: false, at: start)
        #expect(keeper.due(at: start) == [.connect(door)])
        #expect(keeper.unwant(door) == [.cancel(door)])
        #expect(keeper.unwant(door) == [] && keeper.count == 0 && keeper.nextDeadline == nil)
    }
}
