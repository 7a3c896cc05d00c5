internal import LocalHTTP

extension ConfigurationKey {
    /// Every key with a single value, in the order in which they are written and documented.
    package static let all: [ConfigurationKey] =
        top + mqtt + bluetooth + limits + links + recovery + outbox + audit + profiles + homeAssistant + metrics
        + remoteConfiguration

    private static let top: [ConfigurationKey] = [
        broker,
        text(
            "gateway",
            \.gateway,
            flag: "--gateway",
            expected: "1 to 63 of a-z, 0-9 and -, not starting with -, not \"all\"",
            range: "`[a-z0-9][a-z0-9-]{0,62}`, not `all`",
            defaultInWords: "the host name, `-` and 6 hex digits of a keyed hash of the machine id",
            accepts: ConfigurationPattern.isGateway,
            "The gateway's name in topics"
        ),
        text(
            "prefix",
            \.prefix,
            flag: "--prefix",
            expected: "levels of A-Z, a-z, 0-9, _ and - joined by /, at most 64 characters",
            range: "levels of `[A-Za-z0-9_-]+` joined by `/`, at most 64 characters",
            accepts: ConfigurationPattern.isPrefix,
            "The first levels of all topics"
        ),
        text(
            "stateDir",
            \.stateDirectory,
            flag: "--state-dir",
            form: .path,
            expected: "an absolute path",
            range: "an absolute path",
            accepts: ConfigurationPattern.isAbsolutePath,
            "The directory for what must outlive the process"
        ),
        choice(
            "durability",
            \.durability,
            "What accepted commands survive: the end of the process, or a power cut too"
        ).remotely(.restart),
        choice("logLevel", \.logLevel, flag: "--log-level", name: { $0.name }, "The most verbose level that is logged")
            .remotely(.atOnce),
        choice(
            "clock",
            \.clock,
            "Whether times in commands are believed before the kernel calls the clock synchronised"
        ).remotely(.atOnce),
        duration(
            "shutdownGraceMs",
            \.shutdownGrace,
            0...600_000,
            .milliseconds,
            "How long running jobs may go on after SIGTERM"
        ).remotely(.atOnce),
    ]

    private static let mqtt: [ConfigurationKey] = [
        choice("mqtt.version", \.mqtt.version, flag: "--mqtt-version", "The MQTT version; auto: 5, then 3.1.1")
            .remotely(.connection),
        optionalText(
            "mqtt.clientId",
            \.mqtt.clientID,
            expected: "1 to 256 printable ASCII characters without spaces, +, # and /",
            range: "1–256 printable ASCII characters without spaces, `+`, `#` and `/`",
            defaultInWords: "the prefix with `-` for `/`, `-` and the gateway",
            accepts: ConfigurationPattern.isClientID,
            show: { $0.clientID },
            "The MQTT client id; each agent of a broker needs its own"
        ),
        optionalText(
            "mqtt.username",
            \.mqtt.username,
            expected: "a text of 1 to 256 bytes without control characters",
            range: "1–256 bytes without control characters",
            accepts: ConfigurationPattern.isUserName,
            "The user name for the broker, where `broker` has none"
        ).hidden(),
        file(
            "mqtt.passwordFile",
            \.mqtt.passwordFile,
            flag: "--password-file",
            "The file that holds the password alone"
        ).hidden(),
        duration("mqtt.keepAliveSeconds", \.mqtt.keepAlive, 5...65535, .seconds, "The MQTT keep-alive interval")
            .remotely(.connection),
        duration(
            "mqtt.sessionExpirySeconds",
            \.mqtt.sessionExpiry,
            0...31_536_000,
            .seconds,
            "How long the broker keeps the session of an absent MQTT 5 client"
        ).remotely(.connection),
        boolean("mqtt.cleanSession", \.mqtt.cleanSession, "Whether an MQTT 3.1.1 session starts empty").remotely(
            .connection
        ),
        file(
            "mqtt.caFile",
            \.mqtt.caFile,
            flag: "--cafile",
            defaultInWords: "the system's authorities",
            "The trusted authorities, PEM; with `mqtts` alone"
        ).hidden(),
        file("mqtt.certificateFile", \.mqtt.certificateFile, "The client's certificate, PEM; together with `keyFile`")
            .hidden(),
        file("mqtt.keyFile", \.mqtt.keyFile, "The client's private key, PEM, without a passphrase").hidden(),
        choice("mqtt.tlsMinimum", \.mqtt.tlsMinimum, "The oldest TLS version that is accepted"),
        duration(
            "mqtt.connectTimeoutMs",
            \.mqtt.connectTimeout,
            1000...120_000,
            .milliseconds,
            "The bound of one attempt to connect, up to the broker's answer"
        ).remotely(.connection),
        duration(
            "mqtt.reconnectMinMs",
            \.mqtt.reconnectMinimum,
            100...600_000,
            .milliseconds,
            "The first gap before connecting again"
        ).remotely(.connection),
        duration(
            "mqtt.reconnectMaxMs",
            \.mqtt.reconnectMaximum,
            100...3_600_000,
            .milliseconds,
            "The longest gap before connecting again"
        ).remotely(.connection),
        integer("mqtt.maxInflight", \.mqtt.maximumInflight, 1...100, "Messages sent and not yet acknowledged").remotely(
            .connection
        ),
        integer(
            "mqtt.maxOutgoingMessages",
            \.mqtt.maximumOutgoingMessages,
            16...1_000_000,
            "Messages that wait for the broker"
        ).remotely(.connection),
        integer(
            "mqtt.maxOutgoingBytes",
            \.mqtt.maximumOutgoingBytes,
            65_536...1_073_741_824,
            unit: "bytes",
            "Bytes that wait for the broker"
        ).remotely(.connection),
        integer("mqtt.qos.result", \.mqtt.qos.result, 0...1, "The quality of service of results").remotely(.atOnce),
        integer("mqtt.qos.job", \.mqtt.qos.job, 0...1, "The quality of service of job steps").remotely(.atOnce),
        integer("mqtt.qos.event", \.mqtt.qos.event, 0...1, "The quality of service of device events").remotely(.atOnce),
        integer("mqtt.qos.notify", \.mqtt.qos.notify, 0...1, "The quality of service of notifications").remotely(
            .atOnce
        ),
        integer("mqtt.qos.scan", \.mqtt.qos.scan, 0...1, "The quality of service of scan messages").remotely(.atOnce),
        integer("mqtt.qos.other", \.mqtt.qos.other, 0...1, "The quality of service of all other messages").remotely(
            .atOnce
        ),
    ]

    private static let bluetooth: [ConfigurationKey] = [
        optionalText(
            "bluetooth.adapter",
            \.bluetooth.adapter,
            flag: "--adapter",
            expected: "names or addresses of adapters with commas between, as hci0, 00:1A:7D:DA:71:13",
            range: "names or addresses, with commas between",
            defaultInWords: "whatever adapters there are",
            accepts: ConfigurationPattern.isAdapterList,
            "The only adapters to use"
        ).remotely(.restart),
        duration(
            "bluetooth.settleMs",
            \.bluetooth.settle,
            1000...600_000,
            .milliseconds,
            "How long a device stays busy for a call of an ended job that has not come back"
        ).remotely(.atOnce),
        duration(
            "bluetooth.scanSilenceMs",
            \.bluetooth.scanSilence,
            1000...3_600_000,
            .milliseconds,
            "How long a running scan may hear nothing before it is started anew"
        ).remotely(.restart),
        choice(
            "bluetooth.scanMode",
            \.bluetooth.scanMode,
            "How scans listen that leave it open; `passive`: where bluetoothd can do that"
        ).remotely(.atOnce),
        choice(
            "bluetooth.pauseDiscovery",
            \.bluetooth.pauseDiscovery,
            "When listening rests while a link is made; `auto`: where making one has failed because of it"
        ).remotely(.atOnce),
        file(
            "bluetooth.identityKeysFile",
            \.bluetooth.identityKeysFile,
            "The file of identity keys, which give devices with private addresses one name each"
        ).hidden(),
        choice(
            "bluetooth.pairing.capability",
            \.bluetooth.capability,
            "What whoever answers prompts can do when a device is paired"
        ).remotely(.atOnce),
        duration(
            "bluetooth.pairing.promptMs",
            \.bluetooth.prompt,
            1000...30_000,
            .milliseconds,
            "How long a prompt of a pairing waits for its answer"
        ).remotely(.atOnce),
    ]

    private static let limits: [ConfigurationKey] = [
        integer(
            "limits.maxPayloadBytes",
            \.limits.maximumPayloadBytes,
            1024...16_777_216,
            unit: "bytes",
            "The largest command"
        ).remotely(.connection),
        integer(
            "limits.maxResultBytes",
            \.limits.maximumResultBytes,
            1024...16_777_216,
            unit: "bytes",
            "The largest result; less where the broker says so"
        ).remotely(.atOnce),
        integer(
            "limits.maxQueuedPerDevice",
            \.limits.maximumQueuedPerDevice,
            1...10_000,
            "Jobs that wait for one device"
        ).remotely(.atOnce),
        integer("limits.maxQueuedTotal", \.limits.maximumQueuedTotal, 1...100_000, "Jobs that wait in all").remotely(
            .atOnce
        ),
        duration(
            "limits.defaultTtlMs",
            \.limits.defaultTTL,
            1000...86_400_000,
            .milliseconds,
            "How long a command without an expiry of its own may wait"
        ).remotely(.atOnce),
        duration(
            "limits.replayWindowMs",
            \.limits.replayWindow,
            10_000...86_400_000,
            .milliseconds,
            "How long a command is remembered, so that its repetition gets the first one's answer"
        ).remotely(.atOnce),
        integer("limits.replayCommands", \.limits.replayCommands, 100...1_000_000, "Commands that are remembered")
            .remotely(.restart),
        integer(
            "limits.replayBytes",
            \.limits.replayBytes,
            65_536...1_073_741_824,
            unit: "bytes",
            "Bytes of the commands that are remembered and of their answers"
        ).remotely(.restart),
        duration(
            "limits.healthIntervalSeconds",
            \.limits.healthInterval,
            1...86_400,
            .seconds,
            "The gap between two health messages"
        ).remotely(.atOnce),
        duration(
            "limits.retainedDeviceHours",
            \.limits.retainedDevice,
            1...8760,
            .hours,
            "How long retained topics of a device outside `devices` stay without use"
        ).remotely(.atOnce),
    ]

    private static let links: [ConfigurationKey] = [
        choice("links.policy", \.links.rules.policy, "When a device has a link, where nothing else is said of it")
            .remotely(.atOnce),
        duration(
            "links.idleMs",
            \.links.rules.idle,
            LinkSettings.idleMs,
            .milliseconds,
            "How long a link stays that neither a command nor a subscription needs"
        ).remotely(.atOnce),
        optionalInteger(
            "links.maxAttempts",
            \.links.rules.maxAttempts,
            LinkSettings.attempts,
            defaultInWords: "without an end",
            "How often in a row making a link again is tried"
        ).remotely(.atOnce),
        optionalInteger(
            "links.rssiMin",
            \.links.rules.rssiMin,
            LinkSettings.rssi,
            defaultInWords: "none",
            "The weakest signal, in dBm, at which making a link again is tried"
        ).remotely(.atOnce),
        duration(
            "links.reconnectMinMs",
            \.links.reconnectMinimum,
            100...600_000,
            .milliseconds,
            "The first gap before a link is made again"
        ).remotely(.atOnce),
        duration(
            "links.reconnectMaxMs",
            \.links.reconnectMaximum,
            100...3_600_000,
            .milliseconds,
            "The longest gap before a link is made again"
        ).remotely(.atOnce),
        duration(
            "links.heldMs",
            \.links.held,
            0...3_600_000,
            .milliseconds,
            "How long a link has to stand so that these gaps begin anew"
        ).remotely(.atOnce),
        optionalInteger(
            "links.max",
            \.links.maximum,
            1...64,
            defaultInWords: "what the adapter takes, learned when it refuses one more",
            "The most links of one adapter; commands for more devices wait"
        ).remotely(.atOnce),
    ]

    private static let outbox: [ConfigurationKey] = [
        integer("outbox.maxEvents", \.outbox.events, 0...1_000_000, "Events kept on disk while the broker is away")
            .remotely(.restart),
        integer(
            "outbox.maxNotifications",
            \.outbox.notifications,
            0...1_000_000,
            "Notifications kept on disk while the broker is away"
        ).remotely(.restart),
        integer(
            "outbox.maxBytes",
            \.outbox.bytes,
            65_536...1_073_741_824,
            unit: "bytes",
            "Bytes of each of the two"
        ).remotely(.restart),
        duration(
            "outbox.maxAgeSeconds",
            \.outbox.age,
            1...31_536_000,
            .seconds,
            "How old one of them may be when it goes out"
        ).remotely(.restart),
    ]

    private static let audit: [ConfigurationKey] = [
        file(
            "audit.file",
            \.audit.file,
            defaultInWords: "the log",
            "The file of the audit log"
        ),
        boolean("audit.values", \.audit.showsValues, "Whether the audit log has the bytes that are written to devices"),
    ]

    private static let metrics: [ConfigurationKey] = [
        optionalText(
            "metrics.listen",
            \.metrics.listen,
            expected: "an IP address and a port, as 127.0.0.1:9475 or [::1]:9475",
            range: "an IP address and a port",
            defaultInWords: "none: nothing listens",
            accepts: { ListenAddress($0) != nil },
            "Where `/metrics` and `/healthz` can be read over HTTP"
        )
    ]

    private static let broker = ConfigurationKey(
        path: "broker",
        summary: "The broker",
        expected: "mqtt[s]://[user@]host[:port]",
        range: "`mqtt[s]://[user@]host[:port]`; ports 1883 and, with TLS, 8883",
        unit: nil,
        defaultInWords: nil,
        flag: "--broker",
        form: .text,
        read: { scalar, configuration in
            do throws(BrokerAddressProblem) {
                configuration.broker = try BrokerAddress(url: scalar.text)
                return nil
            } catch {
                return .explained("the URL \(error.explanation); expected mqtt[s]://[user@]host[:port]")
            }
        },
        show: { $0.broker.description },
        copy: { $1.broker = $0.broker }
    )
}
