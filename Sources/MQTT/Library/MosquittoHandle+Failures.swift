internal import CMosquitto
internal import Glibc

extension MosquittoHandle {
    /// Why `mosquitto_connect` failed.
    ///
    /// - Parameters:
    ///   - code: what it returned.
    ///   - error: errno as it left it.
    /// - Returns: the failure with its text.
    func connectFailure(code: Int32, error: Int32) -> MQTTFailure {
        switch mosq_err_t(code) {
        case MOSQ_ERR_EAI:
            let text = String(cString: gai_strerror(error))
            return .nameNotResolved(host: configuration.host, code: error, text: text)
        case MOSQ_ERR_ERRNO where error != 0 && error != EPROTO:
            return .unreachable(code: error, text: String(cString: strerror(error)))
        case MOSQ_ERR_ERRNO where error == EPROTO:
            return .tls(tlsText ?? brokenOff)
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE:
            return .tls(tlsText ?? Self.text(code))
        default:
            return .library(operation: "mosquitto_connect", code: code, text: Self.text(code))
        }
    }

    /// Why the link ended.
    ///
    /// - Parameters:
    ///   - operation: the call that noticed.
    ///   - code: what it returned.
    ///   - error: errno as the call left it.
    ///   - answered: whether CONNACK had come.
    /// - Returns: the failure with its text.
    func linkFailure(_ operation: String, code: Int32, error: Int32, answered: Bool) -> MQTTFailure {
        // With TLS 1.3 the broker's alert, as for a certificate that it wants and did not get, comes after the handshake
        // and looks like a lost connection; the log callback is on until CONNACK.
        if !answered, configuration.tls != nil, let text = tlsText { return .tls(text) }
        switch mosq_err_t(code) {
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE:
            return .tls(tlsText ?? Self.text(code))
        case MOSQ_ERR_KEEPALIVE:
            return .keepaliveMissed
        case MOSQ_ERR_ERRNO where error == EPROTO || (error == 0 && !answered && configuration.tls != nil):
            return .tls(tlsText ?? brokenOff)
        case MOSQ_ERR_CONN_LOST where !answered, MOSQ_ERR_PROTOCOL where !answered,
            MOSQ_ERR_ERRNO where !answered && (error == ECONNRESET || error == EPIPE):
            return .closedBeforeAnswer
        case MOSQ_ERR_ERRNO where error != 0:
            return .lost(operation: operation, code: code, text: String(cString: strerror(error)))
        case MOSQ_ERR_ERRNO:
            // OpenSSL wrote nothing and named no error: its text would be "Success".
            return .lost(operation: operation, code: code, text: "the broker broke the connection off")
        default:
            return .lost(operation: operation, code: code, text: Self.text(code))
        }
    }

    /// The broker's alert is lost when it closes before CONNECT is out.
    private var brokenOff: String {
        let isShown = configuration.tls?.certificateFile != nil
        let hint = isShown ? "may not accept the client's certificate" : "may ask for a client certificate"
        return "the broker broke the connection off; it \(hint)"
    }

    /// What the broker's own alert, or a key that cannot be used, means; nil for another line.
    private func alert(in line: String) -> String? {
        let client = "the broker does not accept the client's certificate: "
        let alerts = [
            ("alert certificate required", "the broker asks for a client certificate"),
            ("certificate required", "the broker asks for a client certificate"),
            ("alert certificate expired", client + "it has expired"),
            ("alert unknown ca", client + "its issuer is not known there"),
            ("alert certificate revoked", client + "it has been revoked"),
            ("alert bad certificate", client + "it is not valid"),
            ("alert decrypt error", client + "its signature does not fit"),
            ("alert protocol version", "the broker speaks no version of TLS that is allowed here"),
            ("unsupported protocol", "the broker speaks no version of TLS that is allowed here"),
        ]
        if let known = alerts.first(where: { line.contains($0.0) }) { return known.1 }
        guard let tls = configuration.tls, let key = tls.keyFile, let certificate = tls.certificateFile else {
            return nil
        }
        if line.hasPrefix("Error: Unable to load client key file") {
            let isForeign = errorLines.contains { $0.contains("key values mismatch") }
            return isForeign
                ? "the key \(key) does not belong to the certificate \(certificate)"
                : "the key \(key) cannot be read; it must not be encrypted"
        }
        return line.hasPrefix("Error: Client certificate/key are inconsistent")
            ? "the key \(key) does not belong to the certificate \(certificate)" : nil
    }

    /// What the handshake, or the loading of files before it, stumbled over.
    private var tlsText: String? {
        if let ssl = mosquitto_ssl_get(pointer) {
            let result = SSL_get_verify_result(ssl)
            // 1 is what a refused host name leaves, which only the log tells.
            if result > 1, let text = X509_verify_cert_error_string(result) {
                return "the broker's certificate was not accepted: \(String(cString: text))"
            }
        }
        let lines = errorLines
        if lines.contains(where: { $0.contains("host name verification failed") }) {
            return "the broker's certificate is not for the name \(configuration.host)"
        }
        // "Error: Unable to load …" says more than OpenSSL's line that follows it.
        guard let line = lines.first else { return nil }
        if let reason = alert(in: line) { return reason }
        if line.hasPrefix("Error: ") { return String(line.dropFirst("Error: ".count)) }
        guard let reason = line.split(separator: ":").last, line.hasPrefix("OpenSSL Error") else { return line }
        // A handshake that fails within the connecting call takes what the verification said with it.
        if reason == "certificate verify failed" { return "the broker's certificate was not accepted" }
        return String(reason)
    }
}
