package import BleCore

/// Who sent a command, what it is called, and where its answer goes: all that a result repeats.
package struct CommandOrigin: Sendable, Equatable {
    /// What a command is for.
    package enum Target: Sendable, Equatable {
        /// This gateway, addressed by name or, when `all`, together with every other one.
        case gateway(all: Bool)
        case device(DeviceTarget)
        /// Each member of a configured group.
        case group(GroupName, [DeviceTarget])
    }

    package var id: CommandID
    /// The caller's name, or `anonymous`.
    package var client: String
    /// Whether the caller gave no name: its commands are not compared with earlier ones.
    package var isAnonymous: Bool
    /// Whether the caller gave the id: a repetition of the command can be known by it.
    package var hasOwnID: Bool
    /// The caller's name as the broker has vouched for it, from the topic's level; the only one that policy looks at.
    package var identity: String?
    package var target: Target
    /// The verb as far as it is one of the contract's.
    package var verb: VerbName?
    package var reply: ReplyAddress
    /// Its number in the journal; nil when it is not kept there.
    package var journal: Int64?

    package init(
        id: CommandID,
        client: String,
        isAnonymous: Bool = false,
        hasOwnID: Bool = true,
        identity: String? = nil,
        target: Target,
        verb: VerbName?,
        reply: ReplyAddress
    ) {
        self.id = id
        self.client = client
        self.isAnonymous = isAnonymous
        self.hasOwnID = hasOwnID
        self.identity = identity
        self.target = target
        self.verb = verb
        self.reply = reply
    }

    /// How the job that comes of the command is named.
    package var job: JobReference { JobReference(client: client, id: id.text) }

    package var group: GroupName? {
        if case .group(let name, _) = target { name } else { nil }
    }

    package var device: DeviceTarget? {
        if case .device(let device) = target { device } else { nil }
    }
}

/// A device as a command means it.
package struct DeviceTarget: Sendable, Hashable {
    package let address: DeviceAddress
    /// Its name in published topics and bodies.
    package let name: DeviceName

    package init(address: DeviceAddress, name: DeviceName) {
        self.address = address
        self.name = name
    }
}

/// Where an answer goes, and the opaque bytes that go with it on MQTT 5.
package struct ReplyAddress: Sendable, Hashable {
    package let topic: String
    package let correlationData: [UInt8]?

    package init(topic: String, correlationData: [UInt8]? = nil) {
        self.topic = topic
        self.correlationData = correlationData
    }

    /// Reads what `stored` has written.
    package init?(stored bytes: [UInt8]) {
        var reader = BlobReader(bytes)
        do throws(BlobReader.Failure) {
            self.init(topic: try reader.text(), correlationData: try reader.optionalData())
        } catch {
            return nil
        }
    }

    /// The address as the journal keeps it.
    package var stored: [UInt8] {
        var writer = BlobWriter()
        writer.put(topic)
        writer.put(correlationData)
        return writer.bytes
    }
}
