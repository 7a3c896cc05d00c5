package import Testing
internal import EventLoop

/// Runs a test that computes for long on a thread of its own.
///
/// All tests share as many threads as there are processors. Two that compute keep them both, and whoever waits for an
/// answer meanwhile, or has a time limit, waits for the end of those.
package struct Apart: TestTrait, TestScoping {
    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        try await withTaskExecutorPreference(loop) { try await function() }
    }
}

extension Trait where Self == Apart {
    /// On a thread of its own.
    package static var apart: Apart { Apart() }
}
