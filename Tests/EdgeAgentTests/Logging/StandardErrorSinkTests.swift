import EdgeAgent
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StandardErrorSinkTests {
    private let event = LogEvent(level: .info, label: "agent", message: "Started", metadata: [.count: "1"])

    @Test func `a line is written whole`() {
        let pipe = Pipe()
        StandardErrorSink(descriptor: pipe.fileHandleForWriting.fileDescriptor, format: .journal).write(event)
        #expect(
            String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) == "<6>agent: Started count=1\n"
        )
    }

    @Test func `a closed stream loses lines and nothing else`() throws {
        ProcessSetup.prepare()
        let pipe = Pipe()
        let sink = StandardErrorSink(descriptor: pipe.fileHandleForWriting.fileDescriptor, format: .journal)
        try pipe.fileHandleForReading.close()
        sink.write(event)
        #expect(!StandardStream.write([1], to: pipe.fileHandleForWriting.fileDescriptor))
        StandardErrorSink(descriptor: -1, format: .journal).write(event)
    }

    @Test func `a stuck reader does not hold the agent up and hears of what was lost`() throws {
        let pipe = Pipe()
        let sink = StandardErrorSink(descriptor: pipe.fileHandleForWriting.fileDescriptor, format: .journal)
        // More than a pipe holds.
        let start = ContinuousClock.now
        for _ in 0..<20_000 { sink.write(event) }
        #expect(ContinuousClock.now - start < .seconds(30))
        _ = try pipe.fileHandleForReading.read(upToCount: 16_384)
        sink.write(event)
        try pipe.fileHandleForWriting.close()
        let text = drained(pipe)
        let lines = text.split(separator: "\n").suffix(2)
        #expect(lines.first?.hasPrefix("<4>log: Lines were lost because nobody read standard error dropped=") == true)
        #expect(lines.last == "<6>agent: Started count=1")
    }
}
