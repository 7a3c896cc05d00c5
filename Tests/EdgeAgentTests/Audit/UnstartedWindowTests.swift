import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct UnstartedWindowTests {
    private let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private func kind(
        _ json: String = #"{"verb":"rssi"}"#,
        as caller: String? = "a",
        on device: String = "door",
        code: ErrorCode = .denied
    ) throws -> UnstartedWindow.Kind {
        let command = try fixture.command(json, on: .device(device, client: caller))
        return UnstartedWindow.Kind(.refused(command.refusal(code, detail: "x")))
    }

    @Test func `of each kind the first gets a line, and the others are counted until the window closes`() throws {
        var window = UnstartedWindow()
        #expect(!window.isOpen)
        let kinds = [
            try kind(), try kind(as: "b"), try kind(as: nil), try kind(on: "c05a00000001"), try kind(code: .queueFull),
            try kind(#"{"verb":"connect"}"#),
        ]
        #expect(kinds.map { window.admit($0) } == kinds.map { _ in true })
        #expect(kinds.map { window.admit($0) } == kinds.map { _ in false })
        #expect(window.isOpen)
        #expect(window.close() == 6)
        #expect(!window.isOpen && window.close() == 0)
        #expect(window.admit(kinds[0]) == true)
    }

    @Test func `a label in the body makes no kind of its own`() throws {
        var window = UnstartedWindow()
        for number in 0..<100 {
            _ = window.admit(try kind(#"{"verb":"rssi","client":"c\#(number)","id":\#(number)}"#, as: nil))
        }
        #expect(window.close() == 99)
    }

    @Test func `all kinds together are bounded`() throws {
        var window = UnstartedWindow()
        var lines = 0
        for number in 0..<1000 where window.admit(try kind(as: "c\(number)")) { lines += 1 }
        #expect(lines == UnstartedWindow.most)
        #expect(window.close() == 1000 - UnstartedWindow.most)
    }
}
