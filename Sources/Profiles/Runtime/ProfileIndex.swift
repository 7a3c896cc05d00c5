import BleCore

/// Which profiles may recognise a device at all, found by what it sends: most of what is heard is no profile's.
///
/// Each rule of a profile stands under one thing that it asks for.
struct ProfileIndex {
    private var companies: [UInt16: [Int]] = [:]
    private var serviceData: [BluetoothUUID: [Int]] = [:]
    private var services: [BluetoothUUID: [Int]] = [:]
    /// Profiles with a rule that asks for none of these.
    private var others: [Int] = []

    init(_ profiles: [Profile]) {
        for (place, profile) in profiles.enumerated() {
            for rule in profile.match { add(rule, at: place) }
        }
    }

    private mutating func add(_ rule: DeviceMatch, at place: Int) {
        if let company = rule.manufacturers.lazy.compactMap(\.key).first {
            companies[company, default: []].append(place)
        } else if let payload = rule.serviceData.first {
            serviceData[payload.key, default: []].append(place)
        } else if let service = rule.services.first {
            services[service, default: []].append(place)
        } else {
            others.append(place)
        }
    }

    /// The places of the profiles that are worth asking, each once, in their order.
    func places(for device: Advertisement) -> [Int] {
        var places = others
        for company in device.manufacturerData.keys { places += companies[company] ?? [] }
        for service in device.serviceData.keys { places += serviceData[service] ?? [] }
        for service in device.services { places += services[service] ?? [] }
        guard places.count > 1 else { return places }
        places.sort()
        var last = -1
        places.removeAll { place in
            defer { last = place }
            return place == last
        }
        return places
    }
}
