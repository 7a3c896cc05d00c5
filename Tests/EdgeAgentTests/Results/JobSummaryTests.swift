import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct JobSummaryTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private func result(_ payload: ResultPayload) throws -> String {
        let command = try fixture.command(#"{"verb":"rssi"}"#)
        let stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: 0)
        let body = ResultBody.ok(command, confirmed: .local, payload: payload)
        let text = String(decoding: ResultEncoder().encode(body, stamp: stamp).payload, as: UTF8.self)
        return try #require(text.firstMatch(of: /"result":(\{.*\}),"attempt"/)).1.description
    }

    private func origin(_ text: String, on topic: CommandTopic = DecoderFixture.onDoor) throws -> CommandOrigin {
        try fixture.command(text, on: topic).origin
    }

    @Test func `a job that waits has its place`() throws {
        let job = JobSummary(
            number: 74,
            origin: try origin(#"{"id":9,"client":"me","verb":"read","handle":17}"#),
            state: .waiting,
            priority: .low,
            place: 1,
            acceptedMs: 0
        )
        #expect(
            try result(.jobs([job], isTruncated: true))
                == #"{"jobs":[{"job":74,"id":9,"client":"me","dev":"door","address":"a1b2c3d4e5f6","verb":"read","#
                + #""state":"waiting","priority":"low","place":1,"accepted":"1970-01-01T00:00:00.000Z"}],"truncated":true}"#
        )
    }

    @Test func `a job that runs says how far it is`() throws {
        let job = JobSummary(
            number: 1,
            origin: try origin(#"{"id":"a","client":"me","verb":"scan"}"#, on: DecoderFixture.onGateway),
            state: .running,
            acceptedMs: 1_790_848_800_000,
            runMs: 1100,
            attempt: 2,
            stage: .connect
        )
        #expect(
            try result(.jobs([job], isTruncated: false))
                == #"{"jobs":[{"job":1,"id":"a","client":"me","verb":"scan","state":"running","priority":"normal","#
                + #""accepted":"2026-10-01T10:00:00.000Z","runMs":1100,"attempt":2,"stage":"connect"}],"truncated":false}"#
        )
    }

    @Test func `a group's job is named by its group`() throws {
        let job = JobSummary(
            number: 1,
            origin: try origin(#"{"id":"a","client":"me","verb":"connect"}"#, on: DecoderFixture.onLights),
            state: .running,
            acceptedMs: 0
        )
        #expect(
            try result(.jobs([job], isTruncated: false)).contains(
                #""client":"me","group":"lights","verb":"connect","state":"running""#
            )
        )
    }

    @Test func `no jobs are an empty list`() throws {
        #expect(try result(.jobs([], isTruncated: false)) == #"{"jobs":[],"truncated":false}"#)
    }

    @Test(arguments: JobSummary.State.allCases) func `each state has its word`(state: JobSummary.State) throws {
        let job = JobSummary(number: 1, origin: try origin(#"{"verb":"rssi"}"#), state: state, acceptedMs: 0)
        #expect(try result(.jobs([job], isTruncated: false)).contains("\"state\":\"\(state.rawValue)\""))
        #expect(JobSummary.State.allCases.map(\.rawValue) == ["waiting", "slot", "running", "settling", "ended"])
    }

    @Test func `the steps of a job are told with what belongs to each`() throws {
        let command = try fixture.command(#"{"id":"k1","client":"me","verb":"rssi"}"#)
        let error = OperationError(.connectFailed, detail: "secret of nobody")
        let bodies: [ResultBody] = [
            .accepted(command, place: 3), .started(command), .retrying(command, attempt: 2, after: error),
            .failed(command, error, applied: .no, attempt: 2),
        ]
        let steps = bodies.enumerated().map { JobStep($1, timeMs: Int64($0)) }
        let job = JobSummary(number: 1, origin: command.origin, state: .ended, acceptedMs: 0, attempt: 2)
        #expect(
            try result(.job(job, steps: steps))
                == #"{"job":{"job":1,"id":"k1","client":"me","dev":"door","address":"a1b2c3d4e5f6","verb":"rssi","#
                + #""state":"ended","priority":"normal","accepted":"1970-01-01T00:00:00.000Z","attempt":2},"steps":["#
                + #"{"status":"accepted","final":false,"place":3,"ts":"1970-01-01T00:00:00.000Z"},"#
                + #"{"status":"started","final":false,"attempt":1,"ts":"1970-01-01T00:00:00.001Z"},"#
                + #"{"status":"retrying","final":false,"attempt":2,"code":"connect-failed","ts":"1970-01-01T00:00:00.002Z"},"#
                + #"{"status":"failed","final":true,"attempt":2,"code":"connect-failed","ts":"1970-01-01T00:00:00.003Z"}]}"#
        )
    }

    @Test func `the number of cancelled jobs is told`() throws {
        #expect(try result(.cancelled(0)) == #"{"count":0}"#)
    }
}
