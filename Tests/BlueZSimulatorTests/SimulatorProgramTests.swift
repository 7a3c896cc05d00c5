import BlueZSimulator
import DBus
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SimulatorProgramTests {
    @Test func `options are read and bad ones refused`() throws {
        let options = try #require(
            try SimulatorOptions.parse(["--seed", "7", "--devices", "3", "--disconnect-delay", "0", "--bus", "unix:x"])
        )
        #expect(options.settings.seed == 7)
        #expect(options.settings.disconnectDelay == .zero)
        #expect(options.settings.connectTimeout == .seconds(4))
        #expect(options.bus.text == "unix:x")
        #expect(options.adapters.first?.devices.count == 10)
        #expect(try SimulatorOptions.parse(["--help"]) == nil)
        for arguments in [["--seed"], ["--seed", "-1"], ["--devices", "65537"], ["--devices", "x"], ["something"]] {
            #expect(throws: SimulatorOptions.Refusal.self) { try SimulatorOptions.parse(arguments) }
        }
    }

    @Test func `the program says when it is ready, answers, and ends with a signal`() async throws {
        try await withPrivateBus { bus in
            let program = try await ChildProcess.spawn(Self.path, ["--bus", bus.address.text, "--fast"])
            try await program.waitFor("ready: org.bluez")
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            program.send(SIGTERM)
            #expect(try await program.exitStatus() == 0)
            #expect(program.errors.isEmpty)
        }
    }

    @Test func `a taken name, a missing bus, a lost bus and a bad option have a line and a code each`() async throws {
        try await withSimulator(devices: []) { bus, simulator in
            let second = try await ChildProcess.spawn(Self.path, ["--bus", bus.address.text])
            #expect(try await second.exitStatus() == 69)
            #expect(second.errors.hasSuffix("owns org.bluez on \(bus.address.text)\n"))
            await simulator.leaveBus()
            let third = try await ChildProcess.spawn(Self.path, ["--bus", bus.address.text])
            try await third.waitFor("ready")
            try await bus.kill()
            #expect(try await third.exitStatus() == 75)
            #expect(third.errors == "bluez-simulator: the bus ended the connection\n")
            let fourth = try await ChildProcess.spawn(Self.path, ["--bus", bus.address.text])
            #expect(try await fourth.exitStatus() == 75)
            #expect(fourth.errors.contains("no bus at unix:path="))
        }
        let fifth = try await ChildProcess.spawn(Self.path, ["--sed"])
        #expect(try await fifth.exitStatus() == 64)
        #expect(fifth.errors == "bluez-simulator: unknown option --sed (--help lists the options)\n")
    }

    @Test func `a scenario's world is there, its faults happen, and calls go to the log`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { removeTemporary(directory) }
        let file = directory.appending(path: "scenario.yaml")
        let log = directory.appending(path: "calls.jsonl").path
        let text = """
            devices: [{like: heart, known: true}]
            faults: [{member: Connect, steps: [{error: {name: Failed, text: as written}}]}]
            """
        try text.write(to: file, atomically: true, encoding: .utf8)
        try await withPrivateBus { bus in
            let arguments = ["--bus", bus.address.text, "--scenario", file.path, "--log", log]
            let program = try await ChildProcess.spawn(Self.path, arguments)
            try await program.waitFor("ready: org.bluez, hci0, Sim Heart\n")
            let client = try await SimulatorClient.connect(to: bus)
            await #expect(throws: bluezError("Failed", "as written")) {
                try await client.call(Places.heart, Places.device, "Connect")
            }
            program.send(SIGTERM)
            #expect(try await program.exitStatus() == 0)
            #expect(try String(contentsOfFile: log, encoding: .utf8).contains("\"member\":\"Connect\""))
        }
        try "seed: x\nfaults: [{member: A}]".write(to: file, atomically: true, encoding: .utf8)
        let wrong = try await ChildProcess.spawn(Self.path, ["--scenario", file.path])
        #expect(try await wrong.exitStatus() == 65)
        #expect(wrong.errors.contains("\nline 1: seed: expected a whole number"))
        #expect(wrong.errors.contains("\nline 2: faults[0]: needs the key \"steps\""))
        let missing = try await ChildProcess.spawn(Self.path, ["--scenario", "/nowhere/x.yaml"])
        #expect(try await missing.exitStatus() == 66)
        let unwritable = try await ChildProcess.spawn(Self.path, ["--log", "/nowhere/x"])
        #expect(try await unwritable.exitStatus() == 73)
        #expect(throws: SimulatorOptions.Refusal(text: "--fast does not go with --scenario: the file says it")) {
            try SimulatorOptions.parse(["--scenario", "x", "--fast"])
        }
    }

    /// The program, built beside the tests.
    private static var path: String {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("bluez-simulator").path
    }
}

private func removeTemporary(_ directory: URL) {
    do { try FileManager.default.removeItem(at: directory) } catch { print("left behind: \(directory.path)") }
}
