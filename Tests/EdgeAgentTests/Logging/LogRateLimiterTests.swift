import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LogRateLimiterTests {
    private let start = ContinuousClock.now

    @Test func `an event passes once a minute with the count of those between`() {
        var limiter = LogRateLimiter<String>()
        #expect(limiter.admit("a", at: start) == 0)
        #expect(limiter.admit("a", at: start + .seconds(1)) == nil)
        #expect(limiter.admit("a", at: start + .seconds(59)) == nil)
        #expect(limiter.admit("b", at: start + .seconds(59)) == 0)
        #expect(limiter.admit("a", at: start + .seconds(60)) == 2)
        #expect(limiter.admit("a", at: start + .seconds(61)) == nil)
        #expect(limiter.admit("a", at: start + .seconds(121)) == 1)
    }

    @Test func `the key that was silent longest makes room`() {
        var limiter = LogRateLimiter<Int>(capacity: 2)
        #expect(limiter.admit(1, at: start) == 0)
        #expect(limiter.admit(2, at: start + .seconds(1)) == 0)
        #expect(limiter.admit(3, at: start + .seconds(2)) == 0)
        #expect(limiter.admit(2, at: start + .seconds(3)) == nil)
        #expect(limiter.admit(1, at: start + .seconds(3)) == 0)
    }
}
