/// Where the broker is, who the client is there, and every bound that the client keeps.
package struct MQTTConfiguration: Sendable {
    /// A name or an address.
    package var host: String
    /// 1…65535.
    package var port: Int
    /// The client identifier, never empty: a session and a will belong to it.
    package var clientID: String
    package var username: String?
    /// Without NUL bytes: libmosquitto takes a C string.
    package var password: MQTTSecret?
    package var tls: MQTTTLS?
    package var version = MQTTVersionPolicy.auto

    /// Seconds of silence after which the client pings; 5…65535.
    ///
    /// A dead peer is noticed after at most two of them.
    package var keepaliveSeconds = 60
    /// How long an MQTT 5 broker keeps the session of a client that has gone; 0: not at all.
    package var sessionExpirySeconds: UInt32 = 300
    /// Whether an MQTT 3.1.1 broker forgets the session at each connect.
    package var cleanSession311 = true
    /// The message that the broker publishes when the link is lost.
    package var will: MQTTWill?

    /// From the start of an attempt until CONNACK; also what a SUBACK may take.
    package var answerDeadline = Duration.seconds(10)
    /// How long `run()` goes on sending what is queued after it was cancelled.
    package var closeTimeout = Duration.seconds(2)
    package var reconnect = MQTTReconnectPolicy()
    package var outgoing = MQTTOutgoingLimits()
    /// A payload over this is not copied: the message arrives without it, marked as oversize.
    package var maxPayloadBytes = 262_144

    /// Runs on the worker before each attempt: a place for tests to stand in for a resolver that does not answer.
    package var connectHook: (@Sendable () -> Void)?

    package init(host: String, port: Int, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }
}

/// The protocol versions that the client may speak.
package enum MQTTVersionPolicy: Sendable, Equatable {
    /// MQTT 5; 3.1.1 for the rest of the client's life when the broker refuses 5 or twice closes right after CONNECT.
    case auto
    case v5
    case v311
}

/// A version of the protocol.
package enum MQTTVersion: Sendable, Equatable, CustomStringConvertible {
    case v5
    case v311

    package var description: String { self == .v5 ? "5" : "3.1.1" }
}

/// How the broker is verified and the client identified.
///
/// The broker's certificate and name are always checked.
package struct MQTTTLS: Sendable, Equatable {
    package enum Minimum: String, Sendable {
        case tls12 = "tlsv1.2"
        case tls13 = "tlsv1.3"
    }

    /// PEM file of the issuers to trust; without it the system's, `/etc/ssl/certs`.
    package var caFile: String?
    /// PEM file of the client's certificate chain; needs `keyFile`.
    package var certificateFile: String?
    /// PEM file of the client's key, not encrypted.
    package var keyFile: String?
    package var minimum = Minimum.tls12

    package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// What the broker publishes for a client that it lost.
package struct MQTTWill: Sendable, Equatable {
    package var topic: String
    package var payload: [UInt8]
    package var qos: MQTTQoS
    package var retain: Bool
    /// MQTT 5 only: how long the broker waits for the client to come back.
    package var delaySeconds: UInt32

    package init(
        topic: String,
        payload: [UInt8],
        qos: MQTTQoS = .atLeastOnce,
        retain: Bool = true,
        delaySeconds: UInt32 = 0
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.delaySeconds = delaySeconds
    }
}

/// The gaps between attempts: doubled from `first` to `longest`, each moved by up to ±`jitter` of itself.
package struct MQTTReconnectPolicy: Sendable, Equatable {
    package var first = Duration.seconds(1)
    package var longest = Duration.seconds(60)
    /// 0…0.9.
    package var jitter = 0.2
    /// A link that held this long starts the gaps anew; a shorter one lets them grow.
    package var resetAfter = Duration.seconds(30)

    package init() {}
}

/// Bounds of the queue in front of libmosquitto.
package struct MQTTOutgoingLimits: Sendable, Equatable {
    /// Messages of all classes; over it expendable and then ordered ones are dropped, oldest first.
    package var messages = 4096
    package var bytes = 16 << 20
    /// Absolute caps of the required class; a message over them is refused.
    package var requiredMessages = 65_536
    package var requiredBytes = 64 << 20
    /// Messages with QoS 1 that libmosquitto has and the broker has not acknowledged; 1…65535.
    package var unacknowledged = 20

    package init() {}
}
