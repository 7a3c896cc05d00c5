import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ArrivalLineTests {
    private let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private func command(_ id: String) throws -> Command { try fixture.command(#"{"id":"\#(id)","verb":"rssi"}"#) }

    /// The ids of what may start now; `-` for what will not.
    private func ready(_ line: ArrivalLine) -> [String] {
        var ids: [String] = []
        while let command = line.next() { ids.append(command?.origin.id.text ?? "-") }
        return ids
    }

    @Test func `what comes behind a command that is on its way to the disk waits for it`() throws {
        let line = ArrivalLine()
        #expect(line.isEmpty && ready(line).isEmpty)
        let first = line.reserve()
        line.append(try command("b"))
        let third = line.reserve()
        line.append(try command("d"))
        #expect(ready(line).isEmpty && !line.isEmpty)
        line.fill(third, try command("c"))
        #expect(ready(line).isEmpty)
        line.fill(first, try command("a"))
        #expect(ready(line) == ["a", "b", "c", "d"])
        #expect(line.isEmpty)
    }

    @Test func `one that will not start holds nobody up`() throws {
        let line = ArrivalLine()
        let (first, second) = (line.reserve(), line.reserve())
        line.append(try command("c"))
        line.fill(first, nil)
        #expect(ready(line) == ["-"] && !line.isEmpty)
        line.fill(second, nil)
        #expect(ready(line) == ["-", "c"] && line.isEmpty)
    }

    @Test func `what was given out leaves nothing behind`() throws {
        let line = ArrivalLine()
        for round in 0..<1000 {
            let place = line.reserve()
            line.append(try command("\(round)"))
            line.fill(place, nil)
            #expect(ready(line) == ["-", "\(round)"])
            #expect(line.isEmpty)
        }
    }
}
