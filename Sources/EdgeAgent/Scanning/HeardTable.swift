package import BleCore

/// What one scan has heard: each device with its own count from the scan's start.
package struct HeardTable {
    /// The most devices that are kept; random addresses of passers-by are many.
    package static let limit = 10_000

    private let filter: ScanRequest
    package private(set) var devices: [DeviceAddress: Advertisement] = [:]
    /// Reports that matched.
    package private(set) var signals: Int64 = 0
    /// Reports of devices for which there was no room.
    package private(set) var overflow: Int64 = 0

    /// Begins with nothing heard; the filter says what counts.
    package init(filter: ScanRequest) { self.filter = filter }

    /// Takes up a report.
    ///
    /// - Returns: the device as this scan knows it, and as it knew it before; nil when it does not match.
    package mutating func hear(_ report: Advertisement) -> (now: Advertisement, before: Advertisement?)? {
        guard filter.matches(report) else { return nil }
        signals &+= 1
        let before = devices[report.address]
        guard before != nil || devices.count < Self.limit else {
            overflow &+= 1
            return nil
        }
        var now = report
        now.firstHeard = before?.firstHeard ?? report.lastHeard
        now.signals = (before?.signals ?? 0) &+ 1
        devices[report.address] = now
        return (now, before)
    }

    /// The devices, the strongest first, as many as `limit` allows.
    package func strongest(_ limit: Int) -> (devices: [Advertisement], isTruncated: Bool) {
        let sorted = devices.values.sorted { left, right in
            (right.rssi ?? -128, left.address) < (left.rssi ?? -128, right.address)
        }
        return (Array(sorted.prefix(limit)), sorted.count > limit || overflow > 0)
    }
}

extension Advertisement {
    /// Whether the device sends the same as in an earlier report, the signal strength apart.
    func says(theSameAs other: Advertisement) -> Bool {
        name == other.name && txPower == other.txPower && services == other.services
            && manufacturerData == other.manufacturerData && serviceData == other.serviceData
    }
}
