import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SuggestionTests {
    @Test(arguments: [
        ("gatway", "gateway"), ("GATEWAY", "gateway"), ("gatewya", "gateway"), ("state-dir", "stateDir"),
        ("log_level", "logLevel"), ("keepAlive", "keepAliveSeconds"), ("xyz", nil), ("", nil), ("m", nil),
        (String(repeating: "g", count: 70_000), nil),
    ])
    func `the nearest name is found`(word: String, nearest: String?) {
        let names = ["gateway", "stateDir", "logLevel", "mqtt", "keepAliveSeconds"]
        #expect(Suggestion.nearest(to: word, in: names) == nearest)
    }
}
