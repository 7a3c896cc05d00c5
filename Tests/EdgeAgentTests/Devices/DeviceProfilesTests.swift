import BleCore
import EdgeAgent
import Profiles
import Testing

/// What devices tell, and when it goes out, with a clock that is moved by hand.
@Suite(.timeLimit(.minutes(10)))
struct DeviceProfilesTests {
    private static let bthome = BluetoothUUID("fcd2")

    private func address(_ number: Int) throws -> DeviceAddress {
        try #require(DeviceAddress("a1b2c3d4e50\(number)"))
    }

    /// BTHome 2: a temperature in hundredths of a degree, maybe with packet id and a press.
    private func report(_ number: Int = 0, temperature: UInt8, packet: UInt8? = nil, pressed: Bool = false) throws
        -> Advertisement
    {
        var report = Advertisement(address: try address(number), adapter: "hci0", heard: 0)
        let uuid = try #require(Self.bthome)
        var bytes: [UInt8] = [0x40]
        if let packet { bytes += [0x00, packet] }
        bytes += [0x02, temperature, 0x09]
        if pressed { bytes += [0x3A, 0x01] }
        report.serviceData = [uuid: bytes]
        return report
    }

    private func profiles(_ change: (inout DeviceProfiles.Pace) -> Void = { _ in }) -> DeviceProfiles {
        var pace = DeviceProfiles.Pace()
        change(&pace)
        return DeviceProfiles(library: .builtIn(), pace: pace)
    }

    @Test func `B77: eight sensors that say the same ten times a second are published when something changes`() throws {
        var profiles = profiles()
        var states = 0
        // Two minutes; every 30 s the temperature is another one.
        for tenth in 0..<1200 {
            let now = Duration.milliseconds(100 * tenth)
            for number in 0..<8 {
                _ = profiles.heard(try report(number, temperature: UInt8(tenth / 300)), at: now)
                states += profiles.due(at: now).count
            }
        }
        #expect(states == 8 * 4)
    }

    @Test func `B77: values that change all the time go out once an interval, the last one in the end`() throws {
        var profiles = profiles { $0.minimum = .seconds(5) }
        var states: [String] = []
        for second in 0..<30 {
            _ = profiles.heard(try report(temperature: UInt8(second)), at: .seconds(second))
            states += profiles.due(at: .seconds(second)).map { "\(second) \($0.values.count)" }
        }
        #expect(states.count == 6 && states.first == "0 1")
        #expect(profiles.nextDeadline == .seconds(30))
        #expect(profiles.due(at: .seconds(30)).count == 1 && profiles.nextDeadline == nil)
    }

    @Test func `another interval counts for devices that have told something already`() throws {
        var profiles = profiles { $0.minimum = .seconds(3600) }
        _ = profiles.heard(try report(temperature: 1), at: .zero)
        #expect(profiles.due(at: .zero).count == 1)
        _ = profiles.heard(try report(temperature: 2), at: .seconds(1))
        #expect(profiles.due(at: .seconds(10)).isEmpty && profiles.nextDeadline == .seconds(3600))
        profiles.pace.minimum = .seconds(5)
        #expect(profiles.nextDeadline == .seconds(5))
        #expect(profiles.due(at: .seconds(10)).count == 1 && profiles.nextDeadline == nil)
    }

    @Test func `the first of several states that wait says when to look next`() throws {
        var profiles = profiles { $0.minimum = .seconds(10) }
        for (number, second) in [(0, 0), (1, 3), (2, 5)] {
            _ = profiles.heard(try report(number, temperature: 1), at: .seconds(second))
            #expect(profiles.nextDeadline == .zero && profiles.due(at: .seconds(second)).count == 1)
        }
        for number in [2, 0, 1] { _ = profiles.heard(try report(number, temperature: 2), at: .seconds(6)) }
        #expect(profiles.nextDeadline == .seconds(10) && profiles.due(at: .seconds(9)).isEmpty)
        #expect(profiles.due(at: .seconds(10)).count == 1 && profiles.nextDeadline == .seconds(13))
        profiles.forget(try address(1))
        #expect(profiles.due(at: .seconds(13)).isEmpty && profiles.nextDeadline == .seconds(15))
        #expect(profiles.due(at: .seconds(15)).count == 1 && profiles.nextDeadline == nil)
    }

    @Test func `B77: what has not changed goes out again after a while, as long as the device says it`() throws {
        var profiles = profiles { $0.repetition = .seconds(60) }
        var times: [Int] = []
        for second in 0..<150 where second < 130 {
            _ = profiles.heard(try report(temperature: 1), at: .seconds(second))
            if !profiles.due(at: .seconds(second)).isEmpty { times.append(second) }
        }
        #expect(times == [0, 60, 120])
        #expect(profiles.due(at: .seconds(1000)).isEmpty && profiles.nextDeadline == nil)
    }

    @Test func `B77: a press is told at once and once, however often its packet comes and whatever was told before`()
        throws
    {
        var profiles = profiles { $0.minimum = .seconds(3600) }
        var presses: [UInt8] = []
        for packet in UInt8(0)..<5 {
            for _ in 0..<10 {
                let report = try report(temperature: 1, packet: packet, pressed: packet > 1)
                for event in profiles.heard(report, at: .milliseconds(Int(packet) * 300)).events {
                    #expect(event.fullName == "button" && event.type == "press")
                    presses.append(packet)
                }
            }
        }
        #expect(presses == [2, 3, 4])
    }

    @Test func `what a device is and has told is known to the next life, and forgotten with the device`() throws {
        var profiles = profiles()
        let device = try address(0)
        #expect(profiles.heard(try report(temperature: 1), at: .zero).isNew)
        #expect(!profiles.heard(try report(temperature: 2), at: .zero).isNew)
        let record = profiles.kept(device)
        #expect(record.profiles == ["bthome"] && record.names.values == ["temperature"])
        var next = self.profiles()
        next.restore(try KeptProfiles.decode(KeptProfiles([record]).encode(), path: ""))
        #expect(next.profiles(of: device).map(\.id) == ["bthome"] && next.kept(device) == record)
        next.forget(device)
        #expect(next.profiles(of: device).isEmpty && next.kept(device) == KeptProfiles.Record(address: device))
    }

    @Test func `a device has the profile that the configuration names, and no other`() throws {
        let device = try address(0)
        var profiles = DeviceProfiles(library: .builtIn(), bound: [device: "ruuvi-5"])
        #expect(!profiles.heard(try report(temperature: 1), at: .zero).isNew)
        #expect(profiles.profiles(of: device).map(\.id) == ["ruuvi-5"] && profiles.wantsAdvertisements)
        #expect(profiles.values(of: device).isEmpty)
        #expect(DeviceProfiles(library: .builtIn(), bound: [device: "none"]).profiles(of: device).isEmpty)
    }

    @Test func `a file of nonsense is refused and a name beyond the bound is not kept`() {
        for text in [#"{"version":1,"devices":[{}]}"#, #"{"version":2,"devices":[]}"#, "[]"] {
            #expect(throws: StateFailure.self) { try KeptProfiles.decode(Array(text.utf8), path: "") }
        }
        var names = KeptProfiles.Names()
        for number in 0..<300 { _ = names.add(value: "v\(number)") }
        #expect(names.values.count == KeptProfiles.Names.limit && !names.add(value: "v0"))
    }
}
