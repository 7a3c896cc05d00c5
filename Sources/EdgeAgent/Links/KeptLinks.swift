package import BleCore

/// What commands have said of links, which holds over a restart: the content of `links.json`.
///
/// ```json
/// {"version":1,"links":[{"address":"a1b2c3d4e5f6","paused":false,"link":{"policy":"keep","rssiMin":-85}}]}
/// ```
package struct KeptLinks: Sendable, Equatable {
    package struct Record: Sendable, Equatable {
        package var address: DeviceAddress
        /// Whether a command has ended it, so that it is not made again by itself.
        package var isPaused: Bool
        /// What commands have said of it.
        package var link: LinkSettings?

        package init(address: DeviceAddress, isPaused: Bool = false, link: LinkSettings? = nil) {
            self.address = address
            self.isPaused = isPaused
            self.link = link
        }
    }

    package static let version: Int64 = 1
    package static let fileName = "links.json"
    package static let maxBytes = 1 << 20

    package var records: [Record]

    package init(_ records: [Record] = []) { self.records = records }
}

// MARK: In JSON

extension KeptLinks {
    package func encode() -> [UInt8] {
        StateList.encode("links", version: Self.version, records, elementBytes: 96) { $1.write(to: &$0) }
    }

    /// Reads what a file holds.
    ///
    /// - Throws: ``StateFailure``, also for a file of a newer agent; `path` is the file's name in it.
    package static func decode(_ bytes: [UInt8], path: String) throws(StateFailure) -> KeptLinks {
        let list = try StateList.read("links", in: bytes, version: version, maxBytes: maxBytes, path: path)
        return KeptLinks(try StateList.map(list, path: path) { Record($0) })
    }
}

extension KeptLinks.Record {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("address", address.hex)
        writer.field("paused", isPaused)
        if let link {
            writer.object("link") { writer in
                writer.field(ifPresent: "policy", link.policy?.rawValue)
                writer.field(ifPresent: "idleMs", link.idle.map { Int($0.milliseconds) })
                writer.field(ifPresent: "maxAttempts", link.maxAttempts)
                writer.field(ifPresent: "rssiMin", link.rssiMin)
            }
        }
        writer.endObject()
    }

    /// Reads one entry with the same checks as a command; nil when anything is wrong with it.
    fileprivate init?(_ object: JSONObject) {
        var reader = FieldReader(object)
        guard let address = reader.form("address", expected: "", { DeviceAddress($0) }) else { return nil }
        self.init(
            address: address,
            isPaused: reader.flag("paused") ?? false,
            link: reader.link(ofConnect: false)
        )
        guard reader.problems.isEmpty else { return nil }
    }
}
