import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SubscribeFieldTests {
    private static let battery = AttributeSelector(handle: 17)
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    @Test(arguments: [
        ("", SubscribeRequest(attribute: battery)),
        (#","coalesce":"every","durable":false"#, SubscribeRequest(attribute: battery)),
        (#","durable":true"#, SubscribeRequest(attribute: battery, isDurable: true)),
        (
            #","coalesce":{"latestMs":250}"#,
            SubscribeRequest(attribute: battery, coalesce: .latest(.milliseconds(250)))
        ),
        (
            #","coalesce":{"batch":20,"maxMs":1000}"#,
            SubscribeRequest(attribute: battery, coalesce: .batch(count: 20, maxDelay: .seconds(1)))
        ),
        (#","pollMs":250"#, SubscribeRequest(attribute: battery, poll: .milliseconds(250))),
    ])
    func `how values are wanted is read`(_ fields: String, _ request: SubscribeRequest) throws {
        let command = try fixture.command("{\"verb\":\"subscribe\",\"handle\":17\(fields)}")
        #expect(command.request == .subscribe(request))
        #expect(command.warnings.isEmpty)
    }

    @Test(arguments: [
        (#""durable":1"#, "durable: expected true or false, found 1"),
        (#""coalesce":"latest""#, "coalesce: expected"), (#""coalesce":{}"#, "coalesce.latestMs: give"),
        (#""coalesce":{"latestMs":9}"#, "coalesce.latestMs: expected a whole number from 10 to 3600000, found 9"),
        (#""coalesce":{"latestMs":100,"batch":2,"maxMs":10}"#, "coalesce.latestMs: give"),
        (#""coalesce":{"batch":2}"#, "coalesce.latestMs: give"), (#""coalesce":{"maxMs":20}"#, "coalesce.latestMs"),
        (#""coalesce":{"batch":101,"maxMs":10}"#, "coalesce.batch"),
        (#""coalesce":{"batch":0,"maxMs":10}"#, "coalesce.batch"),
        (#""pollMs":249"#, "pollMs: expected a whole number from 250 to 86400000, found 249"),
        (#""pollMs":"1s""#, "pollMs"),
    ])
    func `what does not fit is named`(_ field: String, _ part: String) throws {
        let refusal = try fixture.refusal("{\"verb\":\"subscribe\",\"handle\":17,\(field)}")
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.contains(part), "\(refusal.error.detail)")
    }
}
