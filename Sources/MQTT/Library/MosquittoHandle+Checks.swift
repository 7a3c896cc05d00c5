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
        if text.withUTF8({ isPrintableASCII($0) }) { return true }
        return mosquitto_validate_utf8(text, Int32(count)) == 0
    }

    /// Eight bytes at a time: each message's topic is looked through.
    private static func isPrintableASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        let ones: UInt64 = 0x0101_0101_0101_0101
        var (bad, place): (UInt64, Int) = (0, 0)
        while place + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // The high bit of a byte is set where it is below 0x20, is 0x7F, or is no ASCII; a borrow or a carry shows
            // itself only beside a byte that is bad already.
            bad |= (word &- 0x20 &* ones) | (word &+ ones) | word
            place += 8
        }
        guard bad & (0x80 &* ones) == 0 else { return false }
        while place < raw.count {
            guard 0x20 <= raw[place], raw[place] <= 0x7E else { return false }
            place += 1
        }
        return true
    }

    private static let maxPayloadBytes = 268_435_455
}
