import EdgeAgent
import MQTT
import Testing

/// Messages for the tests of what is stored.
enum MQTTPublicationSample {
    static let plain = MQTTPublication(topic: "a", payload: [], qos: .atMostOnce, delivery: .ordered)
}

@Suite(.timeLimit(.minutes(10)))
struct StoredPublicationTests {
    static let full: MQTTPublication = {
        var publication = MQTTPublication(topic: "edge/v1/gw/res/me/ü", payload: [0, 1, 0xFF], retain: true)
        publication.correlationData = [0, 0xFF]
        publication.contentType = "application/json"
        publication.isText = true
        publication.userProperties = [MQTTUserProperty("status", "ok"), MQTTUserProperty("", "ü")]
        return publication
    }()

    private static func withEmptyData() -> MQTTPublication {
        var publication = full
        publication.correlationData = []
        publication.payload = []
        publication.userProperties = (0..<64).map { MQTTUserProperty("\($0)", "") }
        return publication
    }

    @Test(arguments: [full, MQTTPublicationSample.plain, withEmptyData()])
    func `a message is read as it was written`(publication: MQTTPublication) throws {
        let head = StoredPublication.head(of: publication)
        #expect(try StoredPublication.publication(head: head, payload: publication.payload) == publication)
    }

    @Test func `another version, and too many properties, are not read`() {
        var head = StoredPublication.head(of: Self.full)
        head[0] += 1
        #expect(throws: BlobReader.Failure.self) { try StoredPublication.publication(head: head, payload: []) }
        var crowded = Self.full
        crowded.userProperties = (0..<65).map { MQTTUserProperty("\($0)", "") }
        #expect(throws: BlobReader.Failure.self) {
            try StoredPublication.publication(head: StoredPublication.head(of: crowded), payload: [])
        }
    }
}
