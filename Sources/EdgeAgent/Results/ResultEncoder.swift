import BleCore

/// Puts results into bytes.
package struct ResultEncoder: Sendable, Equatable {
    /// The most bytes that a result may have.
    package var maxResultBytes: Int

    package static let defaultMaxResultBytes = 131_072

    package init(maxResultBytes: Int = Self.defaultMaxResultBytes) {
        self.maxResultBytes = maxResultBytes
    }

    /// Encodes one result.
    ///
    /// - Parameters:
    ///   - body: The result.
    ///   - stamp: Counted in the class `result` for the caller, `job` for observers.
    /// - Returns: The message; one that would be too large is replaced by the error `result-too-large`.
    package func encode(_ body: ResultBody, stamp: MessageStamp) -> EncodedResult {
        let encoded = Self.encode(body, stamp)
        guard encoded.payload.count > maxResultBytes else { return encoded }
        return Self.encode(tooLarge(body, bytes: encoded.payload.count), stamp)
    }

    private func tooLarge(_ body: ResultBody, bytes: Int) -> ResultBody {
        var replacement = body
        replacement.payload = nil
        replacement.warnings = []
        if body.status == .ok {
            replacement.status = ErrorCode.resultTooLarge.status
            replacement.confirmed = nil
            replacement.applied = body.changesSomething ? .yes : nil
            replacement.error = OperationError(
                .resultTooLarge,
                detail: "the result has \(bytes) bytes, at most \(maxResultBytes) are sent; ask for less"
            )
        } else if body.payload != nil {
            // What became of the command as a whole is worth more than that its parts found no room.
            replacement.warnings = [
                "left out result: with it there are \(bytes) bytes, at most \(maxResultBytes) are sent"
            ]
        }
        return replacement
    }

    private static func encode(_ body: ResultBody, _ stamp: MessageStamp) -> EncodedResult {
        var writer = JSONWriter(capacity: 512 + (body.payload?.estimatedBytes ?? 0))
        writer.beginObject()
        writer.field("id", body.origin.id)
        writer.field("client", body.origin.client)
        if let device = body.origin.device {
            writer.field("dev", device.name.description)
            writer.field("address", device.address.hex)
        }
        if let group = body.origin.group { writer.field("group", group.text) }
        if let verb = body.origin.verb { writer.field("verb", verb.rawValue) }
        writer.field("status", body.status.rawValue)
        writer.field("final", body.status.isFinal)
        if let confirmed = body.confirmed { writer.field("confirmed", confirmed.rawValue) }
        body.applied?.write(to: &writer)
        writer.field(ifPresent: "place", body.queuePlace)
        if let payload = body.payload {
            writer.key("result")
            payload.write(to: &writer)
        }
        if let error = body.error { error.write(to: &writer) }
        if let lastError = body.lastError { lastError.write(to: &writer, as: "lastError") }
        if let timing = body.timing {
            writer.object("timing") { writer in
                writer.field(ifPresent: "queuedMs", timing.queuedMs)
                writer.field(ifPresent: "connectMs", timing.connectMs)
                writer.field(ifPresent: "discoverMs", timing.discoverMs)
                writer.field(ifPresent: "runMs", timing.runMs)
            }
        }
        writer.field(ifPresent: "attempt", body.attempt)
        if !body.warnings.isEmpty { writer.field("warnings", texts: body.warnings) }
        let unstamped = writer.length
        stamp.write(to: &writer)
        writer.endObject()
        return EncodedResult(body, payload: writer.bytes, unstamped: unstamped)
    }
}

extension OperationError {
    /// Writes the member `error`, or one of another name.
    func write(to writer: inout JSONWriter, as name: StaticString = "error") {
        writer.object(name) { writer in
            writer.field("code", code.rawValue)
            writer.field("stage", stage.rawValue)
            writer.field("retryable", isRetryable)
            writer.field(ifPresent: "retryAfterMs", retryAfterMs)
            if let att { writer.field("att", "0x\(companyText(UInt16(att)).suffix(2))") }
            writer.field(ifPresent: "dbus", dbus)
            if !missing.isEmpty { writer.field("missing", texts: missing.map(\.description)) }
            writer.field(ifPresent: "step", step)
            writer.field(ifPresent: "dev", device?.description)
            writer.field("detail", detail)
        }
    }
}

/// A result as it goes out.
package struct EncodedResult: Sendable, Equatable {
    package let reply: ReplyAddress
    package let payload: [UInt8]
    package let status: ResultStatus
    package let code: ErrorCode?
    /// How many of the bytes come before the stamp; 0 where that is not known.
    private let unstamped: Int

    /// The content type that MQTT 5 carries.
    package static let contentType = "application/json"

    /// A result of which only its bytes and what MQTT 5 says of them are known.
    package init(reply: ReplyAddress, payload: [UInt8], status: ResultStatus, code: ErrorCode?) {
        self.reply = reply
        self.payload = payload
        self.status = status
        self.code = code
        unstamped = 0
    }

    /// A result that was kept: what MQTT 5 says of it stands in its bytes too.
    package init(reply: ReplyAddress, stored payload: [UInt8]) {
        var body: JSONObject?
        do throws(JSONFailure) { body = try JSONReader(maxBytes: payload.count).read(payload).object } catch {}
        self.init(
            reply: reply,
            payload: payload,
            status: body?["status"]?.string.flatMap { ResultStatus(rawValue: $0) } ?? .unknown,
            code: body?["error"]?.object?["code"]?.string.flatMap { ErrorCode(rawValue: $0) }
        )
    }

    /// The same answer for a command that was repeated: `replayed` is all that it has more.
    package var replayedPayload: [UInt8] {
        guard payload.last == UInt8(ascii: "}") else { return payload }
        return payload.dropLast() + Array(#","replayed":true}"#.utf8)
    }

    /// The same for somebody else: as another message, with a stamp of its own.
    func payload(stamped stamp: MessageStamp) -> [UInt8] {
        guard unstamped > 0 else { return payload }
        var writer = JSONWriter(behind: payload[..<unstamped])
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    init(_ body: ResultBody, payload: [UInt8], unstamped: Int) {
        reply = body.origin.reply
        self.payload = payload
        self.unstamped = unstamped
        status = body.status
        code = body.error?.code
    }

    /// The user properties that MQTT 5 carries.
    package var userProperties: [(name: String, value: String)] {
        var properties = [(name: "status", value: status.rawValue)]
        if let code { properties.append((name: "code", value: code.rawValue)) }
        return properties
    }
}
