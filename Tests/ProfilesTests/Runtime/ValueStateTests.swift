import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct ValueStateTests {
    /// Takes values; whether any has changed.
    private func take(_ state: inout ValueState, _ values: DecodedValue...) -> Bool { state.take(values) }

    private func told(_ state: inout ValueState, at seconds: Int) -> [DecodedValue]? {
        state.publication(at: .seconds(seconds))
    }

    private func value(_ name: String, _ text: String, isState: Bool = true) -> DecodedValue {
        DecodedValue(name, number(text), isState: isState)
    }

    @Test func `equal values are told once`() {
        var state = ValueState()
        #expect(state.due == nil && told(&state, at: 1) == nil)
        #expect(take(&state, value("temperature", "21.5")))
        #expect(told(&state, at: 1) == [value("temperature", "21.5")])
        for second in 2..<100 {
            #expect(!take(&state, value("temperature", "21.50")))
            #expect(told(&state, at: second) == nil)
        }
    }

    @Test func `changes are told together, and not more often than the interval`() {
        var state = ValueState(minimumInterval: .seconds(5))
        _ = take(&state, value("a", "1"))
        #expect(told(&state, at: 100) == [value("a", "1")])
        _ = take(&state, value("a", "2"))
        #expect(state.due == .seconds(105))
        #expect(told(&state, at: 104) == nil)
        _ = take(&state, value("b", "7"), value("a", "3"))
        #expect(told(&state, at: 105) == [value("a", "3"), value("b", "7")])
        #expect(state.due == nil)
        // After a long silence the next change is told at once.
        _ = take(&state, value("a", "4"))
        #expect(told(&state, at: 200) == [value("a", "4"), value("b", "7")])
    }

    @Test func `what is no state changes nothing`() {
        var state = ValueState()
        #expect(!take(&state, value("packet_id", "1", isState: false)))
        #expect(state.values.isEmpty && state.due == nil)
    }

    @Test func `null is a value, and a change`() {
        var state = ValueState(minimumInterval: .zero)
        _ = take(&state, value("a", "1"))
        _ = told(&state, at: 0)
        #expect(take(&state, DecodedValue("a", .null)))
        #expect(told(&state, at: 0) == [DecodedValue("a", .null)])
    }
}
