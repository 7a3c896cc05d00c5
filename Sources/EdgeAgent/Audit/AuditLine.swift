internal import BleCore
internal import Cryptography
internal import Frames

/// Makes the values of audit lines.
///
/// What is written is told by its length and a hash that is keyed with the device's address and a key that lives as long
/// as the process. A hash without a key would give short values away: whoever reads the log could try them all.
package struct AuditLine: Sendable {
    private let gateway: GatewayID
    private let key: [UInt8]
    private let showsValues: Bool

    /// The bytes of the hash that a line has.
    private static let hashBytes = 4

    /// Makes lines of a gateway.
    ///
    /// - Parameters:
    ///   - gateway: its name.
    ///   - key: bytes that nobody knows.
    ///   - showsValues: whether lines have the bytes themselves.
    package init(gateway: GatewayID, key: [UInt8], showsValues: Bool) {
        self.gateway = gateway
        self.key = key
        self.showsValues = showsValues
    }

    /// A command's line, then one for each of its parts.
    package func fields(of body: ResultBody) -> [[LogEvent.Field]] {
        var line = origin(body.origin)
        let verb = body.subject?.verb ?? body.origin.verb
        line.append((.verb, verb?.rawValue ?? "unknown"))
        if let subject = body.subject { line += fields(of: subject, on: body.origin.device) }
        line.append((.status, body.status.rawValue))
        if let error = body.error { line.append((.code, error.code.rawValue)) }
        if let applied = body.applied { line.append((.applied, applied.description)) }
        if let reason = body.subject?.reason { line.append((.reason, reason)) }
        line.append((.id, body.origin.id.text))
        let steps = (body.subject?.steps ?? []).enumerated().filter(\.element.isAudited).map { number, step in
            origin(body.origin) + [(.step, String(number)), (.verb, step.verb.rawValue)]
                + fields(of: step, on: body.origin.device) + [(.id, body.origin.id.text)]
        }
        return [line] + steps
    }

    /// How a device is named in a line.
    package func fields(of device: DeviceTarget) -> [LogEvent.Field] {
        [(.device, device.name.description), (.address, device.address.hex)]
    }

    /// Who asked, and what the topic named.
    private func origin(_ origin: CommandOrigin) -> [LogEvent.Field] {
        // A label in the body is whatever its sender likes: it must not look like a name that the broker vouches for.
        var line: [LogEvent.Field] = [origin.identity.map { (.caller, $0) } ?? (.unverified, origin.client)]
        switch origin.target {
        case .device(let device): line += fields(of: device)
        case .group(let group, _): line.append((.group, group.text))
        case .gateway(let all):
            line.append((.gateway, gateway.text))
            if all { line.append((.all, "true")) }
        }
        return line
    }

    private func fields(of subject: AuditSubject, on device: DeviceTarget?) -> [LogEvent.Field] {
        var line: [LogEvent.Field] = []
        if let first = subject.attributes.first {
            if let service = first.service { line.append((.service, service.description)) }
            if let characteristic = first.characteristic { line.append((.characteristic, characteristic.description)) }
            if let handle = first.handle { line.append((.handle, String(handle))) }
            if let descriptor = first.descriptor { line.append((.descriptor, descriptor.description)) }
        }
        for other in subject.attributes.dropFirst() {
            line.append((.notify, other.characteristic?.description ?? other.handle.map { String($0) } ?? "unknown"))
        }
        guard let value = subject.value else { return line }
        line.append((.bytes, String(value.count)))
        line.append(showsValues ? (.value, Hex.text(value)) : (.hash, hash(of: value, on: device)))
        return line
    }

    /// Equal for equal values to one device, within one life of the agent.
    private func hash(of value: [UInt8], on device: DeviceTarget?) -> String {
        let address = Array((device?.address.hex ?? "").utf8)
        return Hex.text(Digest.hmacSHA256(key: key, address + [0] + value).prefix(Self.hashBytes))
    }
}

extension Applied: CustomStringConvertible {
    /// The word, and how many bytes of a value that was sent in parts.
    package var description: String {
        switch self {
        case .no: "no"
        case .maybe: "maybe"
        case .yes: "yes"
        case .partly(let bytes): "partly (\(bytes) bytes)"
        case .steps(let step): "partly (before step \(step))"
        case .members: "partly (some members)"
        }
    }
}
