import BleCore
import DBus
import EventLoop
import TestSupport
import Testing

/// bluetoothd's calls to the agent for pairing, whatever they are.
@Suite(.timeLimit(.minutes(10)))
struct AgentCallTests {
    private static let stranger = Messages.path("/org/bluez/hci0/dev_C0_5A_00_00_00_99")
    private static let pairing = Messages.path("/pairing")
    private static let confirm = Question("RequestConfirmation", .path(Messages.device), .uint32(42))

    /// A call of a method of the agent's.
    private struct Question: Sendable {
        let member: String
        let arguments: [DBusValue]

        init(_ member: String, _ arguments: DBusValue...) {
            self.member = member
            self.arguments = arguments
        }
    }

    /// Runs a test with a bluetoothd that knows the manager's agent.
    private func withAgent(
        configuration: BluetoothManager.Configuration = .impatient,
        _ body: (BluetoothManager, FakeBluez) async throws -> Void
    ) async throws {
        try await withPeer(configuration: configuration, answer: { try $0.reply() }) { manager, bluez in
            _ = try await bluez.call("RegisterAgent")
            try await body(manager, bluez)
        }
    }

    private func message(
        _ question: Question,
        to bluez: FakeBluez,
        at path: ObjectPath = pairing,
        _ interface: String = "org.bluez.Agent1"
    ) async throws -> DBusMessage {
        let agent = try #require(try await bluez.call("RegisterAgent").sender)
        return try DBusMessage.call(agent, path, interface, question.member)
            .append { (writer) throws(DBusFailure) in
                for argument in question.arguments { try writer.append(argument) }
            }
    }

    /// Asks and waits for the answer: its values, or the error's name and text.
    private func ask(_ bluez: FakeBluez, _ message: DBusMessage) async throws -> [String] {
        do {
            var reader = try await bluez.connection.call(message).reader()
            var values: [String] = []
            while reader.hasNext() { values.append("\(try reader.value())") }
            return values
        } catch DBusFailure.error(let name, let text) {
            return [String(name.split(separator: ".").last ?? ""), text]
        }
    }

    private func ask(_ bluez: FakeBluez, _ question: Question) async throws -> [String] {
        try await ask(bluez, try await message(question, to: bluez))
    }

    /// Asks without waiting; the answer's text lands in a log.
    private func begin(_ bluez: FakeBluez, _ question: Question, _ answers: Log<String>) async throws {
        let message = try await message(question, to: bluez)
        await bluez.connection.call(message) { outcome in
            if case .failure(.error(_, let text)) = outcome { answers.append(text) } else { answers.append("") }
        }
    }

    @Test func `questions that cannot be read, or are about nobody, are refused one by one`() async throws {
        let device = DBusValue.path(Messages.device)
        let rows: [(Question, String)] = [
            (Question("RequestConfirmation", device), "InvalidArgs"),
            (Question("RequestConfirmation", .string("x"), .uint32(1)), "InvalidArgs"),
            (Question("RequestPinCode"), "InvalidArgs"), (Question("RequestPasskey", .uint32(1)), "InvalidArgs"),
            (Question("RequestAuthorization", .bytes([1])), "InvalidArgs"),
            (Question("DisplayPasskey", device, .uint32(1)), "InvalidArgs"),
            (Question("DisplayPinCode", device, .uint32(1)), "InvalidArgs"),
            (Question("AuthorizeService", device), "InvalidArgs"),
            (Question("AuthorizeService", device, .string("no UUID")), "Rejected"),
            (Question("RequestPasskey", .path(Self.stranger)), "Rejected"), (Question("Sing"), "UnknownMethod"),
        ]
        try await withAgent { manager, bluez in
            let listener = await PromptListener.listen(to: manager)
            await manager.openPairingWindow(for: .seconds(100))
            for (question, error) in rows {
                let answer = try await ask(bluez, question)
                #expect(answer.first == error, "\(question)")
            }
            for (path, interface) in [(Self.pairing, "org.bluez.Other1"), (Messages.adapter, "org.bluez.Agent1")] {
                let message = try await message(Question("Cancel"), to: bluez, at: path, interface)
                #expect(try await ask(bluez, message) == ["UnknownMethod", "no such method"])
            }
            #expect(listener.events.all.isEmpty)
        }
    }

    @Test func `each question of bluetoothd's gets the answer that was given to its prompt`() async throws {
        let service = "0000180d-0000-1000-8000-00805f9b34fb"
        let device = DBusValue.path(Messages.device)
        let rows: [(Question, PairingAnswer, [DBusValue])] = [
            (Self.confirm, .accept, []), (Question("RequestPasskey", device), .passkey(7), [.uint32(7)]),
            (Question("RequestPinCode", device), .pin("0000"), [.string("0000")]),
            (Question("RequestAuthorization", device), .accept, []),
            (Question("AuthorizeService", device, .string(service)), .accept, []),
        ]
        try await withAgent { manager, bluez in
            await manager.openPairingWindow(for: .seconds(100))
            let answers = Locked<[PairingAnswer]>(rows.map(\.1))
            let listener = await PromptListener.listen(to: manager) { _ in answers.withLock { $0.removeFirst() } }
            for (question, _, values) in rows {
                let answer = try await ask(bluez, question)
                #expect(answer == values.map { "\($0)" }, "\(question)")
            }
            let kinds: [PairingPrompt.Kind] = [
                .confirm(passkey: 42), .passkey, .pin, .authorize, .authorizeService(0x180D),
            ]
            #expect(listener.kinds == kinds)
            #expect(listener.ends == kinds.map { _ in .answered })
            answers.withLock { $0 = [.reject] }
            let refused = try await ask(bluez, Self.confirm)
            #expect(refused == ["Rejected", "refused"])
            #expect(listener.ends.last == .rejected)
        }
    }

    @Test func `a number that is shown needs no answer, and changes as it is typed in`() async throws {
        try await withAgent { manager, bluez in
            await manager.openPairingWindow(for: .seconds(100))
            let listener = await PromptListener.listen(to: manager)
            let device = DBusValue.path(Messages.device)
            for entered: UInt16 in [0, 1, 1] {
                let question = Question("DisplayPasskey", device, .uint32(42), .uint16(entered))
                #expect(try await ask(bluez, question).isEmpty)
            }
            #expect(try await ask(bluez, Question("DisplayPinCode", device, .string("1234"))).isEmpty)
            #expect(listener.kinds == [.display(passkey: 42, entered: 0), .displayPin("1234")])
            let changes = listener.events.all.filter { if case .changed = $0 { true } else { false } }
            #expect(changes.count == 1)
            let shown = try #require(await manager.pairingPrompts.first { $0.kind == .displayPin("1234") })
            #expect(await manager.answer(shown.id, .accept) == .unfit(.displayPin("1234")))
            // What is shown is not asked: bluetoothd's `Cancel` does not end it, the end of the link does.
            #expect(try await ask(bluez, Question("Cancel")).isEmpty)
            #expect(listener.ends.isEmpty)
            try await bluez.tell([("Connected", .bool(false))])
            try await listener.events.wait(2) { if case .ended = $0 { true } else { false } }
            #expect(listener.ends == [.cancelled, .cancelled])
        }
    }

    @Test func `more prompts than there may be are refused, and bluetoothd can take all back`() async throws {
        try await withAgent { manager, bluez in
            await manager.openPairingWindow(for: .seconds(100))
            let listener = await PromptListener.listen(to: manager)
            let answers = Log<String>()
            for _ in 0..<8 { try await begin(bluez, Self.confirm, answers) }
            #expect(try await ask(bluez, Self.confirm) == ["Rejected", "too many prompts are open"])
            #expect(await manager.pairingPrompts.count == 8)
            #expect(try await ask(bluez, Question("Cancel")).isEmpty)
            #expect(listener.ends == Array(repeating: .cancelled, count: 8))
            #expect(await manager.pairingPrompts.isEmpty)
            #expect(answers.all.isEmpty)
        }
    }

    @Test func `an open question ends with the link, with its time, and with the window`() async throws {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.promptLimit = .milliseconds(200)
        try await withAgent(configuration: configuration) { manager, bluez in
            await manager.openPairingWindow(for: .seconds(100))
            let listener = await PromptListener.listen(to: manager)
            #expect(try await ask(bluez, Self.confirm) == ["Canceled", "nobody answered"])
            await manager.setPromptLimit(.seconds(100))
            let answers = Log<String>()
            try await begin(bluez, Self.confirm, answers)
            try await listener.events.wait(2) { if case .prompt = $0 { true } else { false } }
            try await bluez.tell([("Connected", .bool(false))])
            #expect(try await answers.first(1) == ["the pairing has ended"])
            try await begin(bluez, Self.confirm, answers)
            try await listener.events.wait(3) { if case .prompt = $0 { true } else { false } }
            await manager.closePairingWindow()
            #expect(try await answers.first(2).last == "the time for pairing is over")
            #expect(listener.ends == [.expired, .cancelled, .cancelled])
            #expect(try await ask(bluez, Self.confirm) == ["Rejected", "nobody has asked to pair this device"])
        }
    }

    @Test func `an agent that bluetoothd lets go is registered again, its prompts are over`() async throws {
        try await withAgent { manager, bluez in
            await manager.openPairingWindow(for: .seconds(100))
            let listener = await PromptListener.listen(to: manager)
            try await begin(bluez, Self.confirm, Log<String>())
            try await listener.events.wait { if case .prompt = $0 { true } else { false } }
            #expect(try await ask(bluez, Question("Release")).isEmpty)
            #expect(listener.ends == [.cancelled])
            let found = try await manager.inspect(within: .seconds(50))
            guard case .refused(let failure) = found.registration else {
                Issue.record("\(found.registration)")
                return
            }
            #expect(failure.detail == "bluetoothd has released the agent")
            _ = try await bluez.call("RegisterAgent", count: 2)
            // The window is still open: the new one is to be asked as well.
            _ = try await bluez.call("RequestDefaultAgent", count: 2)
            #expect(try await manager.inspect(within: .seconds(50)).registration == .registered(.keyboardDisplay))
        }
    }

    @Test func `an agent that bluetoothd does not allow is not asked for again`() async throws {
        let denied = "org.freedesktop.DBus.Error.AccessDenied"
        try await withPeer(answer: { try $0.errorReply(denied, "no") }) { manager, bluez in
            _ = try await bluez.call("RegisterAgent")
            let cause = await cause { try await manager.peripheral(Devices.heart).pair(timeout: .seconds(50)) }
            #expect(cause == Cause(.unauthorized, .operate))
            #expect(bluez.calls.all.count { $0 == "Pair" } == 0)
        }
    }
}

extension BluetoothManager {
    /// Takes another time for prompts, as a change of the configuration does.
    fileprivate func setPromptLimit(_ limit: Duration) {
        var settings = Configuration.impatient
        settings.promptLimit = limit
        take(settings)
    }
}
