import BleCore
import EdgeAgent
import EventLoop
import Foundation
import Testing

/// What each check says of what it may find, and the page about it.
@Suite(.timeLimit(.minutes(10)))
struct DoctorCaseTests {
    private func page() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/doctor.md")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test(arguments: DoctorCase.all)
    func `a fault has its status and says exactly what to do`(one: DoctorCase) {
        #expect(one.finding.status == one.status)
        #expect(one.finding.mend?.contains(one.mend) == true, "\(one.finding.mend ?? "nothing")")
        #expect(!one.finding.text.isEmpty && !one.finding.text.contains("\n"))
    }

    @Test func `the page has each fault with its mend`() throws {
        let page = try page()
        for one in DoctorCase.all { #expect(page.contains("\n\(one.row)\n"), "\(one.row)") }
    }

    @Test func `the page has each check with what it looks at and needs, in order`() throws {
        let page = try page()
        var rows = ""
        for check in Check.all {
            let needs = check.needs.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            rows += "| `\(check.name.rawValue)` | \(check.name.summary) | \(needs) |\n"
        }
        #expect(page.contains(rows), "\(rows)")
    }

    @Test func `the page has no check, fault or flag that does not exist`() throws {
        let known = Set(DoctorCase.all.map(\.row))
        let names = Set(CheckName.allCases.map(\.rawValue))
        let flags = Set((CommandLineFlag.all + CommandLineFlag.doctor).map(\.name) + ["--help"])
        for line in try page().split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let name = cells[0].trimmingCharacters(in: ["`"])
            if name.hasPrefix("--") {
                #expect(flags.contains(String(name.prefix { $0 != " " })), "\(line)")
            } else {
                #expect(names.contains(name), "\(line)")
                let isCheck = CheckName(rawValue: name)?.summary == cells[1]
                #expect(isCheck || known.contains(String(line)), "\(line)")
            }
        }
    }

    @Test func `the page names each flag of the doctor's own`() throws {
        let page = try page()
        for flag in CommandLineFlag.doctor { #expect(page.contains("`\(flag.name)"), "\(flag.name)") }
    }

    @Test func `each check that can fail has a case, and what it needs stands before it`() {
        let covered = Set(DoctorCase.all.map(\.name))
        #expect(covered == Set(CheckName.allCases))
        var seen: Set<CheckName> = []
        for check in Check.all {
            #expect(seen.isSuperset(of: check.needs), "\(check.name)")
            seen.insert(check.name)
        }
    }

    @Test func `a key that a mend names is one of the configuration`() throws {
        let keys = Set(ConfigurationKey.all.map(\.path))
        let sections = Set(keys.compactMap { $0.contains(".") ? String($0.prefix { $0 != "." }) : nil })
        for one in DoctorCase.all {
            for match in (one.finding.mend ?? "").matches(of: /\b([a-z]+)\.[a-z][A-Za-z]+\b/) {
                guard sections.contains(String(match.1)), match.0 != "bluetooth.service" else { continue }
                #expect(keys.contains(String(match.0)), "\(match.0)")
            }
        }
    }

    @Test(arguments: [
        ("usb:v1D6Bp0246d0542", "5.66"), ("usb:v1d6bp0246d0549", "5.73"), ("usb:v1D6Bp0246d05", nil),
        ("bluetooth:v1D6Bp0246d0542", nil), ("", nil), ("usb:v1D6Bp0246d05ZZ", nil),
    ])
    func `BlueZ's version is read from what it calls itself`(text: String, version: String?) {
        #expect(BluetoothInspection.version(inModalias: text) == version)
    }

    @Test func `a resolver that does not answer is given up, and what needs an address is left out`() async throws {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (resolver, end) = (ends[0], ends[1])
        // What hangs ends with the test.
        defer { close(end) }
        var configuration = Configuration(gateway: "gw")
        configuration.broker.host = "broker.example"
        configuration.mqtt.connectTimeout = .milliseconds(100)
        var subject = Doctor.Subject(
            configuration: configuration,
            configurationFinding: .ok("as given"),
            host: DoctorCase.host
        )
        subject.resolve = { (_, _) throws(BrokerReach.NotResolved) in
            var byte: UInt8 = 0
            _ = read(resolver, &byte, 1)
            close(resolver)
            return []
        }
        // Nobody runs the manager: these checks need no Bluetooth.
        let doctor = Doctor(subject, manager: try BluetoothManager(), loop: loop)
        let name = await doctor.examine(.brokerName)
        #expect(name == BrokerJudge.silentResolver(configuration.broker, after: .milliseconds(100)))
        #expect(await doctor.examine(.brokerConnection) == .skipped("no address of broker.example is known"))
    }

    @Test func `a lock is found in the kernel's list by its file alone`() {
        let list = """
            1: POSIX  ADVISORY  WRITE 14547 fe:00:77 1073741824 1073742335
            2: FLOCK  ADVISORY  WRITE 14512 fe:00:78 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 14513 fe:00:79 0 EOF
            nonsense
            3: FLOCK
            """
        #expect(StateFacts.isLocked(78, in: list) && StateFacts.isLocked(79, in: list))
        #expect(!StateFacts.isLocked(77, in: list) && !StateFacts.isLocked(7, in: list))
    }

    @Test(arguments: [
        ("         0          0 4294967295\n", false), ("0 100000 65536", true), ("1000 0 1", true), ("", false),
    ])
    func `mapped users are seen in the kernel's map`(map: String, isMapped: Bool) {
        #expect(HostFacts.hasMappedUsers(map) == isMapped)
    }

    @Test func `a user's name is read from a file of users`() {
        let file = "root:x:0:0:root:/root:/bin/sh\nbroken\nedge-agent:x:998:998::/:/bin/false\n"
        #expect(UserName.name(of: 998, in: file) == "edge-agent" && UserName.name(of: 7, in: file) == nil)
    }

    @Test func `rfkill's switches are read from the kernel's files`() throws {
        try withTemporaryDirectory { directory in
            for (number, kind, soft, hard) in [
                (0, "bluetooth", "1", "0"), (1, "wlan", "1", "1"), (2, "bluetooth", "0", "1"),
            ] {
                let folder = "\(directory)/rfkill\(number)"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                for (file, text) in [("type", kind), ("soft", soft), ("hard", hard), ("name", "hci\(number)")] {
                    try writeFile(text + "\n", to: "\(folder)/\(file)")
                }
            }
            let found = RadioSwitch.all(under: directory)
            #expect(
                found == [
                    RadioSwitch(name: "hci0", isSoftBlocked: true, isHardBlocked: false),
                    RadioSwitch(name: "hci2", isSoftBlocked: false, isHardBlocked: true),
                ]
            )
        }
    }

    @Test func `a result is a line, and what others have said cannot break it`() {
        let result = CheckResult(.bus, .failed("a\nb\u{1B}[2J", mend: "do this"))
        #expect(result.text.split(separator: "\n").count == 2)
        #expect(result.text.hasPrefix("bus ") && result.text.contains("FAILED: a\\nb"))
        #expect(result.text.contains("\n") && result.text.hasSuffix("mend: do this\n"))
        #expect(!result.text.contains("\u{1B}"))
        #expect(
            CheckResult.json([result]).hasPrefix(#"{"ok":false,"checks":[{"name":"bus","status":"failed","text":"a\nb"#)
        )
        #expect(CheckResult.areWell([CheckResult(.bus, .skipped("x")), CheckResult(.bus, .warning("x", mend: "y"))]))
    }
}
