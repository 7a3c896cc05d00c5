import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExpiryTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    /// The milliseconds from arrival to expiry; both clocks have to agree.
    private func left(_ fields: String, messageExpiry: UInt32? = nil) throws -> Int64 {
        let properties = IncomingCommand.Properties(messageExpirySeconds: messageExpiry)
        let expiry = try fixture.command("{\"verb\":\"rssi\"\(fields)}", properties: properties).expiry
        let wall = expiry.wallMs - DecoderFixture.arrivedMs
        #expect(expiry.monotonic - DecoderFixture.arrivedMonotonic == .milliseconds(wall))
        return wall
    }

    @Test func `the earliest bound holds`() throws {
        #expect(try left("") == 600_000)
        #expect(try left(#","ttlMs":5000"#) == 5000)
        #expect(try left(#","ttlMs":5000,"sentAt":"2026-10-01T09:59:58.000Z""#) == 3000)
        #expect(try left(#","expires":"2026-10-01T10:00:07.250Z""#) == 7250)
        #expect(try left("", messageExpiry: 9) == 9000)
        #expect(try left(#","ttlMs":5000,"expires":"2026-10-01T10:00:07Z""#, messageExpiry: 9) == 5000)
        #expect(try left(#","ttlMs":8000,"expires":"2026-10-01T10:00:07Z""#, messageExpiry: 9) == 7000)
        #expect(try left(#","ttlMs":20000,"expires":"2026-10-01T10:00:17Z""#, messageExpiry: 9) == 9000)
        #expect(try left(#","ttlMs":3600000"#) == 3_600_000)
        #expect(try left(#","sentAt":"2026-10-01T09:00:00Z""#) == 600_000)
    }

    @Test func `a caller whose clock is ahead does not gain time`() throws {
        #expect(try left(#","ttlMs":5000,"sentAt":"2026-10-01T11:00:00Z""#) == 5000)
    }

    @Test(arguments: [
        #","expires":"2026-10-01T10:00:00.000Z""#, #","expires":"1970-01-01T00:00:00Z""#,
        #","ttlMs":2000,"sentAt":"2026-10-01T09:59:58Z""#, #","ttlMs":1,"sentAt":"0000-01-01T00:00:00Z""#,
    ]) func `what had expired on arrival does not run`(fields: String) throws {
        let refusal = try fixture.refusal(
            "{\"id\":1,\"verb\":\"write\",\"handle\":1,\"value\":{\"hex\":\"\"}\(fields)}"
        )
        #expect(refusal.error.code == .expired)
        #expect(ResultBody.refused(refusal).status == .expired)
        #expect(ResultBody.refused(refusal).applied == .no)
    }

    @Test func `a message that the broker kept to its last second has expired`() throws {
        let refusal = try fixture.refusal(#"{"verb":"rssi"}"#, properties: .init(messageExpirySeconds: 0))
        #expect(refusal.error.code == .expired)
    }

    @Test func `the longest bounds do not overflow`() throws {
        #expect(try left(#","ttlMs":4294967295000"#, messageExpiry: .max) == 4_294_967_295_000)
        #expect(try left(#","expires":"9999-12-31T23:59:59.999Z""#) > 0)
        #expect(try fixture.refusal(#"{"verb":"rssi","ttlMs":4294967295001}"#).error.code == .badRequest)
    }

    @Test(arguments: [Int64.min, -1, 0, .max]) func `no time of arrival traps`(arrivedMs: Int64) {
        for fields in [
            "", #","ttlMs":1"#, #","expires":"0000-01-01T00:00:00Z""#, #","expires":"9999-12-31T23:59:59Z""#,
            #","ttlMs":1,"sentAt":"0000-01-01T00:00:00Z""#,
        ] {
            let message = IncomingCommand(
                topic: DecoderFixture.onDoor,
                payload: Array("{\"verb\":\"rssi\"\(fields)}".utf8),
                properties: .init(messageExpirySeconds: .max),
                arrivedMs: arrivedMs,
                arrivedMonotonic: .zero
            )
            #expect(fixture.decoder.decode(message, makeID: { "x" }).ignored == nil)
        }
    }

    @Test func `times of the wall clock are refused while the clock is wrong`() throws {
        for fields in [
            #","expires":"2026-10-01T10:00:07Z""#, #","sentAt":"2026-10-01T09:00:00Z""#,
            #","ttlMs":5,"sentAt":"2020-10-01T09:00:00Z""#,
        ] {
            let refusal = fixture.decode("{\"verb\":\"rssi\"\(fields)}", clockIsWrong: true).refusal
            #expect(refusal?.error.code == .clockUnsynchronised)
            #expect(refusal?.error.isRetryable == true)
        }
        #expect(fixture.decode(#"{"verb":"rssi","ttlMs":5000}"#, clockIsWrong: true).command != nil)
    }
}
