internal import BleCore

/// Reports that have to wait for a place: of each device the newest, where the first of them stood.
struct WaitingReports {
    private var reports: [Advertisement] = []
    /// How many of `reports` have been taken.
    private var taken = 0
    private var places: [DeviceAddress: Int] = [:]

    var isEmpty: Bool { taken == reports.count }

    /// Takes up a report.
    ///
    /// - Returns: whether it has replaced one of its device.
    mutating func add(_ report: Advertisement) -> Bool {
        if let place = places[report.address] {
            reports[place] = report
            return true
        }
        places[report.address] = reports.count
        reports.append(report)
        return false
    }

    /// Takes out the first, as many as `limit` allows.
    mutating func take(_ limit: Int) -> [Advertisement] {
        let end = min(taken + limit, reports.count)
        let first = Array(reports[taken..<end])
        for report in first { places[report.address] = nil }
        taken = end
        if isEmpty {
            self = WaitingReports()
        } else if taken >= 1024, taken * 2 >= reports.count {
            reports.removeFirst(taken)
            let gone = taken
            places = places.mapValues { $0 - gone }
            taken = 0
        }
        return first
    }
}
