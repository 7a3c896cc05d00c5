internal import CMosquitto
internal import Glibc

extension MosquittoHandle {
    /// Sets options, credentials, TLS and will.
    ///
    /// Before the attempt.
    func configure() throws(MQTTFailure) {
        let number = version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check("version", mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, number))
        // Without it a QoS 1 round trip waits 40 ms for the other side's delayed acknowledgement.
        try check("TCP_NODELAY", mosquitto_int_option(pointer, MOSQ_OPT_TCP_NODELAY, 1))
        let maximum = Int32(configuration.outgoing.unacknowledged)
        try check("unacknowledged", mosquitto_int_option(pointer, MOSQ_OPT_SEND_MAXIMUM, maximum))
        try setCredentials()
        if let tls = configuration.tls { try setTLS(tls) }
        if let will = configuration.will { try setWill(will) }
    }

    private func setCredentials() throws(MQTTFailure) {
        guard configuration.username != nil || configuration.password != nil else { return }
        var password = configuration.password.map { $0.bytes.map { CChar(bitPattern: $0) } + [0] }
        let code = mosquitto_username_pw_set(pointer, configuration.username, password)
        if password != nil { for index in password?.indices ?? 0..<0 { password?[index] = 0 } }
        try check("user name and password", code)
    }

    private func setTLS(_ tls: MQTTTLS) throws(MQTTFailure) {
        for (field, file) in [("ca file", tls.caFile), ("certificate", tls.certificateFile), ("key", tls.keyFile)] {
            guard let file, access(file, R_OK) != 0 else { continue }
            throw .configuration(field: field, problem: "\(file): \(String(cString: strerror(errno)))")
        }
        if tls.caFile == nil {
            // Beside the directory below: OpenSSL's own places, which SSL_CERT_FILE and SSL_CERT_DIR move.
            try check("system's authorities", mosquitto_int_option(pointer, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
        }
        let code = mosquitto_tls_set(
            pointer,
            tls.caFile,
            tls.caFile == nil ? "/etc/ssl/certs" : nil,
            tls.certificateFile,
            tls.keyFile,
            // An encrypted key is an error: OpenSSL's own callback would ask on the terminal.
            { _, _, _, _ in 0 }
        )
        // A client that goes on after a failure here would connect in clear.
        try check("tls", code)
        // 1 is OpenSSL's SSL_VERIFY_PEER.
        try check("tls minimum version", mosquitto_tls_opts_set(pointer, 1, tls.minimum.rawValue, nil))
    }

    private func setWill(_ will: MQTTWill) throws(MQTTFailure) {
        var properties = MosquittoProperties()
        if version == .v5, will.delaySeconds > 0 {
            try properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, int32: will.delaySeconds)
        }
        let list = properties.release()
        let code = mosquitto_will_set_v5(
            pointer,
            will.topic,
            Int32(clamping: will.payload.count),
            will.payload,
            Int32(will.qos.rawValue),
            will.retain,
            list
        )
        if code != 0 {
            // Only a will that was taken owns the list.
            var list = list
            mosquitto_property_free_all(&list)
        }
        try check("will", code)
    }

    private func check(_ field: String, _ code: Int32) throws(MQTTFailure) {
        guard code != 0 else { return }
        throw .configuration(field: field, problem: Self.text(code))
    }
}
