import BleCore
import EdgeAgent
import Testing

/// What one scan has heard.
@Suite(.timeLimit(.minutes(10)))
struct HeardTableTests {
    private func report(_ number: Int, rssi: Int? = -60, name: String? = nil, last: Int64 = 1000) throws
        -> Advertisement
    {
        let digits = String(number, radix: 16)
        let address = try #require(DeviceAddress(String(repeating: "0", count: 12 - digits.count) + digits))
        var report = Advertisement(address: address, adapter: "hci0", heard: last)
        report.rssi = rssi
        report.name = name
        report.signals = 99
        return report
    }

    @Test func `counts and times begin with the scan, not with what BlueZ heard before`() throws {
        var table = HeardTable(filter: ScanRequest())
        let first = try #require(table.hear(try report(1, last: 5000)))
        #expect(first.before == nil && first.now.signals == 1 && first.now.firstHeard == 5000)
        let second = try #require(table.hear(try report(1, rssi: -50, last: 6000)))
        #expect(second.before == first.now)
        #expect(second.now.signals == 2 && second.now.firstHeard == 5000 && second.now.lastHeard == 6000)
        #expect(table.signals == 2 && table.devices.count == 1)
    }

    @Test func `what the filter does not match is not heard`() throws {
        var filter = ScanRequest()
        filter.namePrefix = "Sim"
        filter.rssiMin = -70
        var table = HeardTable(filter: filter)
        #expect(table.hear(try report(1)) == nil)
        #expect(table.hear(try report(2, rssi: -71, name: "Sim A")) == nil)
        #expect(table.hear(try report(3, rssi: nil, name: "Sim A")) == nil)
        #expect(table.hear(try report(4, rssi: -70, name: "Sim A")) != nil)
        #expect(table.signals == 1)
    }

    @Test func `the strongest come first, and a list that was cut says so`() throws {
        var table = HeardTable(filter: ScanRequest())
        for (number, rssi) in [(1, -80), (2, -40), (3, nil), (4, -40)] {
            _ = table.hear(try report(number, rssi: rssi))
        }
        let all = table.strongest(10)
        #expect(
            all.devices.map(\.address.hex.last) == ["2", "4", "1", "3"]
                || all.devices.map(\.address.hex.last) == ["4", "2", "1", "3"]
        )
        #expect(!all.isTruncated)
        let some = table.strongest(2)
        #expect(some.devices.count == 2 && some.isTruncated && some.devices.allSatisfy { $0.rssi == -40 })
    }

    @Test func `passers-by beyond the limit are counted and nothing grows`() throws {
        var table = HeardTable(filter: ScanRequest())
        for number in 0..<(HeardTable.limit + 5) { _ = table.hear(try report(number)) }
        #expect(table.devices.count == HeardTable.limit && table.overflow == 5)
        #expect(table.hear(try report(3)) != nil)
        #expect(table.strongest(HeardTable.limit).isTruncated)
    }
}
