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

    private func hear(_ report: Advertisement, _ table: inout HeardTable) -> HeardTable.Novelty? {
        var report = report
        return table.hear(&report, comparing: false)
    }

    @Test func `counts and times begin with the scan, not with what BlueZ heard before`() throws {
        var table = HeardTable(filter: ScanRequest())
        var first = try report(1, last: 5000)
        #expect(table.hear(&first, comparing: false) == .device)
        #expect(first.signals == 1 && first.firstHeard == 5000 && table.devices[first.address] == first)
        var second = try report(1, rssi: -50, last: 6000)
        #expect(table.hear(&second, comparing: false) == .nothing)
        #expect(second.signals == 2 && second.firstHeard == 5000 && second.lastHeard == 6000)
        #expect(table.signals == 2 && table.devices == [second.address: second])
    }

    @Test func `a report is compared with the one before, the signal strength apart`() throws {
        var table = HeardTable(filter: ScanRequest())
        let heard: [(Advertisement, HeardTable.Novelty)] = [
            (try report(1), .device), (try report(1, rssi: -50), .nothing), (try report(1, name: "A"), .content),
            (try report(1, rssi: -40, name: "A"), .nothing), (try report(1), .content), (try report(2), .device),
        ]
        for (report, novelty) in heard {
            var report = report
            #expect(table.hear(&report, comparing: true) == novelty)
        }
    }

    @Test func `what the filter does not match is not heard`() throws {
        var filter = ScanRequest()
        filter.namePrefix = "Sim"
        filter.rssiMin = -70
        var table = HeardTable(filter: filter)
        let reports = [
            try report(1), try report(2, rssi: -71, name: "Sim A"), try report(3, rssi: nil, name: "Sim A"),
            try report(4, rssi: -70, name: "Sim A"),
        ]
        #expect(reports.map { hear($0, &table) } == [nil, nil, nil, .device])
        #expect(table.signals == 1)
    }

    @Test func `the strongest come first, and a list that was cut says so`() throws {
        var table = HeardTable(filter: ScanRequest())
        for (number, rssi) in [(1, -80), (2, -40), (3, nil), (4, -40)] {
            _ = hear(try report(number, rssi: rssi), &table)
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
        for number in 0..<(HeardTable.limit + 5) { _ = hear(try report(number), &table) }
        #expect(table.devices.count == HeardTable.limit && table.overflow == 5)
        #expect(hear(try report(3), &table) == .nothing)
        #expect(table.strongest(HeardTable.limit).isTruncated)
    }
}
