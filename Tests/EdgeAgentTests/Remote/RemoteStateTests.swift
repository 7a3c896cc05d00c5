import EdgeAgent
import TestSupport
import Testing

/// One that is asked for, by its text.
private func desired(_ text: String) -> DesiredConfiguration? { DesiredConfiguration(Array(text.utf8)) }

/// A check that refuses what begins with `bad`.
private func check(_ desired: DesiredConfiguration) -> RemoteProblems? {
    desired.payload.starts(with: Array("bad".utf8)) ? RemoteProblems([.init(key: "x", "is bad")]) : nil
}

/// A state whose calls may stand in an expectation.
@dynamicMemberLookup
private final class Owned {
    private var state: RemoteState

    init(_ state: RemoteState = RemoteState()) { self.state = state }

    subscript<Value>(dynamicMember path: KeyPath<RemoteState, Value>) -> Value { state[keyPath: path] }
    func asked(_ desired: DesiredConfiguration?) -> RemoteState.Step { state.asked(desired, check: check) }
    func overlong(_ problems: RemoteProblems) -> RemoteState.Step { state.overlong(problems) }
    func confirmed(isWhole: Bool) -> Bool { state.confirmed(isWhole: isWhole) }
    func failed(_ reason: String) -> RemoteState.Step { state.failed(reason) }
    func takeWaiting() -> DesiredConfiguration?? { state.takeWaiting() }
    func leave(_ problems: RemoteProblems) { state.leave(problems) }
}

@Suite(.timeLimit(.minutes(10)))
struct RemoteStateTests {
    private let one = desired("one")
    private let two = desired("two")
    private let bad = desired("bad")

    @Test func `one that is asked for is tried, confirmed and kept`() {
        let state = Owned()
        #expect(state.name == .none && state.lastHash == nil)
        #expect(state.asked(one) == .begin(one))
        #expect(state.isOnTrial && state.name == .trial && state.memory.desired == one)
        #expect(state.confirmed(isWhole: true))
        #expect(state.name == .applied && state.memory.tested == one && state.lastHash == one?.hash)
        // The broker sends it again at each connect.
        #expect(state.asked(one) == .nothing)
        #expect(!state.confirmed(isWhole: true))
        #expect(state.asked(nil) == .begin(nil))
        _ = state.confirmed(isWhole: true)
        #expect(state.name == .none && state.memory == RemoteMemory())
    }

    @Test func `one that is wrong changes nothing, and is told`() {
        let state = Owned()
        _ = state.asked(one)
        _ = state.confirmed(isWhole: true)
        #expect(state.asked(bad) == .tell)
        #expect(state.name == .rejected && state.lastHash == bad?.hash && state.memory.desired == one)
        #expect(state.rejected?.problems.list.map(\.text) == ["is bad"])
        #expect(state.asked(bad) == .nothing)
        #expect(state.overlong(RemoteProblems([.init(key: nil, "long")])) == .tell)
        #expect(state.name == .rejected && state.lastHash == nil)
        // Back to what holds anyway.
        #expect(state.asked(one) == .tell)
        #expect(state.name == .applied && state.rejected == nil)
    }

    @Test func `one that the broker does not confirm is taken back, and not tried again`() {
        let state = Owned()
        _ = state.asked(one)
        _ = state.confirmed(isWhole: true)
        #expect(state.asked(two) == .begin(two))
        #expect(state.failed("away") == .restore(one))
        #expect(state.name == .rolledBack && state.memory.desired == one)
        #expect(state.memory.refused == .init(hash: two?.hash ?? "", reason: "away"))
        #expect(state.asked(two) == .nothing)
        #expect(state.failed("again") == .nothing)
        // Something else in between, and it may be tried again.
        #expect(state.asked(one) == .tell)
        #expect(state.name == .applied)
        #expect(state.asked(two) == .begin(two))
    }

    @Test func `during a trial the newest waits`() {
        let state = Owned()
        _ = state.asked(one)
        #expect(state.takeWaiting() == .none)
        #expect(state.asked(bad) == .nothing)
        #expect(state.asked(two) == .nothing)
        _ = state.confirmed(isWhole: true)
        #expect(state.takeWaiting() == .some(two))
        #expect(state.takeWaiting() == .none)
        _ = state.asked(two)
        // Nothing any more, and then again what is tried.
        #expect(state.asked(nil) == .nothing)
        #expect(state.asked(two) == .nothing)
        _ = state.confirmed(isWhole: true)
        #expect(state.takeWaiting() == .none && state.memory.desired == two)
    }

    @Test func `a start does not use what was on trial`() {
        let state = Owned()
        _ = state.asked(one)
        _ = state.confirmed(isWhole: true)
        _ = state.asked(two)
        var memory = state.memory
        memory.start()
        #expect(memory.desired == one && memory.phase == .settled && memory.refused?.hash == two?.hash)
        #expect(RemoteState(memory).name == .rolledBack)
    }

    @Test func `what waits for a start is tried by it, once`() {
        var state = Owned()
        _ = state.asked(one)
        _ = state.confirmed(isWhole: true)
        _ = state.asked(two)
        _ = state.confirmed(isWhole: false)
        #expect(state.name == .applied && state.memory.tested == one)
        var memory = state.memory
        memory.start()
        #expect(memory.phase == .starting && memory.desired == two)
        // It did not come up.
        var again = memory
        again.start()
        #expect(again.desired == one && again.phase == .settled && again.refused?.hash == two?.hash)
        // It did.
        state = Owned(RemoteState(memory))
        #expect(state.confirmed(isWhole: true))
        #expect(state.memory.tested == two && state.memory.phase == .settled)
    }

    @Test func `what does not go with the file is left`() {
        let state = Owned()
        _ = state.asked(one)
        _ = state.confirmed(isWhole: true)
        state.leave(RemoteProblems([.init(key: "a", "b")]))
        #expect(state.name == .rejected && state.memory.desired == nil && state.rejected?.hash == one?.hash)
    }

    @Test func `the file of the memory is read as it was written`() throws {
        var memory = RemoteMemory()
        #expect(try RemoteMemory.decode(memory.encode(), path: "f") == memory)
        (memory.desired, memory.former, memory.tested) = (desired(#"{"a":"ü\n"}"#), one, two)
        memory.phase = .trial
        memory.refused = .init(hash: "5d", reason: "\"why\"")
        #expect(try RemoteMemory.decode(memory.encode(), path: "f") == memory)
    }

    @Test(arguments: [
        ("", "f: is no JSON that can be read"), ("[]", "f: has no version"), ("{}", "f: has no version"),
        (#"{"version":2}"#, "f: has schema version 2, this agent knows versions up to 1"),
        (#"{"version":1}"#, "f: has no phase"), (#"{"version":1,"phase":"x"}"#, "f: has no phase"),
    ])
    func `a file that is none is refused with what is wrong`(_ text: String, _ message: String) {
        let failure = #expect(throws: StateFailure.self) { try RemoteMemory.decode(Array(text.utf8), path: "f") }
        #expect(failure?.description.hasPrefix(message) == true, "\(String(describing: failure))")
    }
}

/// Whatever is asked for, in whatever order brokers and processes die.
@Suite(.timeLimit(.minutes(10)))
struct RemoteWalkTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `nothing holds that was neither confirmed nor is on trial, and nothing is tried twice in a row`(part: UInt64) {
        var confirmations = 0
        var failures = 0
        for seed in (part * 50)..<(part * 50 + 50) {
            var walk = RemoteWalk(seed: seed)
            for step in 0..<80 {
                walk.step()
                guard walk.problems.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(walk.problems)")
                    break
                }
            }
            confirmations += walk.confirmations
            failures += walk.failures
        }
        #expect(confirmations > 100 && failures > 100)
    }
}

/// One random walk, with the owner's part: what it writes down, and what it lets hold.
private struct RemoteWalk {
    private static let offers = ["", "one", "two", "three", "bad"].map { desired($0) }

    private var random: SeededRandom
    private var state = RemoteState()
    private var disk = RemoteMemory()
    /// What the agent runs with.
    private var running: DesiredConfiguration?
    private var confirmed: [DesiredConfiguration?] = [nil]
    private var lastTaken: String?
    private(set) var problems: [String] = []
    private(set) var confirmations = 0
    private(set) var failures = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func step() {
        switch below(10) {
        case 0...3: ask(Self.offers[below(Self.offers.count)])
        case 4...6: confirm()
        case 7: fail()
        default: restart()
        }
        if running?.payload.starts(with: Array("bad".utf8)) == true { problems.append("what is wrong holds") }
        if running != state.memory.desired { problems.append("what holds is not what is said") }
        if !state.isOnTrial, state.memory.phase == .settled, !confirmed.contains(running) {
            problems.append("what was never confirmed holds")
        }
        // Nil is what a file that cannot be read is.
        guard let bytes = try? RemoteMemory.decode(disk.encode(), path: "") else { return problems.append("no file") }
        if bytes != disk { problems.append("the file is another") }
    }

    private mutating func ask(_ offer: DesiredConfiguration?) {
        let before = (running, state.isOnTrial, state.memory.refused?.hash)
        let step = state.asked(offer, check: check)
        if case .begin(let begun) = step {
            if before.1 { problems.append("two trials at once") }
            if let begun, begun.hash == before.2 { problems.append("what was taken back is tried again") }
            if begun == before.0 { problems.append("what holds is tried") }
        }
        carryOut(step)
    }

    private mutating func confirm() {
        guard state.confirmed(isWhole: below(3) > 0) else { return }
        confirmations += 1
        confirmed.append(running)
        disk = state.memory
        if let next = state.takeWaiting() { ask(next) }
    }

    private mutating func fail() {
        let former = state.memory.former
        let step = state.failed("away")
        if case .restore(let restored) = step {
            failures += 1
            if restored != former { problems.append("another one than the former holds") }
        }
        carryOut(step)
        if let next = state.takeWaiting() { ask(next) }
    }

    private mutating func restart() {
        if state.isOnTrial { failures += 1 }
        disk.start()
        state = RemoteState(disk)
        running = state.memory.desired
    }

    private mutating func carryOut(_ step: RemoteState.Step) {
        switch step {
        case .nothing, .tell: break
        case .begin(let desired), .restore(let desired):
            disk = state.memory
            running = desired
        }
    }
}
