internal import BleCore
internal import MQTT

/// What the way to the broker has shown, and what to do about it; pure.
package enum BrokerJudge {
    /// Whether the name has an address; `error` is what the resolver said.
    package static func name(_ broker: BrokerAddress, addresses: [String], error: String?) -> Finding {
        guard let error else {
            return .ok("\(broker.host) is \(addresses.prefix(4).joined(separator: ", "))")
        }
        return .failed(
            "the name \(broker.host) does not resolve: \(error)",
            mend: "getent hosts \(broker.host); cat /etc/resolv.conf; or write the address in broker"
        )
    }

    /// What there is to say while the resolver says nothing.
    package static func silentResolver(_ broker: BrokerAddress, after limit: Duration) -> Finding {
        .warning(
            "the resolver has not answered for \(broker.host) within \(limit.milliseconds) ms",
            mend: "cat /etc/resolv.conf; getent hosts \(broker.host); or write the address in broker"
        )
    }

    /// Whether the port takes connections; `error` is why not.
    package static func connection(_ broker: BrokerAddress, error: String?) -> Finding {
        guard let error else { return .ok("port \(broker.port) takes connections") }
        return .failed(
            "no connection to \(broker.host) port \(broker.port): \(error)",
            mend: isLocal(broker.host)
                ? "sudo apt install mosquitto; sudo systemctl enable --now mosquitto; in a container localhost is the "
                    + "container itself: --network=host, or broker: \(broker.secure ? "mqtts" : "mqtt")://HOST"
                : "on the broker: ss -ltn 'sport = :\(broker.port)', and a listener that is not bound to localhost; its "
                    + "firewall; the port in broker"
        )
    }

    /// Why the broker is not logged in to: nil when nobody can come to harm.
    ///
    /// A broker that takes the certificate's name for the client id (`use_username_as_clientid`, as that of our recipe
    /// does) would throw the agent out for the doctor.
    package static func risk(_ holder: StateFacts.Holder, _ hasCertificate: Bool) -> Finding? {
        guard holder == .agent, hasCertificate else { return nil }
        return .skipped("an agent runs here, and the broker may know it by its certificate alone: edge-agent ctl diag")
    }

    /// Whether the handshake went well.
    package static func tls(_ broker: BrokerAddress, _ facts: BrokerFacts, hasUser: Bool) -> Finding {
        guard broker.secure else {
            guard hasUser, !isLocal(broker.host) else { return .ok("not used: broker begins with mqtt://") }
            return .warning(
                "not used, so that user and password can be read on the way",
                mend: "broker: mqtts://\(broker.host):8883, with a listener for TLS on the broker"
            )
        }
        let isUp = facts.version != nil
        switch facts.failure {
        case .tls(let text) where !isUp: return .failed(text, mend: tlsMend(text, broker))
        case .configuration(let field, let problem) where !isUp:
            return .failed(
                "\(field): \(problem)",
                mend:
                    "ls -l the files of mqtt.caFile, mqtt.certificateFile and mqtt.keyFile: PEM, and readable by the agent"
            )
        case .noAnswer where !isUp:
            return .failed(
                "the broker does not answer the handshake",
                mend: "check that port \(broker.port) is one with TLS: \(show(broker))"
            )
        case .library(let operation, _, let text) where !isUp:
            return .failed("\(operation): \(text)", mend: show(broker))
        case .unreachable(_, let text) where !isUp, .nameNotResolved(_, _, let text) where !isUp:
            return .failed("no connection a second time: \(text)", mend: show(broker))
        default: return .ok("the broker's certificate is accepted")
        }
    }

    /// Whether the broker takes the client.
    package static func login(_ broker: BrokerAddress, _ facts: BrokerFacts) -> Finding {
        if let version = facts.version { return .ok("MQTT \(version), as client \(facts.clientID)") }
        guard let failure = facts.failure else {
            return .failed("the broker does not answer", mend: "journalctl -u mosquitto -n 50, on the broker")
        }
        return .failed("\(failure)", mend: loginMend(failure, broker))
    }

    /// Whether the subscriptions were granted.
    package static func subscriptions(_ facts: BrokerFacts) -> Finding {
        if let first = facts.refused.first {
            let what = first.text.map { "is refused: \($0)" } ?? "is not answered"
            return .failed(
                "the subscription to \(first.filter) \(what)" + more(facts.refused.count - 1),
                mend: "allow the gateway's user in the broker's access list: topic read \(first.filter) (recipe: "
                    + "/usr/share/doc/edge-agent/examples/broker)"
            )
        }
        if let failure = facts.failure {
            return .failed(
                "the broker ended the connection over the subscriptions: \(failure)",
                mend: "journalctl -u mosquitto -n 50, on the broker"
            )
        }
        return .ok("\(facts.granted) granted")
    }

    // MARK: What to do

    private static func tlsMend(_ text: String, _ broker: BrokerAddress) -> String {
        let host = broker.host
        let mends: [(part: String, mend: String)] = [
            (
                "is not for the name",
                "name the broker in broker: as its certificate does: \(show(broker)) | openssl x509 -noout "
                    + "-ext subjectAltName"
            ),
            (
                "not accept the client's certificate",
                "have a new one issued by the broker's authority (recipe: /usr/share/doc/edge-agent/examples/broker); then "
                    + "mqtt.certificateFile and mqtt.keyFile"
            ),
            (
                "client certificate",
                "mqtt.certificateFile and mqtt.keyFile: a certificate that the broker's authority has issued; "
                    + "and check that port \(broker.port) is one with TLS"
            ),
            ("may not accept", "mqtt.certificateFile: a certificate that the broker's cafile has issued"),
            ("does not belong to the certificate", "mqtt.keyFile: the key that mqtt.certificateFile was made for"),
            ("must not be encrypted", "openssl pkey -in OLD -out NEW, and mqtt.keyFile: NEW"),
            ("no version of TLS", "mqtt.tlsMinimum: \"1.2\", or a newer TLS on the broker"),
            ("wrong version number", "broker: mqtt://\(host), or a port with TLS: \(broker.port) has none"),
            (
                "not yet valid",
                "sudo timedatectl set-ntp true: the clock here is wrong, or the broker's when it was issued"
            ),
            ("expired", "renew the broker's certificate: \(show(broker)) | openssl x509 -noout -dates"),
            (
                "certificate",
                "mqtt.caFile: the PEM file of the authority that has issued the broker's certificate; see it: "
                    + show(broker)
            ),
        ]
        return mends.first { text.contains($0.part) }?.mend
            ?? "check that port \(broker.port) is one with TLS: \(show(broker))"
    }

    private static func loginMend(_ failure: MQTTFailure, _ broker: BrokerAddress) -> String {
        switch failure {
        case .refused(let code, _):
            switch code {
            case 0x04, 0x05, 0x86, 0x87, 0x8C:
                return "mqtt.username and mqtt.passwordFile; on the broker: mosquitto_passwd FILE USER, then: "
                    + "sudo systemctl reload mosquitto"
            case 0x02, 0x85:
                return "mqtt.clientId: one that the broker allows (clientid_prefixes)"
            case 0x01, 0x84: return "mqtt.version: auto"
            case 0x8A: return "on the broker: lift the ban of this client"
            default: return "journalctl -u mosquitto -n 50, on the broker"
            }
        case .closedBeforeAnswer:
            return broker.secure
                ? "journalctl -u mosquitto -n 50, on the broker"
                : "does port \(broker.port) want TLS? broker: mqtts://\(broker.host):\(broker.port); else: "
                    + "journalctl -u mosquitto -n 50, on the broker"
        case .configuration(let field, _):
            return field.contains("password") ? "mqtt.username beside mqtt.passwordFile" : "edge-agent check-config"
        case .noAnswer:
            return "is it a broker that listens on port \(broker.port)? journalctl -u mosquitto -n 50, on the broker"
        default: return "journalctl -u mosquitto -n 50, on the broker"
        }
    }

    private static func show(_ broker: BrokerAddress) -> String {
        let place = broker.host.contains(":") ? "[\(broker.host)]" : broker.host
        return "openssl s_client -connect \(place):\(broker.port) -showcerts </dev/null"
    }

    private static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host.hasPrefix("127.") || host == "::1"
    }

    private static func more(_ count: Int) -> String { count > 0 ? " (and \(count) more)" : "" }
}
