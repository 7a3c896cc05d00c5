import EdgeAgent
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TimestampTests {
    private func text(_ milliseconds: Int64) -> String {
        var bytes: [UInt8] = []
        UTCTime(millisecondsSince1970: milliseconds).append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_790_848_800_123, "2026-10-01T10:00:00.123Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    ) func `a time is written and read`(milliseconds: Int64, text: String) {
        #expect(self.text(milliseconds) == text)
        #expect(timestamp(text) == milliseconds)
    }

    @Test func `a time beyond the years that can be written is held`() {
        #expect(text(.max) == "9999-12-31T23:59:59.999Z")
        #expect(text(.min) == "0000-01-01T00:00:00.000Z")
    }

    @Test func `random times read back as the same`() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<5000 {
            let time = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            #expect(timestamp(text(time)) == time)
        }
    }

    @Test(
        arguments: [
            ("2026-10-01T12:00:00+02:00", 1_790_848_800_000), ("2026-10-01T09:30:00.5-00:30", 1_790_848_800_500),
            ("2026-10-01t10:00:00z", 1_790_848_800_000), ("2026-10-01 10:00:00.123456789Z", 1_790_848_800_123),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] as [(String, Int64)]
    ) func `the other forms of RFC 3339 are read`(text: String, milliseconds: Int64) {
        #expect(timestamp(text) == milliseconds)
    }

    @Test(arguments: [
        "", "2026-10-01", "2026-10-01T10:00:00", "2026-10-01T10:00Z", "2026-13-01T10:00:00Z", "2026-00-01T10:00:00Z",
        "2026-02-29T10:00:00Z", "2026-10-32T10:00:00Z", "2026-10-01T24:00:00Z", "2026-10-01T10:60:00Z",
        "2026-10-01T10:00:61Z", "2026-10-01T10:00:00.Z", "2026-10-01T10:00:00Zx", "2026-10-01T10:00:00+24:00",
        "2026-10-01T10:00:00+0200", "+026-10-01T10:00:00Z", "12026-10-01T10:00:00Z", "2026-10-01T10:00:00.1e3Z",
    ]) func `what is no time of RFC 3339 is refused`(text: String) {
        #expect(timestamp(text) == nil)
    }
}
