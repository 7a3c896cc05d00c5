internal import EventLoop
internal import Glibc
internal import Journal

/// `journal-writer`: what the tests of the journal kill, and what runs out of disk.
///
///     journal-writer lives DIRECTORY OUTSTANDING process|power
///         takes commands through their lives until it is killed, and says each step once it is kept
///     journal-writer idle DIRECTORY 1
///         takes one and does nothing more
///     journal-writer confined DIRECTORY BYTES
///         may write no file beyond that size: accepts until it is refused, ends a thousand, gets more room, goes on
@main
struct Main {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let number = Int(arguments[3]) else { exit(64) }
        let loop = try EventLoop()
        var settings = JournalSettings(directory: arguments[2])
        settings.windowCount = .max
        settings.windowBytes = .max
        switch arguments[1] {
        case "lives":
            settings.durability = arguments.count > 4 && arguments[4] == "power" ? .power : .process
            let lives = Lives(settings, loop, outstanding: number)
            loop.execute { lives.start() }
        case "idle":
            let lives = Lives(settings, loop, outstanding: number)
            loop.execute { lives.startOne() }
        case "confined":
            settings.retryGap = .milliseconds(20)
            let confined = Confined(settings, loop, bytes: number)
            loop.execute { confined.start() }
        default: exit(64)
        }
        loop.run()
    }

    /// Writes a line at once: what has been said was kept before.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(74) }
    }

    /// Bytes that follow from a seed, as the tests know them.
    static func content(_ seed: Int64, _ count: Int) -> [UInt8] {
        (0..<Int64(count)).map { UInt8(truncatingIfNeeded: (seed &+ 1) &* 31 &+ $0 &* 7) }
    }

    static func entry(_ number: Int64) -> JournalEntry {
        JournalEntry(
            number: number,
            key: JournalKey(client: "anna", isIdentified: true, id: "id-\(number)"),
            fingerprint: content(number, 32),
            request: content(number &+ 1, 40),
            createdMs: 1_000_000,
            expiresMs: 1_600_000,
            windowEndsMs: .max
        )
    }

    static func result(_ id: Int64) -> OutboxMessage {
        OutboxMessage(id: id, messageClass: .result, createdMs: 1_000_000, head: content(id, 20), payload: nil)
    }
}

/// Commands side by side, each accepted, begun, ended and acknowledged.
final class Lives: @unchecked Sendable {
    // Safe because: it is used on the loop alone.
    private let store: JournalStore
    private let outstanding: Int

    init(_ settings: JournalSettings, _ loop: EventLoop, outstanding: Int) {
        store = JournalStore(settings, loop: loop)
        self.outstanding = outstanding
    }

    func start() {
        store.onState = { [self] state in
            Main.say("\(state)")
            guard state == .working else { exit(1) }
            for _ in 0..<outstanding { live() }
        }
        store.open()
    }

    func startOne() {
        store.onState = { [self] _ in
            store.accept(Main.entry(1)) { if case .success(.accepted) = $0 { Main.say("accepted 1") } }
        }
        store.open()
    }

    private func live() {
        let number = store.newNumber()
        store.accept(Main.entry(number)) { [self] result in
            guard case .success(.accepted) = result else { return Main.say("failed \(number): \(result)") }
            Main.say("accepted \(number)")
            store.begin(number) { [self] result in
                guard case .success = result else { return Main.say("failed \(number): \(result)") }
                Main.say("begun \(number)")
                end(number)
            }
        }
    }

    private func end(_ number: Int64) {
        let message = Main.result(store.newMessageID())
        let answer = Main.content(number &+ 2, 60)
        store.end(number, answer: answer, publications: [message]) { [self] result in
            guard case .success = result else { return Main.say("failed \(number): \(result)") }
            Main.say("ended \(number) \(message.id)")
            // Every third waits for its acknowledgement for ever.
            guard number % 3 != 0 else { return live() }
            store.remove([message.id]) { [self] result in
                guard case .success = result else { return Main.say("failed \(number): \(result)") }
                Main.say("removed \(number)")
                live()
            }
        }
    }
}

/// A journal on what is like a full disk, until it is not.
final class Confined: @unchecked Sendable {
    // Safe because: it is used on the loop alone.
    private let store: JournalStore
    private let loop: EventLoop
    private let bytes: Int
    private var accepted: [Int64] = []
    private var isFreed = false

    init(_ settings: JournalSettings, _ loop: EventLoop, bytes: Int) {
        store = JournalStore(settings, loop: loop)
        self.loop = loop
        self.bytes = bytes
    }

    func start() {
        signal(SIGXFSZ, SIG_IGN)
        limit(rlim_t(bytes))
        store.onState = { [self] state in
            Main.say("state \(state)")
            guard state == .working else { return }
            if accepted.isEmpty { accept() } else if isFreed { goOn() }
        }
        store.open()
    }

    private func limit(_ bytes: rlim_t) {
        var limit = rlimit(rlim_cur: bytes, rlim_max: .max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(71) }
    }

    private func accept() {
        let number = store.newNumber()
        store.accept(Main.entry(number)) { [self] result in
            switch result {
            case .success:
                accepted.append(number)
                accept()
            case .failure(let failure):
                Main.say("refused after \(accepted.count): \(failure)")
                end(accepted.prefix(1000))
            }
        }
    }

    private func end(_ rest: ArraySlice<Int64>) {
        guard let number = rest.first else {
            Main.say("all ended")
            isFreed = true
            limit(.max)
            return store.state == .working ? goOn() : ()
        }
        let message = Main.result(store.newMessageID())
        store.end(number, answer: Main.content(number &+ 2, 60), publications: [message]) { [self] result in
            if case .failure(let failure) = result { Main.say("not ended \(number): \(failure)") }
            end(rest.dropFirst())
        }
    }

    private func goOn() {
        store.accept(Main.entry(store.newNumber())) { [self] result in
            if case .success(.accepted) = result { Main.say("accepted again") }
            store.close { [self] inTime in
                Main.say("closed \(inTime)")
                loop.stop()
            }
        }
    }
}
