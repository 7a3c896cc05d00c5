import BleCore

/// What is kept of the lasting scans that are to survive a restart: the content of `scans.json`.
///
/// ```json
/// {"version":1,"scans":[{"session":"hall","emit":"change","batch":{"maxDevices":1,"maxMs":0},"mode":"auto",
///  "namePrefix":"Lamp","endsMs":1790849160000}]}
/// ```
package struct DurableScans: Sendable, Equatable {
    /// One scan and its end.
    package struct Record: Sendable, Equatable {
        /// With its session's name, without a duration.
        package var command: ScanStartCommand
        /// In milliseconds since 1970-01-01 UTC; nil: until stopped.
        package var endsMs: Int64?

        package init(_ command: ScanStartCommand, endsMs: Int64? = nil) {
            self.command = command
            self.command.duration = nil
            self.endsMs = endsMs
        }

        /// The command for what is left of it; nil when it is over.
        package func command(atMs now: Int64) -> ScanStartCommand? {
            guard let endsMs else { return command }
            let (left, overflow) = endsMs.subtractingReportingOverflow(now)
            guard !overflow, left > 0 else { return nil }
            var command = command
            command.duration = .milliseconds(min(left, Int64(FieldReader.longestMs)))
            return command
        }
    }

    package static let version: Int64 = 1
    package static let fileName = "scans.json"
    package static let maxBytes = 1 << 20

    package var records: [Record]

    package init(_ records: [Record] = []) { self.records = records }
}

// MARK: In JSON

extension DurableScans {
    package func encode() -> [UInt8] {
        StateList.encode("scans", version: Self.version, records, elementBytes: 256) { $1.write(to: &$0) }
    }

    /// Reads what a file holds.
    ///
    /// - Throws: ``StateFailure``, also for a file of a newer agent; `path` is the file's name in it.
    package static func decode(_ bytes: [UInt8], path: String) throws(StateFailure) -> DurableScans {
        let list = try StateList.read("scans", in: bytes, version: version, maxBytes: maxBytes, path: path)
        return DurableScans(try StateList.map(list, path: path) { Record($0) })
    }
}

extension DurableScans.Record {
    fileprivate func write(to writer: inout JSONWriter) {
        let filter = command.filter
        writer.beginObject()
        writer.field(ifPresent: "session", command.session?.text)
        switch command.emit {
        case .first: writer.field("emit", "first" as StaticString)
        case .change: writer.field("emit", "change" as StaticString)
        case .all: writer.field("emit", "all" as StaticString)
        case .every(let span): writer.object("emit") { $0.field("everyMs", span.milliseconds) }
        }
        writer.object("batch") { writer in
            writer.field("maxDevices", command.batch.maxDevices)
            writer.field("maxMs", command.batch.maxDelay.milliseconds)
        }
        if !filter.services.isEmpty { writer.field("services", texts: filter.services.map(\.description)) }
        writer.field(ifPresent: "name", filter.name)
        writer.field(ifPresent: "namePrefix", filter.namePrefix)
        if !filter.addresses.isEmpty { writer.field("addresses", texts: filter.addresses.map(\.hex)) }
        if !filter.manufacturers.isEmpty {
            writer.field("manufacturer", texts: filter.manufacturers.map(\.fourHexDigits))
        }
        writer.field(ifPresent: "rssiMin", filter.rssiMin)
        writer.field("mode", filter.mode.rawValue)
        writer.field(ifPresent: "adapter", filter.adapter?.text)
        if command.decodes { writer.field("decode", true) }
        if let endsMs { writer.field("endsMs", endsMs) }
        writer.endObject()
    }

    /// Reads one entry with the same checks as a command; nil when anything is wrong with it.
    fileprivate init?(_ object: JSONObject) {
        var reader = FieldReader(object)
        let endsMs = reader.take("endsMs")
        let adapter = reader.adapter()
        // Aliases may have changed meanwhile: addresses are kept.
        guard case .scanStart(var command)? = reader.scanStart(DeviceDirectory()), command.session != nil,
            reader.problems.isEmpty, endsMs == nil || endsMs?.integer != nil
        else { return nil }
        command.isDurable = true
        command.filter.adapter = adapter
        self.init(command, endsMs: endsMs?.integer)
    }
}

extension UInt16 {
    fileprivate var fourHexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
