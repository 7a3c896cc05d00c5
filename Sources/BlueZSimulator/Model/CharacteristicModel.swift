/// One characteristic of a device: what may be done with it, and what happens then.
package struct CharacteristicModel: Equatable, Sendable {
    /// The properties of a characteristic, in the order in which BlueZ lists them.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let broadcast = Flags(rawValue: 0x01)
        package static let read = Flags(rawValue: 0x02)
        package static let writeCommand = Flags(rawValue: 0x04)
        package static let write = Flags(rawValue: 0x08)
        package static let notify = Flags(rawValue: 0x10)
        package static let indicate = Flags(rawValue: 0x20)
        package static let signedWrite = Flags(rawValue: 0x40)
        package static let reliableWrite = Flags(rawValue: 0x80)

        /// As in the property `Flags`.
        package var names: [String] {
            let all = [
                "broadcast", "read", "write-without-response", "write", "notify", "indicate",
                "authenticated-signed-writes", "reliable-write",
            ]
            return all.enumerated().filter { rawValue & (1 << UInt8($0.offset)) != 0 }.map(\.element)
        }
    }

    /// What a read is answered with.
    package enum Read: Equatable, Sendable {
        /// The present value.
        case value
        /// The present value, but only from its beginning: "Attribute Not Long" to all else.
        case valueFromStart
        /// An ATT error.
        case error(UInt8)
    }

    /// What a write does.
    package enum Write: Equatable, Sendable {
        /// The value becomes what was written.
        case store
        /// Only these values are taken; others are answered with the ATT error.
        case accept([[UInt8]], error: UInt8)
        /// The bytes are framed commands; the answers go out as notifications of that characteristic.
        case frames(answersOn: String)
    }

    /// What a hasty device notifies at once, before bluetoothd has answered who asked for notifications.
    package struct Greeting: Equatable, Sendable {
        /// One after the other, a millisecond apart.
        package var values: [[UInt8]]
        /// Whether the first of them comes before the property `Notifying` says so.
        package var precedesNotifying: Bool
        /// From the request to the answer of `StartNotify`.
        package var replyDelay: Duration

        package init(_ values: [[UInt8]], precedesNotifying: Bool = false, replyDelay: Duration = .milliseconds(50)) {
            self.values = values
            self.precedesNotifying = precedesNotifying
            self.replyDelay = replyDelay
        }
    }

    package var uuid: String
    package var flags: Flags
    package var value: PayloadModel
    /// The longest value that a write may give, 512 at most.
    package var limit: Int
    package var read: Read
    package var write: Write
    /// Whether reads and writes are refused without pairing.
    package var needsPairing = false
    /// How often it notifies while somebody has asked for it; nil: not by itself.
    package var notifyEvery: Duration?
    /// What it notifies as soon as somebody asks.
    package var greeting: Greeting?
    /// Besides the client configuration, which every characteristic that notifies has.
    package var descriptors: [DescriptorModel]

    package init(
        _ uuid: String,
        _ flags: Flags,
        value: PayloadModel = .fixed([]),
        limit: Int = 512,
        read: Read = .value,
        write: Write = .store,
        notifyEvery: Duration? = nil,
        greeting: Greeting? = nil,
        descriptors: [DescriptorModel] = []
    ) {
        self.uuid = LongUUID.text(uuid)
        self.flags = flags
        self.value = value
        self.limit = limit
        self.read = read
        self.write = write
        self.notifyEvery = notifyEvery
        self.greeting = greeting
        self.descriptors = descriptors
    }
}

/// One descriptor of a characteristic.
package struct DescriptorModel: Equatable, Sendable {
    package var uuid: String
    package var value: [UInt8]
    package var isWritable: Bool

    package init(_ uuid: String, value: [UInt8], isWritable: Bool = false) {
        self.uuid = LongUUID.text(uuid)
        self.value = value
        self.isWritable = isWritable
    }
}
