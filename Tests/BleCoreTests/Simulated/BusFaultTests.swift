import BleCore
import DBus
import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// Why the bus is not reached, as it is told to those who write it down.
@Suite(.timeLimit(.minutes(10))) struct BusFaultTests {
    @Test
    func `why the bus is not reached is told once, however often it is tried, and again when it is another reason`()
        async throws
    {
        let directory = FileManager.default.temporaryDirectory.appending(path: "fault-" + UUID().uuidString.prefix(13))
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }  // what stays behind in /tmp harms nobody
        let path = directory.path + "/bus"
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        try await withManager(at: BusAddress("unix:path=\(path)"), on: loop) { manager, faults in
            let missing = try await faults.first(1)[0]
            #expect(missing.name == "org.freedesktop.DBus.Error.FileNotFound" && missing.message.contains(path))
            let silent = try SilentBus(at: path)
            defer { silent.close() }
            try await silent.attempts.wait(5) { _ in true }
            let (state, all) = (await manager.state, faults.all)
            #expect(all.count == 2 && all.last?.name != missing.name, "\(all)")
            #expect(state == .absent)
        }
    }

    @Test func `a bus that refuses the login is told with its own words`() async throws {
        let nobody = #"<policy context="mandatory"><deny user="*"/></policy>"#
        try await withPrivateBus(policy: nobody) { bus in
            try await withManager(at: bus.address, on: bus.loop) { _, faults in
                let fault = try await faults.first(1)[0]
                #expect(fault.name.hasPrefix("org.freedesktop.DBus.Error.") && !fault.message.isEmpty, "\(fault)")
                try await bus.kill()
                try await faults.wait { $0.name == "org.freedesktop.DBus.Error.NoServer" }
            }
        }
    }

    /// Runs a manager that tries again at once.
    private func withManager(
        at address: BusAddress,
        on loop: EventLoop,
        _ body: (BluetoothManager, TestSupport.Log<BusFault>) async throws -> Void
    ) async throws {
        var configuration = BluetoothManager.Configuration()
        configuration.busRetry = .milliseconds(1) ... .milliseconds(5)
        let manager = BluetoothManager(configuration: configuration, bus: address, loop: loop, worker: Worker())
        let faults = TestSupport.Log<BusFault>()
        await manager.observeBusFaults { faults.append($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await manager.run() }
            try await body(manager, faults)
            group.cancelAll()
        }
    }
}

/// A socket where a bus should be, that takes connections and closes them without a word.
private final class SilentBus: Sendable {
    let attempts = TestSupport.Log<Int>()
    private let descriptor: Int32

    init(at path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        self.descriptor = descriptor
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0 && listen(descriptor, 8) == 0)
        try startDetachedThread { [attempts] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                Glibc.close(connection)
                attempts.append(1)
            }
            Glibc.close(descriptor)
        }
    }

    /// Ends it: nobody is taken any more.
    func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
