/// How the agent speaks to its broker.
package struct MQTTSettings: Sendable, Equatable {
    package var version = MQTTVersionChoice.auto
    /// The client id; nil: made of prefix and gateway.
    package var clientID: String?
    /// The user name; the one in the broker's URL goes before it.
    package var username: String?
    /// Absolute path of the file that holds the password.
    package var passwordFile: String?
    /// The content of ``passwordFile``, read when the configuration was.
    package var password: Secret?
    package var keepAlive = Duration.seconds(30)
    /// How long the broker keeps the session of an absent MQTT 5 client.
    package var sessionExpiry = Duration.seconds(300)
    /// Whether an MQTT 3.1.1 session starts empty.
    package var cleanSession = true
    /// Absolute path of the PEM file of trusted authorities; nil with TLS: the system's.
    package var caFile: String?
    /// Absolute path of the client's certificate; present exactly when ``keyFile`` is.
    package var certificateFile: String?
    /// Absolute path of the client's private key.
    package var keyFile: String?
    /// The oldest TLS version that is accepted.
    package var tlsMinimum = TLSVersion.tls12
    /// The bound from the start of a connection to the broker's CONNACK.
    package var connectTimeout = Duration.milliseconds(10_000)
    /// The first gap before connecting again.
    package var reconnectMinimum = Duration.milliseconds(1000)
    /// The longest gap before connecting again; never less than ``reconnectMinimum``.
    package var reconnectMaximum = Duration.milliseconds(60_000)
    package var qos = MQTTQualityOfService()
    /// Unacknowledged messages that libmosquitto is given at a time.
    package var maximumInflight = 64
    /// Messages that wait for the broker.
    package var maximumOutgoingMessages = 4096
    /// Bytes of payload and topic that wait for the broker.
    package var maximumOutgoingBytes = 8_388_608

    /// The defaults.
    package init() {}
}

/// The MQTT quality of service, 0 to 2, of each class of message.
package struct MQTTQualityOfService: Sendable, Equatable {
    package var result = 1
    package var job = 1
    package var event = 1
    package var notify = 1
    package var scan = 0
    package var other = 1

    /// The defaults.
    package init() {}
}

/// Which MQTT version to speak.
package enum MQTTVersionChoice: String, Sendable, CaseIterable {
    /// 5 first, 3.1.1 with a broker that refuses it.
    case auto
    case v5 = "5"
    case v311 = "3.1.1"
}

/// A TLS version as a lower bound.
package enum TLSVersion: String, Sendable, CaseIterable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}
