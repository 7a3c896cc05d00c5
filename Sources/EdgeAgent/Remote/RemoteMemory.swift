/// What is known over a restart of the configuration that was asked for over MQTT: the content of `remote.json`.
///
/// ```json
/// {"version":1,"phase":"trial","desired":"{\"logLevel\":\"debug\"}","former":null,"tested":null,"refused":null}
/// ```
package struct RemoteMemory: Sendable, Equatable {
    /// How far the present one has come.
    package enum Phase: String, Sendable, CaseIterable {
        case settled
        /// It holds, and the broker has not confirmed it yet.
        case trial
        /// It holds as a whole for the first time, since the start of this process.
        case starting
    }

    /// One that was taken back, so that it is not tried again.
    package struct Refused: Sendable, Equatable {
        package var hash: String
        package var reason: String

        package init(hash: String, reason: String) {
            self.hash = hash
            self.reason = reason
        }
    }

    package var phase = Phase.settled
    /// The one that holds; nil: the file's values.
    package var desired: DesiredConfiguration?
    /// The one that holds again when the trial fails.
    package var former: DesiredConfiguration?
    /// The last one that has held as a whole, with what waits for a start.
    package var tested: DesiredConfiguration?
    package var refused: Refused?

    package init() {}

    /// What this start begins with: what was on trial when the process ended is not used again.
    package mutating func start() {
        if phase != .settled {
            let reason = "the agent ended before the broker had confirmed it"
            refused = desired.map { Refused(hash: $0.hash, reason: reason) }
            desired = phase == .trial ? former : tested
        }
        former = nil
        phase = desired == tested ? .settled : .starting
    }
}

// MARK: In JSON

extension RemoteMemory {
    package static let version: Int64 = 1
    package static let fileName = "remote.json"
    /// Three payloads, of which each byte may have become six.
    package static let maxBytes = 20 * DesiredConfiguration.maxBytes

    package func encode() -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + (desired?.payload.count ?? 0) * 2)
        writer.beginObject()
        writer.field("version", Self.version)
        writer.field("phase", phase.rawValue)
        writer.field(orNull: "desired", Self.text(desired))
        writer.field(orNull: "former", Self.text(former))
        writer.field(orNull: "tested", Self.text(tested))
        if let refused {
            writer.object("refused") { writer in
                writer.field("hash", refused.hash)
                writer.field("reason", refused.reason)
            }
        }
        writer.endObject()
        return writer.bytes
    }

    /// Reads what a file holds.
    ///
    /// - Throws: ``StateFailure``, also for a file of a newer agent; `path` is the file's name in it.
    package static func decode(_ bytes: [UInt8], path: String) throws(StateFailure) -> RemoteMemory {
        let root: JSONValue
        do throws(JSONFailure) {
            root = try JSONReader(maxBytes: maxBytes).read(bytes)
        } catch {
            throw .unreadable(path: path, reason: "is no JSON that can be read: \(error)")
        }
        guard let object = root.object, let found = object["version"]?.integer else {
            throw .unreadable(path: path, reason: "has no version")
        }
        guard found <= version else { throw .newer(path: path, version: found, known: version) }
        guard let phase = object["phase"]?.string.flatMap({ Phase(rawValue: $0) }) else {
            throw .unreadable(path: path, reason: "has no phase")
        }
        var memory = RemoteMemory()
        memory.phase = phase
        memory.desired = desired(object["desired"])
        memory.former = desired(object["former"])
        memory.tested = desired(object["tested"])
        if let refused = object["refused"]?.object, let hash = refused["hash"]?.string {
            memory.refused = Refused(hash: hash, reason: refused["reason"]?.string ?? "")
        }
        return memory
    }

    // What was accepted is JSON, and so UTF-8: the text has the same bytes.
    private static func text(_ desired: DesiredConfiguration?) -> String? {
        desired.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    private static func desired(_ value: JSONValue?) -> DesiredConfiguration? {
        value?.string.flatMap { DesiredConfiguration(Array($0.utf8)) }
    }
}
