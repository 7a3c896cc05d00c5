package import DBus
package import EventLoop
import Foundation

/// A message bus of a test's own, on a private socket, with a loop for the test's connections.
package struct PrivateBus: Sendable {
    package let address: BusAddress
    package let loop: EventLoop
    package let worker: Worker
    private let daemon: ChildProcess

    fileprivate static func start(in directory: URL, policy: String, loop: EventLoop) async throws -> PrivateBus {
        let address = "unix:path=\(directory.path)/bus"
        let file = directory.appendingPathComponent("bus.conf")
        try configuration(address, policy).write(to: file, atomically: true, encoding: .utf8)
        let daemon = try await ChildProcess.spawn(
            "/usr/bin/dbus-daemon",
            ["--config-file=\(file.path)", "--nofork", "--nosyslog", "--print-address=1"]
        )
        try await daemon.waitFor("unix:path=")
        return PrivateBus(address: BusAddress(address), loop: loop, worker: Worker(), daemon: daemon)
    }

    /// Connects another client, on the loop of this bus.
    package func connect() async throws -> DBusConnection {
        try await DBusConnection.open(address, on: loop, worker: worker)
    }

    /// Kills the bus: every connection ends.
    package func kill() async throws { try await daemon.kill() }

    private static func configuration(_ address: String, _ policy: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>system</type>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow receive_sender="*" eavesdrop="true"/>
          </policy>
          \(policy)
          <limit name="max_outgoing_bytes">1000000000</limit>
          <limit name="max_incoming_bytes">1000000000</limit>
          <limit name="max_connections_per_user">4096</limit>
          <limit name="max_completed_connections">4096</limit>
          <limit name="max_match_rules_per_connection">4096</limit>
          <limit name="max_replies_per_connection">50000</limit>
        </busconfig>
        """
    }
}

/// Runs a test with a message bus of its own, which is killed by its process id at the end.
///
/// - Parameters:
///   - policy: further elements of its configuration, after the policy that allows everything.
///   - body: gets the bus; connections that it leaves open end with the bus.
/// - Returns: what the body returns.
/// - Throws: what the body throws, or why there is no bus.
package func withPrivateBus<Value>(
    policy: String = "",
    _ body: (PrivateBus) async throws -> Value
) async throws -> Value {
    let directory = URL(fileURLWithPath: NSTemporaryDirectory())
        .appendingPathComponent("bus-" + UUID().uuidString.prefix(13))
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let loop = try EventLoop.startThread()
    defer {
        loop.stop()
        do { try FileManager.default.removeItem(at: directory) } catch { print("left behind: \(directory.path)") }
    }
    let bus = try await PrivateBus.start(in: directory, policy: policy, loop: loop)
    let result: Result<Value, any Error>
    do { result = .success(try await body(bus)) } catch { result = .failure(error) }
    try await bus.kill()
    return try result.get()
}
