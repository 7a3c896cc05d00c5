/// Why there is no link, or no client.
package enum MQTTFailure: Error, Sendable, Equatable {
    /// A value that can never work; names the field. The only failure that ends `run()`.
    case configuration(field: String, problem: String)
    /// The resolver's answer, a code of `getaddrinfo`.
    case nameNotResolved(host: String, code: Int32, text: String)
    /// No TCP connection; the code is errno.
    case unreachable(code: Int32, text: String)
    /// The handshake, a certificate or a key file.
    case tls(String)
    /// CONNACK: a return code of 3.1.1 (below 0x80) or a reason code of 5.
    case refused(code: UInt8, text: String)
    /// The broker closed between CONNECT and CONNACK.
    case closedBeforeAnswer
    /// No CONNACK within the deadline.
    case noAnswer(after: Duration)
    /// The broker sent DISCONNECT (MQTT 5).
    case disconnectedByBroker(code: UInt8, text: String)
    /// No answer to a ping.
    case keepaliveMissed
    /// The link broke: the call that noticed, libmosquitto's code, and errno's text when there is one.
    case lost(operation: String, code: Int32, text: String)
    /// libmosquitto failed otherwise.
    case library(operation: String, code: Int32, text: String)
}

extension MQTTFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .configuration(let field, let problem): "\(field): \(problem)"
        case .nameNotResolved(let host, _, let text): "the name \(host) does not resolve: \(text)"
        case .unreachable(_, let text): "no connection: \(text)"
        case .tls(let text): "TLS: \(text)"
        case .refused(let code, let text): "the broker refused the connection: \(text) (\(hex(code)))"
        case .closedBeforeAnswer: "the broker closed the connection before it answered CONNECT"
        case .noAnswer(let after): "no answer from the broker within \(after)"
        case .disconnectedByBroker(let code, let text): "the broker disconnected: \(text) (\(hex(code)))"
        case .keepaliveMissed: "the broker did not answer a ping"
        case .lost(let operation, let code, let text): "the connection was lost: \(text) (\(operation) \(code))"
        case .library(let operation, let code, let text): "\(operation) failed: \(text) (\(code))"
        }
    }

    private func hex(_ code: UInt8) -> String {
        let digits = String(code, radix: 16)
        return digits.count == 1 ? "0x0" + digits : "0x" + digits
    }
}
