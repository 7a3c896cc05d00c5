internal import Cryptography

/// A command as the journal keeps it: what is needed to read it again as it came.
package struct StoredCommand: Sendable, Equatable {
    package var message: IncomingCommand
    /// The id under which it is known, for one that came without its own.
    package var id: String

    private static let version: UInt8 = 1

    /// What the message says; equal for a repetition with the same bytes.
    package var sent: SentCommand { SentCommand(topic: message.topic, payload: message.payload) }

    package init(_ message: IncomingCommand, id: String) {
        self.message = message
        self.id = id
    }

    /// Reads what `fingerprint` and `request` have written.
    ///
    /// The monotonic time of its arrival follows from the wall clock, as far as that has not been set since.
    package init(fingerprint: [UInt8], request: [UInt8], nowMs: Int64, now: Duration) throws(BlobReader.Failure) {
        var reader = BlobReader(request)
        guard try reader.byte() == Self.version else { throw BlobReader.Failure() }
        let client = try reader.optionalText()
        let id = try reader.text()
        let arrivedMs = try reader.number()
        var properties = IncomingCommand.Properties()
        properties.responseTopic = try reader.optionalText()
        properties.correlationData = try reader.optionalData()
        properties.client = try reader.optionalText()
        let expiry = try reader.number()
        properties.messageExpirySeconds = expiry < 0 ? nil : UInt32(clamping: expiry)
        let sent = try SentCommand(fingerprint: fingerprint)
        let (age, overflow) = nowMs.subtractingReportingOverflow(arrivedMs)
        message = IncomingCommand(
            topic: sent.topic.withClient(client),
            payload: sent.payload,
            properties: properties,
            arrivedMs: arrivedMs,
            arrivedMonotonic: now - .milliseconds(overflow ? 0 : max(0, age))
        )
        self.id = id
    }

    /// How to run it again.
    package var request: [UInt8] {
        var writer = BlobWriter()
        writer.put(Self.version)
        writer.put(message.topic.clientLevel)
        writer.put(id)
        writer.put(message.arrivedMs)
        writer.put(message.properties.responseTopic)
        writer.put(message.properties.correlationData)
        writer.put(message.properties.client)
        writer.put(message.properties.messageExpirySeconds.map { Int64($0) } ?? -1)
        return writer.bytes
    }
}

extension SentCommand {
    /// The bytes by which a repetition is known as the same.
    package var fingerprint: [UInt8] {
        var writer = BlobWriter()
        let (kind, name): (UInt8, String) =
            switch topic {
            case .gateway: (0, "")
            case .all: (1, "")
            case .device(let name, _): (2, name)
            case .group(let name, _): (3, name)
            case .set(let device, let name): (4, "\(device)/\(name)")
            case .status: (5, "")
            case .desired: (6, "")
            }
        writer.put(kind)
        writer.put(name)
        writer.put(payload)
        return writer.bytes
    }

    /// The same in few bytes, for what will never run: a repetition has to have the very bytes.
    package var shortFingerprint: [UInt8] {
        var writer = BlobWriter()
        writer.put(Self.short)
        writer.put(SentCommand(topic: topic, payload: Digest.sha256(payload)).fingerprint)
        return writer.bytes
    }

    private static let short: UInt8 = 255

    /// Whether a command in the journal is the same.
    package func isSame(asKept fingerprint: [UInt8]) -> Bool {
        do throws(BlobReader.Failure) {
            guard fingerprint.first == Self.short else {
                return try SentCommand(fingerprint: fingerprint).isSame(as: self)
            }
            return shortFingerprint == fingerprint
        } catch {
            return false
        }
    }

    package init(fingerprint: [UInt8]) throws(BlobReader.Failure) {
        var reader = BlobReader(fingerprint)
        let kind = try reader.byte()
        let name = try reader.text()
        let topic: CommandTopic
        switch kind {
        case 0: topic = .gateway(client: nil)
        case 1: topic = .all(client: nil)
        case 2: topic = .device(name, client: nil)
        case 3: topic = .group(name, client: nil)
        default: throw BlobReader.Failure()
        }
        self.init(topic: topic, payload: try reader.data())
    }
}

extension CommandTopic {
    /// The same place with a caller's level.
    func withClient(_ client: String?) -> CommandTopic {
        switch self {
        case .gateway: .gateway(client: client)
        case .all: .all(client: client)
        case .device(let name, _): .device(name, client: client)
        case .group(let name, _): .group(name, client: client)
        case .set, .status, .desired: self
        }
    }
}
