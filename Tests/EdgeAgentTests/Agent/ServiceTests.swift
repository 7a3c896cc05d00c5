import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

extension AgentLane3 {
    /// The agent as a service of systemd: the shipped unit, and what the agent tells the service manager.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct ServiceTests {
        private static let deploy = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy").standardized.path

        /// The unit's settings: each value of a name, in order.
        private func unit() throws -> [String: [String]] {
            let text = try String(contentsOfFile: Self.deploy + "/edge-agent.service", encoding: .utf8)
            var settings: [String: [String]] = [:]
            for line in text.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("[") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                settings[String(parts[0]), default: []].append(String(parts[1]))
            }
            return settings
        }

        @Test func `B79: the unit starts in any order, and again however often it fails`() throws {
            let unit = try unit()
            #expect(unit["StartLimitIntervalSec"] == ["0"] && unit["Restart"] == ["always"])
            #expect(unit["Type"] == ["notify"] && unit["WatchdogSec"] == ["60"])
            // No condition keeps it from starting where Bluetooth comes late, and nothing that fails takes it along.
            let ties = ["Requires", "Requisite", "BindsTo", "PartOf", "Upholds"]
            #expect(
                unit.keys.allSatisfy { !$0.hasPrefix("Condition") && !$0.hasPrefix("Assert") && !ties.contains($0) }
            )
            #expect(unit["RestartPreventExitStatus"] == ["64 66 78"])
            #expect(unit["CapabilityBoundingSet"] == [""] && unit["User"] == ["edge-agent"])
        }

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ld.so")))
        func `glibc knows what the unit tunes`() async throws {
            let word = try #require(try unit()["Environment"]?.first)
            let parts = word.split(separator: "=").map(String.init)
            #expect(parts.count == 3 && parts[0] == "GLIBC_TUNABLES")
            // Told back with its value when it was understood.
            let environment = [parts[0]: "\(parts[1])=\(parts[2])"]
            let child = try await ChildProcess.spawn("/usr/bin/ld.so", ["--list-tunables"], environment: environment)
            #expect(try await child.exitStatus() == 0)
            let number = String(try #require(Int(parts[2])), radix: 16)
            #expect(child.output.contains("\(parts[1]): 0x\(number) "), "\(child.output)")
        }

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
        func `B79: systemd takes the unit, and calls it hardly exposed`() async throws {
            let file = Self.deploy + "/edge-agent.service"
            let arguments = ["security", "--offline=true", "--threshold=25", file]
            let child = try await ChildProcess.spawn("/usr/bin/systemd-analyze", arguments)
            let status = try await child.exitStatus()
            #expect(status == 0, "\(child.output)\(child.errors)")
            let verify = try await ChildProcess.spawn("/usr/bin/systemd-analyze", ["verify", file])
            _ = try await verify.exitStatus()
            // The program and its pages are installed elsewhere, if at all.
            let complaints = verify.errors.split(separator: "\n").filter {
                !$0.contains("is not executable") && !$0.contains("Command 'man") && $0.contains("edge-agent.service")
            }
            #expect(complaints.isEmpty, "\(complaints)")
        }

        @Test func `B79: without bluetoothd, adapter and broker the agent is ready, lives, and takes what comes later`()
            async throws
        {
            var setup = AgentSetup()
            setup.world.devices = nil
            setup.world.hasBluez = false
            try await withAgentWorld(setup.world) { world in
                try await withBroker(running: false) { broker in
                    let socket = try NotifySocket()
                    let agent = try await AgentProgram.start(
                        configuration: setup.configuration(port: broker.port),
                        environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "900000"],
                        bus: world.busAddress
                    )
                    try await socket.wait(for: "READY=1")
                    try await socket.wait(for: "STATUS=Broker not connected, Bluetooth absent")
                    try await socket.wait(for: "WATCHDOG=1", count: 3)
                    try await world.returnToBus()
                    try await socket.wait(for: "STATUS=Broker not connected, Bluetooth no-adapter")
                    await world.plugAdapter()
                    try await socket.wait(for: "STATUS=Broker not connected, Bluetooth ready")
                    try await broker.start()
                    try await socket.wait(for: "STATUS=Broker connected, Bluetooth ready")
                    agent.send(SIGTERM)
                    try await socket.wait(for: "STOPPING=1")
                    #expect(try await agent.exitStatus() == 0)
                }
            }
        }

        @Test func `an agent that hangs says nothing more, so that it is started anew`() async throws {
            try await withAgentWorld { world in
                try await withBroker { broker in
                    let socket = try NotifySocket()
                    let agent = try await AgentProgram.start(
                        configuration: AgentSetup().configuration(port: broker.port),
                        environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "600000"],
                        bus: world.busAddress
                    )
                    try await socket.wait(for: "WATCHDOG=1", count: 2)
                    agent.send(SIGSTOP)
                    let count = socket.heard.all.count
                    // Longer than the watchdog waits; another process's life goes on meanwhile.
                    _ = try await ChildProcess.run("/bin/sleep", ["1"])
                    #expect(socket.heard.all.count <= count + 1)
                    agent.send(SIGCONT)
                    try await socket.wait(for: "WATCHDOG=1", count: 4)
                }
            }
        }

        @Test func `the bus's policy allows each call that the agent makes, and no other`() throws {
            let policy = try String(contentsOfFile: Self.deploy + "/package/edge-agent.dbus.conf", encoding: .utf8)
            let allowed = Set(policy.matches(of: /<allow [^>]*send_member="([A-Za-z]+)"/).map { String($0.1) })
            let sources = Self.deploy + "/../Sources/BleCore"
            var called: Set<String> = []
            let files = try #require(FileManager.default.enumerator(atPath: sources))
            for case let file as String in files where file.hasSuffix(".swift") {
                let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
                // A word in quotes that is one of BlueZ's methods, but for what is matched to be answered.
                let known =
                    /"(Get\w*|Set|SetDiscoveryFilter|StartDiscovery|StopDiscovery|RemoveDevice|ConnectDevice|Connect|Disconnect|ConnectProfile|Pair|CancelPairing|ReadValue|WriteValue|Acquire\w+|StartNotify|StopNotify|RegisterAgent|RequestDefaultAgent|UnregisterAgent|RegisterMonitor|UnregisterMonitor)"/
                for line in text.split(separator: "\n") where !line.contains("case (") {
                    for match in line.matches(of: known) { called.insert(String(match.1)) }
                }
            }
            #expect(called == allowed)
        }
    }
}

/// A socket as a service manager has it: what is told, a line an element.
private final class NotifySocket: Sendable {
    let path: String
    let heard = Log<String>()
    private let descriptor: Int32

    init() throws {
        path = NSTemporaryDirectory() + "notify-" + String(UUID().uuidString.prefix(8))
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in bytes.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemFailure("bind") }
        let (end, told) = (descriptor, heard)
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(end, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
                    told.append(String(line))
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        unlink(path)
    }

    func wait(for line: String, count: Int = 1) async throws {
        try await within("\(line) to the service manager: \(heard.all)") { [heard] in
            try await heard.wait(count) { $0 == line }
        }
    }
}
