import EdgeAgent
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct UTCTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_790_848_800_123, "2026-10-01T10:00:00.123Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (Int64.min, "0000-01-01T00:00:00.000Z"),
        (Int64.max, "9999-12-31T23:59:59.999Z"),
    ])
    func `a moment is written as RFC 3339`(milliseconds: Int64, text: String) {
        #expect(UTCTime(millisecondsSince1970: milliseconds).description == text)
    }

    @Test func `dates agree with Foundation over four centuries`() throws {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for day in stride(from: -80_000, to: 80_000, by: 61) {
            let seconds = day * 86_400 + (day & 0xFFFF)
            let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(format)
            try #require(UTCTime(millisecondsSince1970: Int64(seconds) * 1000).description == expected)
        }
    }

    @Test func `now is now`() {
        let difference = Double(UTCTime.now.millisecondsSince1970) / 1000 - Date().timeIntervalSince1970
        #expect(abs(difference) < 5)
    }
}
