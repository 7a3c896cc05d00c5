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

    /// What is new in a report: its device, what it says, or neither.
    package enum Novelty { case device, content, nothing }

    /// Takes up a report.
    ///
    /// - Parameters:
    ///   - report: what was heard; `firstHeard` and `signals` become those of this scan.
    ///   - comparing: whether to find out if it says something else than the one before, which costs a little.
    /// - Returns: what is new; nil when it does not match, or finds no room.
    package mutating func hear(_ report: inout Advertisement, comparing: Bool) -> Novelty? {
        guard filter.matches(report) else { return nil }
        signals &+= 1
        guard let place = devices.index(forKey: report.address) else {
            guard devices.count < Self.limit else {
                overflow &+= 1
                return nil
            }
            report.firstHeard = report.lastHeard
            report.signals = 1
            devices[report.address] = report
            return .device
        }
        return Self.renew(&devices.values[place], with: &report, comparing: comparing)
    }

    private static func renew(
        _ known: inout Advertisement,
        with report: inout Advertisement,
        comparing: Bool
    ) -> Novelty {
        let isOther = comparing && !report.says(theSameAs: known)
        report.firstHeard = known.firstHeard
        report.signals = known.signals &+ 1
        known = report
        return isOther ? .content : .nothing
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
