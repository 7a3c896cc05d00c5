import EdgeAgent
import Testing

/// Commands of the operator's, run to their end or to their deadline.
@Suite(.timeLimit(.minutes(10)))
struct HelperCommandTests {
    private func run(_ script: String, limit: Duration = .seconds(60)) -> (HelperCommand.Outcome, String) {
        let environment = ["PATH": "/usr/bin:/bin", "EDGE_AGENT_ADAPTER": "hci0"]
        let command = HelperCommand(words: ["/bin/sh", "-c", script], environment: environment, limit: limit)
        let (outcome, output) = command.run()
        return (outcome, String(decoding: output, as: UTF8.self))
    }

    @Test func `what a command prints and how it ends is told, and it has only the given environment`() {
        #expect(run("echo one; echo two >&2") == (.exited(0), "one\ntwo\n"))
        #expect(run("exit 3") == (.exited(3), ""))
        #expect(run("kill -TERM $$").0 == .signalled(15))
        let (outcome, printed) = run("env")
        let names = Set(printed.split(separator: "\n").compactMap { $0.split(separator: "=").first.map(String.init) })
        // The shell adds some.
        let given = names.subtracting(["PWD", "OLDPWD", "_", "SHLVL"])
        #expect(outcome == .exited(0) && given == ["PATH", "EDGE_AGENT_ADAPTER"])
    }

    @Test func `more than a little of its output is thrown away, and it does not wait for a reader`() {
        let (outcome, printed) = run("head -c 500000 /dev/zero | tr '\\0' x")
        #expect(outcome == .exited(0) && printed.utf8.count == HelperCommand.maximumOutputBytes)
    }

    @Test func `past its deadline it is killed with all that it has started`() {
        let before = ContinuousClock.now
        let (outcome, printed) = run("echo begun; sleep 50 & sleep 50", limit: .milliseconds(300))
        #expect(outcome == .timedOut && printed == "begun\n")
        #expect(ContinuousClock.now - before < .seconds(45))
    }

    @Test func `a command that ends and leaves something behind that holds its output has ended`() {
        let before = ContinuousClock.now
        let (outcome, _) = run("setsid sleep 30 & exit 0")
        #expect(outcome == .exited(0) && ContinuousClock.now - before < .seconds(20))
    }

    @Test func `what cannot be started is told, with the system's reason`() {
        let command = HelperCommand(words: ["/nowhere/at/all"], environment: [:], limit: .seconds(1))
        #expect(command.run().outcome == .notStarted("No such file or directory"))
    }
}
