import EdgeAgent
import MQTT
import PaceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoredCommandTests {
    static let nowMs = DecoderFixture.arrivedMs + 60_000
    static let now = Duration.seconds(7)

    static let message: IncomingCommand = {
        var message = IncomingCommand(
            topic: .device("door", client: "me"),
            payload: Array(#"{"id":7,"verb":"write","value":{"utf8":"ü"}}"#.utf8),
            arrivedMs: DecoderFixture.arrivedMs,
            arrivedMonotonic: .seconds(1000)
        )
        message.properties.responseTopic = "reply/ü"
        message.properties.correlationData = [0, 0xFF, 0x7B]
        message.properties.client = "me"
        message.properties.messageExpirySeconds = .max
        return message
    }()

    static func read(_ stored: StoredCommand, nowMs: Int64 = Self.nowMs) throws -> StoredCommand {
        try StoredCommand(fingerprint: stored.sent.fingerprint, request: stored.request, nowMs: nowMs, now: now)
    }

    @Test(
        arguments: [
            (.gateway(client: nil), nil), (.gateway(client: "me"), [1]), (.all(client: nil), []),
            (.all(client: "me"), nil), (.device("door", client: nil), [0]),
            (.device("a1b2c3d4e5f6", client: "me"), nil),
            (.group("lights", client: nil), nil), (.group("lights", client: "me"), [0xFF, 0]),
        ] as [(CommandTopic, [UInt8]?)]
    )
    func `a command is read as it was written, whatever it came with`(topic: CommandTopic, data: [UInt8]?) throws {
        for isFull in [true, false] {
            var message = Self.message
            message.topic = topic
            if !isFull { message.properties = IncomingCommand.Properties() }
            message.properties.correlationData = data
            let stored = StoredCommand(message, id: "made-1")
            var expected = stored
            // It came a minute before now.
            expected.message.arrivedMonotonic = Self.now - .seconds(60)
            #expect(try Self.read(stored) == expected)
        }
    }

    @Test func `a clock that was set back makes no command younger than it is`() throws {
        let stored = StoredCommand(Self.message, id: "x")
        #expect(try Self.read(stored, nowMs: 0).message.arrivedMonotonic == Self.now)
        #expect(try Self.read(stored, nowMs: .min).message.arrivedMonotonic == Self.now)
        var early = Self.message
        early.arrivedMs = .min
        #expect(try Self.read(StoredCommand(early, id: "x"), nowMs: .max).message.arrivedMonotonic == Self.now)
        #expect(try Self.read(StoredCommand(early, id: "x"), nowMs: -1).message.arrivedMonotonic < .zero)
    }

    @Test func `the fingerprint says what was asked of whom, and not by whom`() throws {
        let plain = Self.message
        var other = plain
        other.topic = .device("door", client: nil)
        other.properties = IncomingCommand.Properties()
        other.arrivedMs += 1
        let fingerprint = StoredCommand(plain, id: "a").sent.fingerprint
        #expect(fingerprint == StoredCommand(other, id: "b").sent.fingerprint)
        other.topic = .group("door", client: nil)
        #expect(fingerprint != StoredCommand(other, id: "a").sent.fingerprint)
        other.topic = plain.topic
        other.payload[0] = 0
        #expect(fingerprint != StoredCommand(other, id: "a").sent.fingerprint)
    }

    @Test(arguments: [CommandTopic.set(device: "door", name: "a"), .status])
    func `what is no command that can be kept is not read as one`(topic: CommandTopic) {
        let sent = SentCommand(topic: topic, payload: [1])
        #expect(throws: BlobReader.Failure.self) { try SentCommand(fingerprint: sent.fingerprint) }
    }

    @Test func `another version is not read`() {
        let stored = StoredCommand(Self.message, id: "x")
        var request = stored.request
        request[0] += 1
        #expect(throws: BlobReader.Failure.self) {
            try StoredCommand(fingerprint: stored.sent.fingerprint, request: request, nowMs: 0, now: .zero)
        }
    }

    @Test(arguments: [
        ReplyAddress(topic: "reply/ü"), ReplyAddress(topic: "", correlationData: []),
        ReplyAddress(topic: "edge/v1/gw/res/me/7", correlationData: [0, 0xFF]),
    ])
    func `an address is read as it was written`(address: ReplyAddress) {
        #expect(ReplyAddress(stored: address.stored) == address)
    }
}

/// Bytes that no agent of this version has written.
@Suite(.timeLimit(.minutes(10)))
struct StoredBytesTests {
    private static let stored = StoredCommand(StoredCommandTests.message, id: "made-1")
    private static let address = ReplyAddress(topic: "reply/x", correlationData: [1, 2, 3])

    private static func command(_ fingerprint: [UInt8], _ request: [UInt8]) throws -> StoredCommand {
        try StoredCommand(
            fingerprint: fingerprint,
            request: request,
            nowMs: StoredCommandTests.nowMs,
            now: StoredCommandTests.now
        )
    }

    @Test func `every part of a command is an error`() {
        let (fingerprint, request) = (Self.stored.sent.fingerprint, Self.stored.request)
        for count in 0..<request.count {
            #expect(throws: BlobReader.Failure.self) {
                try Self.command(fingerprint, Array(request.prefix(count)))
            }
        }
        for count in 0..<fingerprint.count {
            #expect(throws: BlobReader.Failure.self) {
                try Self.command(Array(fingerprint.prefix(count)), request)
            }
        }
        for count in 0..<Self.address.stored.count {
            #expect(ReplyAddress(stored: Array(Self.address.stored.prefix(count))) == nil)
        }
        let head = StoredPublication.head(of: StoredPublicationTests.full)
        for count in 0..<head.count {
            #expect(throws: BlobReader.Failure.self) {
                try StoredPublication.publication(head: Array(head.prefix(count)), payload: [])
            }
        }
    }

    @Test func `lengths and counts beyond all bounds are errors`() {
        for length in [Int64.min, -1, 1 << 40, .max] {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * Int64($0))) }
            #expect(throws: BlobReader.Failure.self) { try SentCommand(fingerprint: [2] + bytes + [0x61]) }
            #expect(ReplyAddress(stored: bytes + [0x61]) == nil)
            var head = StoredPublication.head(of: MQTTPublicationSample.plain)
            // The number of user properties comes last where there is none.
            head.replaceSubrange(head.count - 8..<head.count, with: bytes)
            #expect(throws: BlobReader.Failure.self) { try StoredPublication.publication(head: head, payload: []) }
        }
    }

    @Test(.apart) func `a hundred thousand damaged records are read or refused`() {
        let seed: UInt64 = 42
        var random = SeededRandom(seed: seed)
        var (read, refused) = (0, 0)
        func attempt(_ body: () throws -> Bool) {
            do {
                if try body() { read += 1 } else { refused += 1 }
            } catch {
                #expect(error is BlobReader.Failure, "seed \(seed)")
                refused += 1
            }
        }
        let head = StoredPublication.head(of: StoredPublicationTests.full)
        for _ in 0..<Rounds.of(25_000) {
            let fingerprint = Self.damaged(Self.stored.sent.fingerprint, &random)
            let request = Self.damaged(Self.stored.request, &random)
            attempt {
                // What can be read can be written, and is then read as the same.
                let first = try Self.command(fingerprint, request)
                let second = try Self.command(first.sent.fingerprint, first.request)
                return first.sent == second.sent && first.id == second.id
                    && first.message.properties == second.message.properties
            }
            attempt { ReplyAddress(stored: Self.damaged(Self.address.stored, &random)) != nil }
            attempt {
                let publication = try StoredPublication.publication(head: Self.damaged(head, &random), payload: [1])
                return publication.userProperties.count <= 64
            }
            attempt {
                let length = Int.random(in: 0...80, using: &random)
                let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                return try Self.command(noise, noise).message.payload.count <= length
            }
        }
        let all = read + refused == 4 * Rounds.of(25_000)
        #expect(all && read > Rounds.of(1000) && refused > Rounds.of(10_000), "\(read) read, \(refused) refused")
    }

    private static func damaged(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 1: if place < bytes.count { bytes.remove(at: place) }
            case 2: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
            case 3: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random) }
            default: if Int.random(in: 0...3, using: &random) == 0 { bytes.removeSubrange(place...) }
            }
        }
        return bytes
    }
}
