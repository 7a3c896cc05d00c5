internal import CMosquitto

extension MosquittoHandle {
    /// What is wrong with a message, or nil when libmosquitto will take it.
    static func problem(with publication: MQTTPublication, isTopicKnown: Bool = false) -> String? {
        if !isTopicKnown, let problem = problem(withTopic: publication.topic) { return problem }
        guard publication.payload.count <= maxPayloadBytes else { return "the payload is too long for MQTT" }
        guard publication.correlationData?.count ?? 0 <= 65535 else { return "the correlation data are too long" }
        guard isText(publication.contentType ?? "") else { return "the content type is not valid" }
        guard publication.userProperties.allSatisfy({ isText($0.name) && isText($0.value) }) else {
            return "a user property is not valid"
        }
        return nil
    }

    private static func problem(withTopic topic: String) -> String? {
        guard isText(topic), !topic.isEmpty else { return "the topic is empty, too long or has control characters" }
        guard mosquitto_pub_topic_check2(topic, topic.utf8.count) == 0 else { return "the topic has a wildcard" }
        return nil
    }

    /// What is wrong with a filter, or nil.
    static func problem(withFilter filter: String) -> String? {
        guard isText(filter), !filter.isEmpty else { return "the filter is empty, too long or has control characters" }
        guard mosquitto_sub_topic_check2(filter, filter.utf8.count) == 0 else { return "a wildcard is misplaced" }
        return nil
    }

    /// Whether the text may stand in a packet: short enough, and without NUL and what libmosquitto refuses besides.
    static func isText(_ text: String) -> Bool {
        let count = text.utf8.count
        guard count <= 65535 else { return false }
        // Printable ASCII may stand anywhere, and is nearly all that there is.
        var text = text
        if text.withUTF8({ $0.allSatisfy { 0x20 <= $0 && $0 <= 0x7E } }) { return true }
        return mosquitto_validate_utf8(text, Int32(count)) == 0
    }

    private static let maxPayloadBytes = 268_435_455
}
