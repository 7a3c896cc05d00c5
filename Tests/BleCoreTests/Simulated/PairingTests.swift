import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

/// Pairing that is begun here.
@Suite(.timeLimit(.minutes(10)))
struct PairingTests {
    @Test func `B43 a device pairs with nobody else's agent on the bus`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            let belt = bench.peripheral(Devices.heart)
            #expect(try await belt.pair() == PairOutcome(already: false, bonded: true))
            #expect(try await belt.read(Devices.secret) == [7])
            let info = try #require(await belt.info)
            #expect(info.paired && info.bonded && !info.trusted)
            #expect(await bench.registered() == ["KeyboardDisplay"])
            try await bench.waitUntilIdle()
        }
    }

    @Test func `B43 the agent is there again after bluetoothd went, however it went`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            await bench.simulator.waitForCalls(of: "RegisterAgent")
            await bench.simulator.leaveBus()
            try await bench.simulator.returnToBus()
            await bench.simulator.waitForCalls(of: "RegisterAgent", count: 2)
            await bench.simulator.stopBus()
            try await bench.simulator.returnToBus()
            await bench.simulator.waitForCalls(of: "RegisterAgent", count: 3)
            let outcome = try await bench.peripheral(Devices.heart).pair()
            #expect(outcome.bonded)
        }
    }

    @Test func `B43 a registration that is refused at first is repeated, and one from before is replaced`() async throws
    {
        let exists = BluezError.alreadyExists
        for (error, members) in [
            (exists, ["RegisterAgent", "UnregisterAgent", "RegisterAgent"]),
            (.failed("starting"), ["RegisterAgent", "UnregisterAgent", "RegisterAgent"]),
        ] {
            try await withSimulator(devices: [Devices.pairable()]) { bus, simulator in
                await simulator.refuse("RegisterAgent", with: error)
                try await withManager(on: bus) { manager in
                    try await manager.ready(within: .seconds(50))
                    let outcome = try await manager.peripheral(Devices.heart).pair()
                    #expect(outcome.bonded)
                    let calls = await simulator.calls().map(\.member).filter { $0.hasSuffix("Agent") }
                    #expect(calls == members)
                }
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let prompt: PairingModel.Prompt
        let kind: PairingPrompt.Kind
        let answer: PairingAnswer
        let wrong: PairingAnswer
        let end: PairingEvent.End
        var testDescription: String { prompt.rawValue }
    }

    static let rows = [
        Row(prompt: .confirm, kind: .confirm(passkey: 42), answer: .accept, wrong: .passkey(42), end: .answered),
        Row(prompt: .passkey, kind: .passkey, answer: .passkey(42), wrong: .accept, end: .answered),
        Row(prompt: .pin, kind: .pin, answer: .pin("0000"), wrong: .pin("12345678901234567"), end: .answered),
        Row(
            prompt: .display,
            kind: .display(passkey: 42, entered: 0),
            answer: .accept,
            wrong: .reject,
            end: .cancelled
        ),
    ]

    @Test(arguments: rows) func `a prompt takes the answer that it wants, and no other`(_ row: Row) async throws {
        let device = Devices.pairable(row.prompt) {
            $0.passkey = 42
            $0.typedAfter = nil
        }
        try await withBench(devices: [device]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            async let outcome = bench.peripheral(Devices.heart).pair()
            let prompt = try #require(try await listener.prompt())
            #expect(prompt.address == Devices.heart)
            #expect(prompt.kind == row.kind)
            #expect(await bench.manager.pairingPrompts == [prompt])
            #expect(await bench.manager.answer(prompt.id, row.wrong) == .unfit(row.kind))
            #expect(await bench.manager.answer("0", row.answer) == .unknownPrompt)
            if row.kind.needsAnswer {
                #expect(await bench.manager.answer(prompt.id, row.answer) == .taken)
            } else {
                await bench.happen { .type($0, passkey: 42) }
            }
            #expect(try await outcome == PairOutcome(already: false, bonded: true))
            #expect(listener.events.all == [.prompt(prompt), .ended(prompt, row.end)])
            #expect(await bench.manager.answer(prompt.id, row.answer) == .unknownPrompt)
            #expect(await bench.manager.pairingPrompts.isEmpty)
        }
    }

    @Test(arguments: [
        (PairingModel.Prompt.passkey, PairingAnswer.passkey(43), BleFailure.Kind.pairingFailed),
        (.passkey, .reject, .pairingRejected), (.confirm, .reject, .pairingRejected),
    ])
    func `a refusal is told apart from a wrong number`(
        _ prompt: PairingModel.Prompt,
        _ answer: PairingAnswer,
        _ kind: BleFailure.Kind
    ) async throws {
        try await withBench(devices: [Devices.pairable(prompt)]) { bench in
            let listener = await PromptListener.listen(to: bench.manager) { _ in answer }
            let belt = bench.peripheral(Devices.heart)
            let failure = try #require(await failure { try await belt.pair() })
            #expect(failure.kind == kind && failure.stage == .operate && failure.applied == .no)
            #expect(failure.dbus?.name == "org.bluez.Error.AuthenticationFailed")
            #expect(listener.kinds.count == 1)
            let info = await belt.info
            #expect(info?.paired != true)
        }
    }

    @Test func `a prompt that nobody hears is refused, and one that nobody answers expires`() async throws {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.promptLimit = .milliseconds(30)
        try await withBench(devices: [Devices.pairable(.confirm)], configuration: configuration) { bench in
            let belt = bench.peripheral(Devices.heart)
            var cause = await cause { try await belt.pair() }
            #expect(cause == Cause(.pairingRejected, .operate))
            let listener = await PromptListener.listen(to: bench.manager)
            cause = await BleCoreTests.cause { try await belt.pair() }
            #expect(cause == Cause(.pairingRejected, .operate))
            #expect(listener.ends == [.expired])
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a device that does not pair fails, and one that ends the link too`() async throws {
        try await withBench { bench in
            let cause = await cause { try await bench.peripheral(Devices.heart).pair() }
            #expect(cause == Cause(.pairingFailed, .operate))
        }
        try await withBench(devices: [Devices.pairable(.confirm)]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            async let cause = cause { try await bench.peripheral(Devices.heart).pair() }
            _ = try await listener.prompt()
            await bench.simulator.dropLink(DemoDevices.heartAddress)
            #expect(await cause == Cause(.pairingRejected, .operate))
            #expect(listener.ends == [.cancelled])
        }
    }

    @Test func `B45 a device that is paired stays so, without a call`() async throws {
        try await withBench(devices: [Devices.bonded]) { bench in
            let belt = bench.peripheral(Devices.heart)
            let outcome = try await belt.pair()
            #expect(outcome == PairOutcome(already: true, bonded: true))
            let calls = await bench.simulator.calls().map(\.member)
            #expect(calls.allSatisfy { $0 != "Pair" && $0 != "Connect" })
        }
    }

    @Test func `B45 an AlreadyExists of bluetoothd is a success`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            await bench.simulator.refuse("Pair", with: .alreadyExists)
            let outcome = try await bench.peripheral(Devices.heart).pair()
            #expect(outcome.already)
        }
    }

    @Test func `B45 two pairings at once are one call`() async throws {
        try await withBench(devices: [Devices.pairable(.confirm)]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            let belt = bench.peripheral(Devices.heart)
            async let first = belt.pair()
            let prompt = try #require(try await listener.prompt())
            async let second = belt.pair()
            await bench.manager.answer(prompt.id, .accept)
            #expect(try await first == PairOutcome(already: false, bonded: true))
            #expect(try await second == PairOutcome(already: true, bonded: true))
            #expect(await bench.simulator.count(of: "Pair") == 1)
        }
    }

    @Test func `B45 another program's pairing is waited for`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            await bench.simulator.refuse("Pair", with: .inProgress)
            let outcome = try await bench.peripheral(Devices.heart).pair()
            #expect(outcome == PairOutcome(already: false, bonded: true))
            #expect(await bench.simulator.count(of: "Pair") == 2)
        }
    }

    @Test func `B45 a pairing that runs out of time, or is given up, is cancelled, and the next one succeeds`()
        async throws
    {
        try await withBench(devices: [Devices.pairable(.confirm)]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            let belt = try await bench.linked(Devices.heart)
            let failure = try #require(await failure { try await belt.pair(timeout: .milliseconds(200)) })
            #expect(failure.kind == .timedOut && failure.stage == .operate && failure.applied == .maybe)
            await bench.simulator.waitForCalls(of: "CancelPairing")
            #expect(await bench.cancel(at: "Pair", count: 2) { try await belt.pair() })
            await bench.simulator.waitForCalls(of: "CancelPairing", count: 2)
            await belt.settle()
            // The second may have been given up before it was asked for.
            let asked = listener.kinds.count
            async let outcome = belt.pair()
            try await listener.events.wait(asked + 1) { if case .prompt = $0 { true } else { false } }
            for prompt in await bench.manager.pairingPrompts { await bench.manager.answer(prompt.id, .accept) }
            #expect(try await outcome.bonded)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a pairing may use another capability, which is taken back`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            try await bench.peripheral(Devices.heart).pair(capability: .noInputNoOutput)
            await bench.simulator.waitForCalls(of: "RegisterAgent", count: 3)
            #expect(await bench.registered() == ["KeyboardDisplay", "NoInputNoOutput", "KeyboardDisplay"])
        }
    }

    @Test func `without a capability there is an agent only while it pairs`() async throws {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.pairingCapability = nil
        try await withBench(devices: [Devices.pairable()], configuration: configuration) { bench in
            #expect(await bench.simulator.count(of: "RegisterAgent") == 0)
            let outcome = try await bench.peripheral(Devices.heart).pair()
            #expect(outcome.bonded)
            await bench.simulator.waitForCalls(of: "UnregisterAgent")
            #expect(await bench.registered() == ["KeyboardDisplay"])
        }
    }
}
