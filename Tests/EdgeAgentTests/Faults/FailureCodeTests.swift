import TestSupport
import Testing

/// Each code that connect, discover, read, write, subscribe and scan can end with, from a scenario that produces it.
@Suite(.timeLimit(.minutes(1)))
struct FailureCodeTests {
    @Test(arguments: FaultCase.all) func `a scenario ends a command with its code`(_ expected: FaultCase) async throws {
        try await withAgent(try AgentSetup(scenario: expected.scenario), isReady: false) { gateway in
            // What happens after the start is what is meant, not the start.
            try await gateway.hear(on: "bluetooth") { $0["state"].text != nil }
            for (verb, fields) in expected.before { _ = try await gateway.send(verb, fields) }
            let device = expected.isForDevice ? TestDevice.thing : nil
            let id = try await gateway.start(expected.verb, expected.fields, on: device)
            if let event = expected.event {
                await gateway.world.waitForCalls(of: event.afterCallOf)
                try await gateway.world.trigger(event.name)
            }
            let result = try await gateway.result(id).json
            let error = result["error"]
            #expect(result["status"].text == expected.status, "\(result)")
            #expect(error["code"].text == expected.code, "\(result)")
            #expect(error["stage"].text == expected.stage, "\(result)")
            #expect(error["retryable"] == .flag(expected.isRetryable), "\(result)")
            #expect(result["applied"] == (expected.applied.map { .text($0) } ?? .missing), "\(result)")
            if let att = expected.att { #expect(error["att"].text == att, "\(result)") }
            if let dbus = expected.dbus { #expect(error["dbus"].text == dbus, "\(result)") }
            #expect(error["missing"].list == expected.missing.map { .text($0) }, "\(result)")
            // The agent goes on.
            #expect(try await gateway.send("ping")["status"] == "ok")
        }
    }
}
