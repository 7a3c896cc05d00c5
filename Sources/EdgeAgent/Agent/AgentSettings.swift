internal import BleCore
internal import MQTT

extension BluetoothManager.Configuration {
    /// The manager's settings from the agent's configuration.
    init(_ configuration: Configuration) {
        self.init()
        adapters = configuration.bluetooth.adapterIDs
        settleLimit = configuration.bluetooth.settle
        pairingCapability = configuration.bluetooth.capability.capability
        promptLimit = configuration.bluetooth.prompt
        identityKeys = configuration.bluetooth.identityKeys
        // Where there truly is nobody the gaps double up to an hour.
        scanSilence = configuration.bluetooth.scanSilence ... .seconds(3600)
        scansPassively = configuration.bluetooth.scanMode == .passive
        discoveryPause = configuration.bluetooth.pauseDiscovery
        recovery.removesDevices = configuration.recovery.removeDevice
        recovery.powerCycles = configuration.recovery.powerCycle
        recovery.hasHelper = !configuration.recovery.helper.isEmpty
    }
}

extension MQTTConfiguration {
    /// The client's settings from the agent's configuration.
    init(_ configuration: Configuration, topics: TopicTree, boot: String) {
        let mqtt = configuration.mqtt
        self.init(host: configuration.broker.host, port: configuration.broker.port, clientID: configuration.clientID)
        username = configuration.username
        password = mqtt.password.map { MQTTSecret($0.reveal()) }
        if configuration.broker.secure {
            var tls = MQTTTLS(caFile: mqtt.caFile, certificateFile: mqtt.certificateFile, keyFile: mqtt.keyFile)
            tls.minimum = mqtt.tlsMinimum == .tls13 ? .tls13 : .tls12
            self.tls = tls
        }
        version =
            switch mqtt.version {
            case .auto: .auto
            case .v5: .v5
            case .v311: .v311
            }
        keepaliveSeconds = Int(mqtt.keepAlive.components.seconds)
        sessionExpirySeconds = UInt32(clamping: mqtt.sessionExpiry.components.seconds)
        cleanSession311 = mqtt.cleanSession
        will = MQTTWill(
            topic: topics.status,
            payload: StatusMessage.will(boot: boot, sinceMs: UTCTime.now.millisecondsSince1970),
            retain: true,
            delaySeconds: 10
        )
        answerDeadline = mqtt.connectTimeout
        reconnect.first = mqtt.reconnectMinimum
        reconnect.longest = mqtt.reconnectMaximum
        outgoing.messages = mqtt.maximumOutgoingMessages
        outgoing.bytes = mqtt.maximumOutgoingBytes
        outgoing.unacknowledged = mqtt.maximumInflight
        maxPayloadBytes = configuration.limits.maximumPayloadBytes
    }
}
