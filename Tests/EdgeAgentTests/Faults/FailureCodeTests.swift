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
            #expect(result["status"].text == outcome.status, "\(self): \(result)")
            #expect(error["code"].text == outcome.code, "\(self): \(result)")
            #expect(error["stage"].text == outcome.stage, "\(self): \(result)")
            #expect(error["retryable"] == .flag(outcome.isRetryable), "\(self): \(result)")
            #expect(result["applied"] == (applied.map { .text($0) } ?? .missing), "\(self): \(result)")
            if let att { #expect(error["att"].text == att, "\(self): \(result)") }
            if let dbus { #expect(error["dbus"].text == dbus, "\(self): \(result)") }
            #expect(error["missing"].list == missing.map { .text($0) }, "\(self): \(result)")
            // The agent goes on.
            #expect(try await gateway.send("ping")["status"] == "ok")
        }
    }
}

extension AgentLane1 {
    /// Commands for which no link comes to be.
    @Suite(.timeLimit(.minutes(1))) struct LinkFailureTests {
        @Test(arguments: FaultCase.link) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}

extension AgentLane2 {
    /// Commands for which there is no bluetoothd or adapter.
    @Suite(.timeLimit(.minutes(1))) struct AdapterFailureTests {
        @Test(arguments: FaultCase.adapter) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}

extension AgentLane3 {
    /// Commands during which the link, bluetoothd or the answer fails.
    @Suite(.timeLimit(.minutes(1))) struct OperationFailureTests {
        @Test(arguments: FaultCase.operate) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}

extension AgentLane4 {
    /// Pairings that fail, and bonds that do not do any more.
    @Suite(.timeLimit(.minutes(1))) struct PairingFailureTests {
        @Test(arguments: FaultCase.pairing) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}

extension AgentLane4 {
    /// Commands for which the device has or gives not what is asked for.
    @Suite(.timeLimit(.minutes(1))) struct AttributeFailureTests {
        @Test(arguments: FaultCase.attribute) func `a scenario ends a command with its code`(_ expected: FaultCase)
            async throws
        {
            try await expected.check()
        }
    }
}
