package import BleCore

/// Which links are this agent's, as its next life is to know it: one that stands, that is being made, or that ended so
/// lately that writing it down is not worth it yet.
///
/// Not known as its own, a link would stay for ever; so it is written down before it stands. Known though it is gone, it
/// does no harm: the next life looks whether it is there.
package struct OwnLinks: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How long one that ended is remembered: links that come and go cost no writes.
    package static let linger = Duration.seconds(60)

    /// When each is forgotten; nil while it stands or is being made.
    private var links: [DeviceAddress: Instant?] = [:]

    package init() {}

    /// Those to be written down, in order.
    package var addresses: [DeviceAddress] { links.keys.sorted() }

    /// A link is being made, or stands.
    package mutating func made(_ address: DeviceAddress) { links[address] = .some(nil) }

    /// A link has ended, or is another program's.
    package mutating func gone(_ address: DeviceAddress, at now: Instant) {
        if case .some(.none) = links[address] { links[address] = now + Self.linger }
    }

    /// Forgets those whose time is over; all that have ended when the agent stops.
    package mutating func forget(at now: Instant, all: Bool = false) {
        links = links.filter { _, end in end.map { !all && $0 > now } ?? true }
    }

    /// When the next one is to be forgotten.
    package var nextDeadline: Instant? { links.values.compactMap(\.self).min() }
}

// MARK: In JSON

extension OwnLinks {
    package static let version: Int64 = 1
    package static let fileName = "own-links.json"
    package static let maxBytes = 1 << 20

    package func encode() -> [UInt8] {
        StateList.encode("links", version: Self.version, addresses, elementBytes: 16) { $0.value($1.hex) }
    }

    /// Reads the links of an earlier life; none where the file cannot be read: no link outlives the power cut that
    /// could have spoilt it.
    package static func decode(_ bytes: [UInt8]) -> [DeviceAddress] {
        do throws(StateFailure) {
            let list = try StateList.read("links", in: bytes, version: version, maxBytes: maxBytes, path: fileName)
            return list.compactMap { $0.string.flatMap { DeviceAddress($0) } }
        } catch {
            return []
        }
    }
}
