import EdgeAgent
import EdgeAgentControl
import TestSupport
import Testing

/// `edge-agent ctl pair`: what a device asks is asked at the terminal.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PairTests {
    private func withLock(_ kind: String, _ body: (ControlWorld, TestDevice) async throws -> Void) async throws {
        let device = TestDevice.lock(kind)
        var options = AgentWorld.Options()
        options.devices = [device]
        try await withControlWorld(options) { try await body($0, device) }
    }

    @Test(arguments: [
        ("confirm", "yes\n", "Does the device show 000042? [yes/no]"),
        ("passkey", "what\n000042\n", "The six digits that the device shows:"),
        ("pin", "4711-code\n", "The device's code:"),
    ])
    func `a question is asked and its answer passed on`(kind: String, typed: String, question: String) async throws {
        try await withLock(kind) { world, device in
            let arguments = ["pair", device.hex, "--capability", "keyboard-display"]
            let run = try await world.end(try await world.start(arguments, input: typed))
            #expect(run.status == 0, "\(run)")
            #expect(run.errors.contains(question), "\(run)")
            #expect(run.output.contains("bonded: yes"))
            #expect(run.errors.contains("not understood") == typed.hasPrefix("what"))
            #expect(!world.agent.log.contains("4711-code"))
        }
    }

    /// A prompt of a kind, with further members.
    private func prompt(_ kind: String, _ more: String = "", state: String = "open") throws -> Prompt {
        let text = "{\"prompt\":\"p1\",\"state\":\"\(state)\",\"kind\":\"\(kind)\",\"dev\":\"door\"\(more)}"
        let object = try JSONReader(maxBytes: 1000).read(Array(text.utf8)).object
        return try #require(object.flatMap { Prompt($0) })
    }

    @Test func `each kind of prompt has its question and takes its answer alone`() throws {
        let pair = try prompt("authorize")
        #expect(pair.question == "May the device pair? [yes/no]")
        #expect(pair.answer("Y")?.value == .bool(true) && pair.answer("")?.value == .bool(false))
        #expect(pair.answer("maybe") == nil && pair.answer(nil)?.value == .bool(false))
        let service = try prompt("authorize", #","service":"110b\u001b[2J""#)
        #expect(service.question == #"May the device use service 110b\u{1b}[2J? [yes/no]"#)
        let display = try prompt("display", #","passkey":"000042""#)
        #expect(display.question == "Type 000042 at the device.\n" && !display.wantsAnswer)
        let passkey = try prompt("passkey")
        #expect(passkey.answer("42") == nil && passkey.answer("000042")?.value == .string("000042"))
        #expect(try prompt("pin").answer(" 47 11 \r")?.value == .string("47 11"))
        #expect(try prompt("confirm", state: "expired").question == nil)
        #expect(try prompt("something-new").question == nil)
    }

    @Test(arguments: ["no\n", ""])
    func `a refusal and the end of the input refuse`(typed: String) async throws {
        try await withLock("confirm") { world, device in
            let child = try await world.start(["pair", device.hex], input: typed)
            let run = try await world.end(child)
            #expect(run.status == ControlOutcome.failed.rawValue, "\(run)")
            #expect(run.errors.contains("pairing-rejected"))
        }
    }
}
