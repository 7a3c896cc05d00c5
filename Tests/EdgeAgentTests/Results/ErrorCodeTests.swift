import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct ErrorCodeTests {
    /// The contract's table: codes, status, stages, which of them are worth repeating.
    static let contract = """
        bad-request unknown-verb conflicting-envelope payload-too-large duplicate-conflict retained-command denied \
        response-topic-denied unknown-device unknown-group unknown-command unknown-job | rejected | agent | no
        queue-full shutting-down clock-unsynchronised storage-failed | rejected | queue agent | yes
        expired | expired | queue | no
        cancelled | cancelled | queue scan connect discover operate agent | yes
        timeout | timeout | operate agent | yes
        connect-timeout | timeout | connect | yes
        discover-timeout | timeout | discover | yes
        bluetooth-unavailable adapter-missing adapter-off adapter-blocked | failed | agent | yes
        unauthorized | failed | agent | no
        no-slot | failed | connect | yes
        not-in-range | failed | scan | yes
        connect-failed link-lost device-removed | failed | connect operate | yes
        needs-pairing pairing-failed pairing-rejected stale-bond | failed | connect operate | no
        no-service no-characteristic no-descriptor ambiguous-characteristic | failed | discover | no
        not-supported not-permitted att-error value-too-long | failed | operate | no
        busy | failed | operate | yes
        response-rejected bad-checksum parse-failed | failed | operate | no
        result-too-large | failed | agent | no
        bus-lost outcome-unknown | unknown | operate | no
        internal | failed | agent | no
        """

    struct Row: Sendable {
        let code: String
        let status: String
        let stages: Set<String>
        let isRetryable: Bool
    }

    static let rows: [Row] = contract.split(separator: "\n").flatMap { line in
        let cells = line.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
        return cells[0].map {
            Row(code: $0, status: cells[1][0], stages: Set(cells[2]), isRetryable: cells[3] == ["yes"])
        }
    }

    @Test(arguments: rows) func `a code is as the contract says`(row: Row) throws {
        let code = try #require(ErrorCode(rawValue: row.code))
        #expect(code.status.rawValue == row.status)
        #expect(Set(code.row.stages.map(\.rawValue)) == row.stages)
        #expect(code.row.stages.contains(code.defaultStage))
        #expect(code.isRetryable == row.isRetryable)
        #expect(code.status.isFinal)
        let error = OperationError(code, detail: "x")
        #expect(error.stage == code.defaultStage && error.isRetryable == row.isRetryable)
    }

    @Test func `the list is closed`() {
        #expect(Set(Self.rows.map(\.code)) == Set(ErrorCode.allCases.map(\.rawValue)))
        #expect(Self.rows.count == ErrorCode.allCases.count)
    }

    @Test func `a stage that a code does not have becomes the nearest earlier one`() {
        #expect(OperationError(.linkLost, at: .discover, detail: "").stage == .connect)
        #expect(OperationError(.linkLost, at: .operate, detail: "").stage == .operate)
        #expect(OperationError(.linkLost, at: .agent, detail: "").stage == .operate)
        #expect(OperationError(.linkLost, at: .scan, detail: "").stage == .connect)
        #expect(OperationError(.adapterOff, at: .connect, detail: "").stage == .agent)
        #expect(OperationError(.cancelled, at: .scan, detail: "").stage == .scan)
        for code in ErrorCode.allCases {
            for stage in ErrorStage.allCases {
                #expect(code.row.stages.contains(OperationError(code, at: stage, detail: "").stage))
            }
        }
    }

    @Test func `a long detail is cut between characters`() {
        let error = OperationError(.internal, detail: String(repeating: "ü", count: 2000))
        #expect(error.detail.utf8.count <= OperationError.maxDetailBytes)
        #expect(error.detail.utf8.count > OperationError.maxDetailBytes - 4)
        #expect(error.detail.hasSuffix("ü…"))
    }

    @Test func `final and other states are told apart`() {
        let final = ResultStatus.allCases.filter(\.isFinal).map(\.rawValue)
        #expect(final == ["ok", "failed", "rejected", "expired", "timeout", "cancelled", "partial", "unknown"])
    }
}
