package import BleCore

/// What is kept of the subscriptions that are to survive a restart: the content of `subscriptions.json`.
///
/// ```json
/// {"version":1,"subscriptions":[{"address":"a1b2c3d4e5f6","service":"180f","characteristic":"2a19","handle":16,
///  "ambiguous":false,"retainLast":false,"coalesce":{"latestMs":1000},
///  "holders":[{"client":"me","leaseMs":3600000,"leaseEndsMs":1790849160000}]}]}
/// ```
package struct DurableSubscriptions: Sendable, Equatable {
    /// One subscription with the holders that want it kept.
    package struct Record: Sendable, Equatable {
        package var address: DeviceAddress
        package var id: CharacteristicID
        package var retainsLast: Bool
        package var coalesce: Coalesce
        package var poll: Duration?
        package var holders: [Holder]

        package init(
            address: DeviceAddress,
            id: CharacteristicID,
            retainsLast: Bool = false,
            coalesce: Coalesce = .every,
            poll: Duration? = nil,
            holders: [Holder]
        ) {
            self.address = address
            self.id = id
            self.retainsLast = retainsLast
            self.coalesce = coalesce
            self.poll = poll
            self.holders = holders
        }
    }

    /// A caller, and how long its lease lasts.
    package struct Holder: Sendable, Equatable {
        package var client: String
        package var lease: Lease?

        package init(client: String, lease: Lease? = nil) {
            self.client = client
            self.lease = lease
        }
    }

    /// A lease by the wall clock.
    package struct Lease: Sendable, Equatable {
        package var span: Duration
        /// Milliseconds since 1970-01-01 UTC.
        package var endsMs: Int64

        package init(span: Duration, endsMs: Int64) {
            self.span = span
            self.endsMs = endsMs
        }

        /// What is left of it: never more than the whole, whatever the clock has done; nil when it is over.
        package func remaining(atMs now: Int64) -> Duration? {
            let (left, overflow) = endsMs.subtractingReportingOverflow(now)
            guard !overflow, left > 0 else { return nil }
            return min(span, .milliseconds(left))
        }
    }

    package static let version: Int64 = 1
    package static let fileName = "subscriptions.json"
    package static let maxBytes = 4 << 20

    package var records: [Record]

    package init(_ records: [Record] = []) { self.records = records }
}

// MARK: In JSON

extension DurableSubscriptions {
    package func encode() -> [UInt8] {
        StateList.encode("subscriptions", version: Self.version, records, elementBytes: 256) { $1.write(to: &$0) }
    }

    /// Reads what a file holds.
    ///
    /// - Throws: ``StateFailure``, also for a file of a newer agent; `path` is the file's name in it.
    package static func decode(_ bytes: [UInt8], path: String) throws(StateFailure) -> DurableSubscriptions {
        let list = try StateList.read("subscriptions", in: bytes, version: version, maxBytes: maxBytes, path: path)
        return DurableSubscriptions(try StateList.map(list, path: path) { Record($0) })
    }
}

extension DurableSubscriptions.Record {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("address", address.hex)
        writer.field("service", id.service.description)
        writer.field("characteristic", id.characteristic.description)
        writer.field("handle", Int(id.handle))
        writer.field("ambiguous", id.isAmbiguous)
        writer.field("retainLast", retainsLast)
        switch coalesce {
        case .every: writer.field("coalesce", "every" as StaticString)
        case .latest(let span): writer.object("coalesce") { $0.field("latestMs", span.milliseconds) }
        case .batch(let count, let delay):
            writer.object("coalesce") { writer in
                writer.field("batch", count)
                writer.field("maxMs", delay.milliseconds)
            }
        }
        writer.field(ifPresent: "pollMs", poll.map { Int($0.milliseconds) })
        writer.key("holders")
        writer.beginArray()
        for holder in holders {
            writer.beginObject()
            writer.field("client", holder.client)
            if let lease = holder.lease {
                writer.field("leaseMs", lease.span.milliseconds)
                writer.field("leaseEndsMs", lease.endsMs)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Reads one entry with the same checks as a command; nil when anything is wrong with it.
    fileprivate init?(_ object: JSONObject) {
        var reader = FieldReader(object)
        guard let address = reader.form("address", expected: "", { DeviceAddress($0) }),
            let service = reader.uuid("service"), let characteristic = reader.uuid("characteristic"),
            let handle = reader.whole("handle", 1...65_535), let number = UInt16(exactly: handle)
        else { return nil }
        let id = CharacteristicID(
            service: service,
            characteristic: characteristic,
            handle: number,
            isAmbiguous: reader.flag("ambiguous") ?? false
        )
        let holders = reader.list("holders", maxCount: Subscription.maxHolders, expected: "") {
            $0.object.flatMap(DurableSubscriptions.Holder.init)
        }
        self.init(
            address: address,
            id: id,
            retainsLast: reader.flag("retainLast") ?? false,
            coalesce: reader.coalesce() ?? .every,
            poll: reader.poll(),
            holders: holders ?? []
        )
        guard reader.problems.isEmpty, holders != nil else { return nil }
    }
}

extension DurableSubscriptions.Holder {
    fileprivate init?(_ object: JSONObject) {
        var reader = FieldReader(object)
        guard let client = reader.form("client", expected: "", { NamePattern.isCallerName($0) ? $0 : nil }) else {
            return nil
        }
        let span = reader.milliseconds("leaseMs", 1...FieldReader.longestMs)
        let ends = reader.take("leaseEndsMs")?.integer
        guard reader.problems.isEmpty, (span == nil) == (ends == nil) else { return nil }
        var lease: DurableSubscriptions.Lease?
        if let span, let ends { lease = DurableSubscriptions.Lease(span: span, endsMs: ends) }
        self.init(client: client, lease: lease)
    }
}
