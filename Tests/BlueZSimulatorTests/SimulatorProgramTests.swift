import BlueZSimulator
import DBus
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
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

    /// The program, built beside the tests.
    private static var path: String {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("bluez-simulator").path
    }
}
