internal import CMosquitto

extension MosquittoHandle {
    /// Hands a message over.
    ///
    /// After CONNACK only.
    ///
    /// - Parameters:
    ///   - publication: copied.
    ///   - qos: instead of its own, when the broker takes no more.
    ///   - expirySeconds: what is left of the message's expiry.
    /// - Returns: its packet identifier. The link may have broken meanwhile: with QoS 1 libmosquitto has it all the same.
    /// - Throws: `MQTTFailure.library` when it did not take the message.
    func publish(_ publication: MQTTPublication, qos: MQTTQoS, expirySeconds: UInt32?) throws(MQTTFailure) -> Int32 {
        var properties = MosquittoProperties()
        if version == .v5 {
            if publication.isText { try properties.add(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR, byte: 1) }
            if let expirySeconds { try properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, int32: expirySeconds) }
            if let type = publication.contentType { try properties.add(MQTT_PROP_CONTENT_TYPE, string: type) }
            if let data = publication.correlationData {
                try properties.add(MQTT_PROP_CORRELATION_DATA, binary: data)
            }
            for property in publication.userProperties { try properties.add(user: property) }
        }
        var id: Int32 = 0
        let list = properties.list
        // `withCString` lends the text itself; an argument would be a copy.
        let code = publication.topic.withCString { topic in
            mosquitto_publish_v5(
                pointer,
                &id,
                topic,
                Int32(clamping: publication.payload.count),
                publication.payload,
                Int32(qos.rawValue),
                publication.retain,
                list
            )
        }
        if id != 0 { took(id) }
        switch mosq_err_t(code) {
        case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_NO_CONN: return id
        default: throw .library(operation: "mosquitto_publish", code: code, text: Self.text(code))
        }
    }

    /// Subscribes to one filter.
    ///
    /// - Returns: the packet identifier that its SUBACK will name.
    /// - Throws: `MQTTFailure.library` when nothing was sent.
    func subscribe(_ subscription: MQTTSubscription) throws(MQTTFailure) -> Int32 {
        var options = Int32(subscription.retainHandling.rawValue) << 4
        if subscription.noLocal { options |= Int32(MQTT_SUB_OPT_NO_LOCAL.rawValue) }
        if subscription.retainAsPublished { options |= Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) }
        var id: Int32 = 0
        let qos = Int32(subscription.qos.rawValue)
        let code = mosquitto_subscribe_v5(pointer, &id, subscription.filter, qos, options, nil)
        if id != 0 { took(id) }
        guard code == 0 else {
            throw .library(operation: "mosquitto_subscribe", code: code, text: Self.text(code))
        }
        return id
    }

    /// Unsubscribes from one filter; what the broker says to it does not matter.
    func unsubscribe(_ filter: String) {
        var id: Int32 = 0
        mosquitto_unsubscribe_v5(pointer, &id, filter, nil)
        if id != 0 { took(id) }
    }
}
