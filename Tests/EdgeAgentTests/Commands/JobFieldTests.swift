import BleCore
import EdgeAgent
import Testing

/// The fields of sequences, of what is said about jobs, and of how a command is to be handled.
@Suite(.timeLimit(.minutes(10))) struct JobFieldTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private func detail(_ fields: String, on topic: CommandTopic) throws -> String {
        let refusal = try fixture.refusal("{\"id\":\"a\",\(fields)}", on: topic)
        #expect(refusal.error.code == .badRequest)
        return refusal.error.detail
    }

    // MARK: Sequences

    @Test func `a sequence is read with the times and retries of its steps`() throws {
        let command = try fixture.command(
            #"{"verb":"sequence","onError":"continue","retry":{"max":3},"steps":["#
                + #"{"verb":"connect"},{"verb":"write","handle":17,"value":{"hex":"64"},"timeoutMs":500},"#
                + #"{"verb":"read","handle":17,"retry":{"max":0,"idempotent":true}},{"verb":"rssi","retry":{}}]}"#
        )
        let handle = AttributeSelector(handle: 17)
        #expect(
            command.request
                == .sequence(
                    SequenceRequest(
                        steps: [
                            .init(.connect(), timeout: .seconds(20)),
                            .init(.write(WriteRequest(attribute: handle, value: [0x64])), timeout: .milliseconds(500)),
                            .init(
                                .read(ReadRequest(attribute: handle)),
                                timeout: .seconds(20),
                                retry: RetryRequest(max: 0, isIdempotent: true)
                            ), .init(.rssi, timeout: .seconds(1), retry: RetryRequest(max: nil)),
                        ],
                        onError: .continue
                    )
                )
        )
        #expect(command.retry == RetryRequest(max: 3))
        #expect(command.timeout == .seconds(120))
        #expect(command.warnings.isEmpty)
    }

    @Test(arguments: VerbName.allCases)
    func `a device's verbs may be steps, but not sequences themselves`(verb: VerbName) throws {
        let fields = #""name":"on","handle":1,"value":{"hex":""},"write":1,"notify":2,"data":{"hex":"00"}"#
        let decoded = fixture.decode("{\"verb\":\"sequence\",\"steps\":[{\"verb\":\"\(verb.rawValue)\",\(fields)}]}")
        let allowed: [VerbName] = [
            .connect, .disconnect, .discover, .read, .write, .subscribe, .unsubscribe, .transact, .rssi, .run,
        ]
        #expect((decoded.command != nil) == allowed.contains(verb), "\(decoded)")
        guard let refusal = decoded.refusal else { return }
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.hasPrefix("steps[0].verb: expected one of connect, disconnect, discover, "))
    }

    @Test func `a sequence changes something when one of its steps does`() throws {
        let read = #"{"verb":"read","handle":17}"#
        for (steps, changes) in [
            ("\(read),{\"verb\":\"discover\"},{\"verb\":\"rssi\"}", false), ("\(read),{\"verb\":\"disconnect\"}", true),
            ("{\"verb\":\"discover\",\"refresh\":true}", true),
        ] {
            let command = try fixture.command("{\"verb\":\"sequence\",\"steps\":[\(steps)]}")
            #expect(command.request.changesSomething == changes, "\(steps)")
        }
    }

    @Test(arguments: [
        (#""steps":null"#, "steps: expected a list of 1 to 32 objects, each with a verb, found nothing"),
        (#""steps":{}"#, "steps: expected a list of 1 to 32 objects, each with a verb, found an object"),
        (#""steps":[]"#, "steps: expected a list of 1 to 32 objects, each with a verb, found a list"),
        (#""steps":["read"]"#, "steps[0]: expected an object with a verb, found the text \"read\""),
        (#""steps":[{"verb":"rssi"},{"handle":17}]"#, "steps[1].verb: expected one of connect, "),
        (#""steps":[{"verb":7}]"#, "steps[0].verb: expected one of"), (#""steps":[{"verb":"read"}]"#, "steps[0]."),
        (#""steps":[{"verb":"connect","match":{"name":"x"},"timeoutMs":0}]"#, "steps[0].timeoutMs: expected a whole"),
        (
            #""steps":[{"verb":"rssi","retry":5}]"#,
            "steps[0].retry: expected an object with max and idempotent, found 5"
        ),
        (#""steps":[{"verb":"rssi","retry":{"max":-1}}]"#, "steps[0].retry.max: expected a whole number from 0 to 100"),
        (#""steps":[{"verb":"write","handle":1,"value":{"hex":"6"}}]"#, "steps[0].value.hex: an odd number"),
        (#""steps":[{"verb":"rssi"}],"onError":"ignore""#, "onError: expected one of stop, continue, found the text"),
    ])
    func `what is wrong with a sequence is named with its place`(fields: String, part: String) throws {
        let text = try detail("\"verb\":\"sequence\",\(fields)", on: DecoderFixture.onDoor)
        #expect(text.contains(part), "\(text)")
    }

    @Test func `a sequence has 32 steps at most, and all that is wrong with them is told`() throws {
        let steps = { (count: Int, step: String) in Array(repeating: step, count: count).joined(separator: ",") }
        let rssi = #"{"verb":"rssi"}"#
        #expect(try fixture.command("{\"verb\":\"sequence\",\"steps\":[\(steps(32, rssi))]}").request.name == .sequence)
        #expect(
            try detail("\"verb\":\"sequence\",\"steps\":[\(steps(33, rssi))]", on: DecoderFixture.onDoor).hasPrefix(
                "steps: "
            )
        )
        let bad = try detail(
            "\"verb\":\"sequence\",\"steps\":[\(steps(3, #"{"verb":"read"}"#))]",
            on: DecoderFixture.onDoor
        )
        for index in 0..<3 { #expect(bad.contains("steps[\(index)].")) }
    }

    @Test func `unknown names in steps are warned of with their place`() throws {
        let command = try fixture.command(
            #"{"verb":"sequence","steps":[{"verb":"rssi"},{"verb":"rssi","ack":true,"x":1}]}"#
        )
        #expect(command.warnings == [#"ignored field "steps[1].ack""#, #"ignored field "steps[1].x""#])
    }

    // MARK: How a command is handled

    @Test(arguments: [
        ("", RetryRequest(), false), (#","retry":null"#, RetryRequest(), false),
        (#","retry":{}"#, RetryRequest(max: nil), true),
        (#","retry":{"max":0}"#, RetryRequest(max: 0), true), (#","retry":{"max":100}"#, RetryRequest(max: 100), true),
        (#","retry":{"max":2,"idempotent":true}"#, RetryRequest(max: 2, isIdempotent: true), true),
        (#","retry":{"idempotent":false}"#, RetryRequest(max: nil), true),
    ])
    func `retry is read`(field: String, retry: RetryRequest, isGiven: Bool) throws {
        let command = try fixture.command("{\"verb\":\"rssi\"\(field)}")
        #expect(command.retry == retry && command.retry.isGiven == isGiven)
        #expect(command.warnings.isEmpty)
    }

    @Test func `priority and ack are read`() throws {
        let plain = try fixture.command(#"{"verb":"rssi"}"#)
        #expect(plain.priority == .normal && !plain.wantsSteps)
        for priority in CommandPriority.allCases {
            let command = try fixture.command("{\"verb\":\"rssi\",\"priority\":\"\(priority.rawValue)\",\"ack\":true}")
            #expect(command.priority == priority && command.wantsSteps)
        }
        let ping = try fixture.command(#"{"verb":"ping","ack":true,"priority":"low"}"#, on: DecoderFixture.onGateway)
        #expect(ping.wantsSteps && ping.priority == .low && ping.warnings.isEmpty)
    }

    @Test(arguments: [
        (#""retry":true"#, "retry: expected an object with max and idempotent, found true"),
        (#""retry":{"max":101}"#, "retry.max: expected a whole number from 0 to 100, found 101"),
        (#""retry":{"max":1.0}"#, "retry.max: expected"),
        (#""retry":{"idempotent":1}"#, "retry.idempotent: expected true or false"),
        (#""priority":"high""#, "priority: expected one of urgent, normal, low, found the text \"high\""),
        (#""priority":1"#, "priority: expected"), (#""ack":"yes""#, "ack: expected true or false"),
    ])
    func `what is wrong with how a command is to be handled is named`(field: String, part: String) throws {
        let text = try detail("\"verb\":\"rssi\",\(field)", on: DecoderFixture.onDoor)
        #expect(text.contains(part), "\(text)")
    }

    // MARK: Groups

    @Test func `a command for a group has its members and how it is spread over them`() throws {
        let lights = try #require(GroupName("lights"))
        let plain = try fixture.command(#"{"verb":"rssi"}"#, on: DecoderFixture.onLights)
        #expect(plain.origin.target == .group(lights, fixture.lights))
        #expect(plain.origin.group == lights && plain.origin.device == nil)
        #expect(plain.spread == GroupSpread(concurrency: 4, jitter: .zero))
        let fields = #"{"verb":"connect","concurrency":64,"jitterMs":60000}"#
        let spread = try fixture.command(fields, on: .group("lights", client: "me"))
        #expect(spread.spread == GroupSpread(concurrency: 64, jitter: .seconds(60)))
        #expect(spread.request == .connect() && spread.origin.identity == "me" && spread.warnings.isEmpty)
        #expect(spread.jitter == .zero)
    }

    @Test(arguments: [
        (#""verb":"rssi","concurrency":0"#, "concurrency: expected a whole number from 1 to 64"),
        (#""verb":"rssi","concurrency":65"#, "concurrency: expected"),
        (#""verb":"rssi","jitterMs":-1"#, "jitterMs: expected"),
        (#""verb":"rssi","jitterMs":60001"#, "jitterMs: expected a whole number from 0 to 60000"),
        (#""verb":"ping""#, "verb: ping is for the gateway, send it to edge/v1/shop-3/cmd"),
    ])
    func `what is wrong with a command for a group is named`(fields: String, part: String) throws {
        let text = try detail(fields, on: DecoderFixture.onLights)
        #expect(text.contains(part), "\(text)")
    }

    @Test(arguments: ["doors", "Lights", "", "-a", String(repeating: "a", count: 65)])
    func `a group that is not there is unknown, whatever its name`(name: String) throws {
        let refusal = try fixture.refusal(#"{"verb":"rssi"}"#, on: .group(name, client: nil))
        #expect(refusal.error.code == .unknownGroup)
    }

    // MARK: What is said about jobs

    @Test func `questions about jobs are read`() throws {
        let job = JobReference(client: "me", id: "7")
        let cases: [(String, VerbRequest)] = [
            (#""verb":"jobs""#, .jobs(JobsRequest())),
            (
                #""verb":"jobs","dev":"door","limit":1000,"after":0"#,
                .jobs(JobsRequest(device: fixture.door, page: Page(limit: 1000, after: 0)))
            ), (#""verb":"jobs","dev":"a1b2c3d4e5f6""#, .jobs(JobsRequest(device: fixture.door))),
            (#""verb":"job","of":{"client":"me","id":"7"}"#, .job(job)),
            (#""verb":"job","of":{"client":"me","id":7}"#, .job(job)),
            (#""verb":"cancel","of":{"client":"me","id":"7"}"#, .cancel(.job(job))),
            (#""verb":"cancel","dev":"a1b2c3d4e5f6""#, .cancel(.device(fixture.door))),
            (#""verb":"cancel","all":true"#, .cancel(.all)),
            (#""verb":"cancel","dev":"door","all":false"#, .cancel(.device(fixture.door))),
        ]
        for (fields, request) in cases {
            let decoded = fixture.decode("{\(fields)}", on: DecoderFixture.onGateway)
            #expect(decoded.command?.request == request, "\(decoded)")
            #expect(decoded.command?.warnings.isEmpty == true)
        }
    }

    @Test func `pages of devices are asked for`() throws {
        let fields = #"{"verb":"devices","limit":20,"after":"A1:B2:C3:D4:E5:F6"}"#
        let page = Page(limit: 20, after: fixture.door.address)
        #expect(
            try fixture.command(fields, on: DecoderFixture.onGateway).request == .devices(DevicesRequest(page: page))
        )
    }

    @Test(arguments: [
        (#""verb":"jobs","limit":0"#, "limit: expected a whole number from 1 to 1000, found 0"),
        (#""verb":"jobs","limit":1001"#, "limit: expected"),
        (#""verb":"jobs","after":-1"#, "after: expected a whole number"),
        (#""verb":"jobs","after":"7""#, "after: expected"),
        (#""verb":"jobs","dev":"window""#, "dev: expected the alias or address of a device, found the text \"window\""),
        (#""verb":"jobs","dev":7"#, "dev: expected the alias"),
        (#""verb":"devices","limit":"5""#, "limit: expected"),
        (#""verb":"devices","after":"door""#, "after: expected an address"),
        (#""verb":"devices","after":5"#, "after: expected an address"),
        (#""verb":"job""#, "of: expected an object with the client and the id of a command, found nothing"),
        (#""verb":"job","of":"me/7""#, "of: expected an object"),
        (#""verb":"job","of":{}"#, "of.client: expected A-Z, a-z, 0-9, _ and -, 1 to 64 characters, found nothing"),
        (#""verb":"job","of":{"client":"me"}"#, "of.id: expected"),
        (#""verb":"job","of":{"id":"7"}"#, "of.client: expected"),
        (#""verb":"job","of":{"client":"a b","id":"7"}"#, "of.client: expected"),
        (#""verb":"job","of":{"client":"me","id":"a/b"}"#, "of.id: expected"),
        (#""verb":"job","of":{"client":"me","id":7.5}"#, "of.id: expected"),
        (#""verb":"cancel""#, "of: give one of of, dev and all"),
        (#""verb":"cancel","all":false"#, "of: give one of of"),
        (#""verb":"cancel","all":true,"dev":"door""#, "of: give one of of, dev and all"),
        (#""verb":"cancel","of":{"client":"me","id":1},"dev":"door""#, "of: give one of of, dev and all"),
        (#""verb":"cancel","all":1"#, "all: expected true or false"),
        (#""verb":"cancel","dev":"window""#, "dev: expected"),
        (#""verb":"cancel","of":{"client":7,"id":1}"#, "of.client: expected"),
    ])
    func `what is wrong with a question about jobs is named`(fields: String, part: String) throws {
        let text = try detail(fields, on: DecoderFixture.onGateway)
        #expect(text.contains(part), "\(text)")
    }

    @Test func `one problem of a reference is told once`() throws {
        let text = try detail(#""verb":"job","of":{"client":"a b","id":"7"}"#, on: DecoderFixture.onGateway)
        #expect(text.split(separator: ";").count == 1, "\(text)")
    }

    @Test(
        arguments: [
            (nil, 10, [1, 2, 3], false), (2, 10, [1, 2], true), (3, 10, [1, 2, 3], false), (nil, 2, [1, 2], true),
            (5, 1, [1], true), (nil, 0, [1], true), (1000, 3, [1, 2, 3], false),
        ] as [(Int?, Int, [Int], Bool)]
    )
    func `a page has what is wanted and what a result holds, one entry at least`(
        limit: Int?,
        room: Int,
        part: [Int],
        isTruncated: Bool
    ) {
        let page = Page<Int>(limit: limit).part(of: [1, 2, 3], room: room)
        #expect(page.entries == part && page.isTruncated == isTruncated)
    }

    @Test func `a page of nothing is empty`() {
        let page = Page<Int>(limit: 5).part(of: [Int](), room: 0)
        #expect(page.entries.isEmpty && !page.isTruncated)
    }
}
