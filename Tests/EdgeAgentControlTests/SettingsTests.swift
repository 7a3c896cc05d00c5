import EdgeAgent
import EdgeAgentControl
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SettingsTests {
    private func settings(
        _ values: [String: String] = [:],
        _ environment: [String: String] = [:]
    ) throws -> ControlSettings {
        let invocation = ControlInvocation(command: .jobs, operands: [], values: values.mapValues { [$0] })
        return try ControlSettings(invocation, environment: environment)
    }

    private func problems(_ values: [String: String] = [:], _ environment: [String: String] = [:]) -> [String] {
        do {
            _ = try settings(values, environment)
            return []
        } catch {
            return (error as? ControlFailure)?.problems ?? ["\(error)"]
        }
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "ctl-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/.config", withIntermediateDirectories: true)
        // A directory that stays behind in /tmp harms nobody.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `without anything the broker is on this machine`() throws {
        let settings = try settings()
        #expect(settings.broker.description == "mqtt://localhost:1883")
        #expect(settings.gateway == nil && settings.client == "ctl" && settings.wait == .seconds(30))
    }

    @Test func `the command line goes before the environment, which goes before the file`() throws {
        try withFolder { folder in
            let text = """
                # of this site
                --broker mqtt://file.example
                --gateway   from-file
                --prefix=site/a

                --client file

                """
            try write(text, to: folder + "/.config/edge-agent-ctl")
            let environment = ["HOME": folder, "EDGE_AGENT_GATEWAY": "from-environment", "EDGE_AGENT_CLIENT": "env"]
            let settings = try settings(["--client": "line"], environment)
            #expect(settings.broker.host == "file.example")
            #expect(settings.gateway?.text == "from-environment")
            #expect(settings.prefix.text == "site/a")
            #expect(settings.client == "line")
            let other = folder + "/other"
            try write("--gateway other\n", to: other)
            #expect(try self.settings(["--config": other], ["HOME": folder]).gateway?.text == "other")
            #expect(try self.settings([:], ["EDGE_AGENT_CTL_CONFIG": other]).gateway?.text == "other")
            #expect(try self.settings([:], ["XDG_CONFIG_HOME": folder + "/.config"]).client == "file")
        }
    }

    @Test func `the broker's user is the caller, where it fits`() throws {
        #expect(try settings(["--broker": "mqtt://ops@h"]).client == "ops")
        #expect(try settings(["--broker": "mqtt://o%20p@h"]).client == "ctl")
        #expect(try settings(["--broker": "mqtt://ops@h", "--client": "x"]).client == "x")
    }

    @Test func `a password comes from a file that only its owner reads`() throws {
        try withFolder { folder in
            let file = folder + "/password"
            try write("S3cr3t\n", to: file)
            let settings = try settings(["--broker": "mqtt://me@h", "--password-file": file])
            #expect(settings.password?.reveal() == Array("S3cr3t".utf8))
            #expect(!"\(settings)".contains("S3cr3t"))
            #expect(
                problems(["--password-file": file]) == ["--password-file needs a user: write --broker mqtt://user@host"]
            )
            try write("S3cr3t\n", to: file, mode: 0o644)
            let open = problems(["--broker": "mqtt://me@h", "--password-file": file])
            #expect(open.count == 1 && open[0].contains("chmod 600"))
            #expect(!open[0].contains("S3cr3t"))
        }
    }

    @Test func `every problem of a file is told with its line, and no value of it`() throws {
        try withFolder { folder in
            let file = folder + "/options"
            try write("--broker mqtt://h\n--pw S3cr3t\n--gateway\n--broker mqtt://i\n--config x\n", to: file)
            let found = problems(["--config": file])
            #expect(found.count == 4)
            #expect(found.allSatisfy { $0.contains("line ") && !$0.contains("S3cr3t") })
            #expect(problems(["--config": folder + "/none"]).first?.contains("No such file") == true)
            #expect(problems([:], ["HOME": folder + "/none"]).isEmpty)
        }
    }

    @Test(arguments: [
        (["--broker": "http://h"], "--broker has an unknown scheme"),
        (["--broker": "mqtt://me:S3cr3t@h"], "--broker must not hold a password"),
        (["--gateway": "UP"], "--gateway is no gateway's name"), (["--prefix": "a//b"], "--prefix is not valid"),
        (["--client": "a b"], "--client is not"), (["--wait": "0"], "--wait is no time"),
        (["--cafile": "/x"], "need TLS"), (["--broker": "mqtts://h", "--cert": "/x"], "go together"),
    ])
    func `a wrong value is told with its option`(values: [String: String], problem: String) {
        let found = problems(values)
        #expect(found.contains { $0.contains(problem) }, "\(found)")
        #expect(!found.joined().contains("S3cr3t"))
    }
}
