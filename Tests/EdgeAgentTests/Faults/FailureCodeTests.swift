import Glibc
import TestSupport
import Testing

extension FaultCase {
    /// Runs the command in the world of the scenario and compares its result.
    func check() async throws {
        var setup = try AgentSetup(scenario: scenario)
        setup.keys = keys
        try await withAgent(setup, isReady: false) { gateway in
            // What happens after the start is what is meant, not the start.
            try await gateway.hear(on: "bluetooth") { $0["state"].text != nil }
            for (verb, fields) in before { _ = try await gateway.send(verb, fields) }
            let target = isForDevice ? TestDevice.thing : nil
            let id = try await gateway.start(verb, fields, on: target)
            if let event {
                await gateway.world.waitForCalls(of: event.afterCallOf)
                try await gateway.world.trigger(event.name)
            }
            let result = try await gateway.result(id).json
            let error = result["error"]
            compare(result)
            if let att { #expect(error["att"].text == att, "\(self): \(result)") }
            if let dbus { #expect(error["dbus"].text == dbus, "\(self): \(result)") }
            if let attempt { #expect(result["attempt"].number == Double(attempt), "\(self): \(result)") }
            #expect(error["missing"].list == missing.map { .text($0) }, "\(self): \(result)")
            // The agent goes on.
            #expect(try await gateway.send("ping")["status"] == "ok")
        }
    }

    /// Runs the command, kills the agent while it is under way, and compares what the next start makes of it.
    func checkAcrossKill(during member: String) async throws {
        try await withStateFolder { state in
            var setup = try AgentSetup(scenario: scenario)
            setup.keys["stateDir"] = "\"\(state)\""
            try await withAgent(setup) { first in
                let id = try await first.start(verb, fields, on: .thing)
                await first.world.waitForCalls(of: member)
                _ = try await first.stop(SIGKILL)
                let second = try await first.restarted()
                compare(try await second.result(id).json)
                #expect(await second.world.count(of: member) == 1)
                #expect(try await second.send("ping")["status"] == "ok")
                _ = try await second.stop(SIGKILL)
            }
        }
    }

    private func compare(_ result: Json) {
        let error = result["error"]
        #expect(result["status"].text == outcome.status, "\(self): \(result)")
        #expect(error["code"].text == outcome.code, "\(self): \(result)")
        #expect(error["stage"].text == outcome.stage, "\(self): \(result)")
        #expect(error["retryable"] == .flag(outcome.isRetryable), "\(self): \(result)")
        #expect(result["applied"] == (applied.map { .text($0) } ?? .missing), "\(self): \(result)")
    }
}

extension AgentLane4 {
    /// Commands for which no link comes to be.
    @Suite(.timeLimit(.minutes(10))) struct LinkFailureTests {
        @Test(arguments: FaultCase.link + FaultCase.retry) func `a scenario ends a command with its code`(
            _ expected: FaultCase
        )
            async throws
        {
            try await expected.check()
        }
    }
}

extension AgentLane2 {
    /// Commands for which there is no bluetoothd or adapter.
    @Suite(.timeLimit(.minutes(10))) struct AdapterFailureTests {
        @Test(arguments: FaultCase.adapter) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}

extension AgentLane3 {
    /// Commands during which the link, bluetoothd or the answer fails.
    @Suite(.timeLimit(.minutes(10))) struct OperationFailureTests {
        @Test(arguments: FaultCase.operate) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }

        @Test(arguments: FaultCase.killed) func `a kill of the agent ends a command with its code`(
            _ expected: FaultCase
        )
            async throws
        {
            try await expected.checkAcrossKill(during: "WriteValue")
        }
    }
}

extension AgentLane4 {
    /// Pairings that fail, and bonds that do not do any more.
    @Suite(.timeLimit(.minutes(10))) struct PairingFailureTests {
        @Test(arguments: FaultCase.pairing) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}

extension AgentLane4 {
    /// Commands for which the device has or gives not what is asked for.
    @Suite(.timeLimit(.minutes(10))) struct AttributeFailureTests {
        @Test(arguments: FaultCase.attribute) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}
