import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DurableSubscriptionsTests {
    private func record(
        _ handle: UInt16,
        coalesce: Coalesce = .every,
        poll: Duration? = nil,
        holders: [DurableSubscriptions.Holder] = [.init(client: "me")]
    ) throws -> DurableSubscriptions.Record {
        DurableSubscriptions.Record(
            address: try #require(DeviceAddress("a1b2c3d4e5f6")),
            id: CharacteristicID(service: 0x180F, characteristic: 0x2A19, handle: handle, isAmbiguous: handle > 20),
            retainsLast: handle > 20,
            coalesce: coalesce,
            poll: poll,
            holders: holders
        )
    }

    @Test func `what is written is read again`() throws {
        let lease = DurableSubscriptions.Lease(span: .seconds(3600), endsMs: 1_790_849_160_000)
        let kept = DurableSubscriptions([
            try record(16),
            try record(21, coalesce: .latest(.milliseconds(250)), poll: .seconds(1)),
            try record(
                30,
                coalesce: .batch(count: 20, maxDelay: .seconds(2)),
                holders: [.init(client: "me", lease: lease), .init(client: "other")]
            ),
        ])
        #expect(try DurableSubscriptions.decode(kept.encode(), path: "f") == kept)
        #expect(try DurableSubscriptions.decode(DurableSubscriptions().encode(), path: "f").records.isEmpty)
    }

    @Test(arguments: [
        ("", "f: is no JSON that can be read"), ("{}", "f: has no version"), ("[]", "f: has no version"),
        (#"{"version":2,"subscriptions":[]}"#, "f: has schema version 2, this agent knows versions up to 1"),
        (#"{"version":1}"#, "f: has no list of subscriptions"),
        (#"{"version":1,"subscriptions":[7]}"#, "f: entry 0 is not one"),
        (#"{"version":1,"subscriptions":[{"address":"x"}]}"#, "f: entry 0 is not one"),
        (
            """
            {"version":1,"subscriptions":[{"address":"a1b2c3d4e5f6","service":"180f","characteristic":"2a19",\
            "handle":16,"holders":[{"client":"+/#"}]}]}
            """, "f: entry 0 is not one"
        ),
        (
            """
            {"version":1,"subscriptions":[{"address":"a1b2c3d4e5f6","service":"180f","characteristic":"2a19",\
            "handle":16,"holders":[{"client":"me","leaseMs":1000}]}]}
            """, "f: entry 0 is not one"
        ),
        (
            """
            {"version":1,"subscriptions":[{"address":"a1b2c3d4e5f6","service":"180f","characteristic":"2a19",\
            "handle":16,"pollMs":1,"holders":[{"client":"me"}]}]}
            """, "f: entry 0 is not one"
        ),
    ])
    func `a file that is not one is refused with what is wrong`(_ text: String, _ message: String) {
        let failure = #expect(throws: StateFailure.self) {
            try DurableSubscriptions.decode(Array(text.utf8), path: "f")
        }
        #expect(failure?.description.hasPrefix(message) == true, "\(String(describing: failure))")
    }

    @Test(arguments: [
        (Int64(1_000_000), Int?(60_000)), (1_059_999, 1), (1_060_000, nil), (2_000_000, nil),
        // A clock that was set back does not make a lease longer.
        (0, 60_000),
    ])
    func `a lease goes on by the wall clock`(_ now: Int64, _ leftMs: Int?) {
        let lease = DurableSubscriptions.Lease(span: .milliseconds(60_000), endsMs: 1_060_000)
        #expect(lease.remaining(atMs: now) == leftMs.map { .milliseconds($0) })
    }

    @Test func `a lease with an absurd end is over`() {
        let lease = DurableSubscriptions.Lease(span: .seconds(1), endsMs: .max)
        #expect(lease.remaining(atMs: -1) == nil)
    }
}
