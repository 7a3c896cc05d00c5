import BleCore
import EdgeAgent
import Testing

/// What of links is written down, and when.
@Suite(.timeLimit(.minutes(10)))
struct KeptLinksTests {
    private let door: DeviceAddress
    private let lamp: DeviceAddress

    init() throws {
        door = try #require(DeviceAddress("a1b2c3d4e5f6"))
        lamp = try #require(DeviceAddress("a1b2c3d4e5f7"))
    }

    @Test func `what is written is read again`() throws {
        let settings = LinkSettings(policy: .never, idle: .seconds(1), maxAttempts: 2, rssiMin: -80)
        let kept = KeptLinks([
            .init(address: door, link: settings), .init(address: lamp, isPaused: true),
        ])
        #expect(try KeptLinks.decode(kept.encode(), path: "f") == kept)
    }

    @Test(arguments: [
        "", "{}", #"{"version":1}"#, #"{"version":2,"links":[]}"#, #"{"version":1,"links":[1]}"#,
        #"{"version":1,"links":[{"address":"x"}]}"#, #"{"version":1,"links":[{"address":"a1b2c3d4e5f6","paused":1}]}"#,
        #"{"version":1,"links":[{"address":"a1b2c3d4e5f6","link":{"policy":"x"}}]}"#,
    ])
    func `what is no such file is refused`(_ text: String) {
        #expect(throws: StateFailure.self) { try KeptLinks.decode(Array(text.utf8), path: "f") }
    }

    @Test func `a link is known before it stands, and a while after it has ended`() {
        let start = ContinuousClock.now
        var links = OwnLinks()
        links.gone(door, at: start)
        #expect(links.addresses == [] && links.nextDeadline == nil)
        links.made(lamp)
        links.made(door)
        #expect(links.addresses == [door, lamp] && links.nextDeadline == nil)
        links.gone(door, at: start)
        links.gone(door, at: start + .seconds(30))
        #expect(links.nextDeadline == start + OwnLinks.linger)
        links.forget(at: start + .seconds(59))
        #expect(links.addresses == [door, lamp])
        links.made(door)
        links.forget(at: start + .seconds(600))
        #expect(links.addresses == [door, lamp])
        links.gone(door, at: start)
        links.forget(at: start + .seconds(60))
        #expect(links.addresses == [lamp])
        #expect(OwnLinks.decode(links.encode()) == [lamp])
        links.gone(lamp, at: start)
        links.forget(at: start, all: true)
        #expect(links.addresses == [] && OwnLinks.decode(links.encode()) == [])
    }

    @Test(arguments: ["", "{", "{}", #"{"version":2,"links":["a1b2c3d4e5f6"]}"#, #"{"version":1,"links":[1,"x"]}"#])
    func `a list of own links that was spoilt is none`(_ text: String) {
        #expect(OwnLinks.decode(Array(text.utf8)) == [])
    }
}
