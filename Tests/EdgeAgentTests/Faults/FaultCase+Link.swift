extension FaultCase {
    /// Commands for which no link comes to be.
    static let link: [FaultCase] = [
        .init(
            "connect-timeout",
            .connectTimeout,
            "connect",
            #""timeoutMs":1200"#,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        .init("discover-timeout", .discoverTimeout, "connect", #""timeoutMs":1200"#, applied: "no"),
        .init("not-in-range", .notInRange, "connect", #""timeoutMs":1200"#, applied: "no"),
        .init("connect-timeout", .connectTimeout, "discover", #""timeoutMs":1200"#, dbus: "org.bluez.Error.Failed"),
        .init("discover-timeout", .discoverTimeout, "discover", #""timeoutMs":1200"#),
        .init("not-in-range", .notInRange, "discover", #""timeoutMs":1200"#),
        .init(
            "connect-timeout",
            .connectTimeout,
            "read",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            dbus: "org.bluez.Error.Failed"
        ),
        .init(
            "discover-timeout",
            .discoverTimeout,
            "read",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#
        ),
        .init("not-in-range", .notInRange, "read", #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#),
        .init(
            "connect-timeout",
            .connectTimeout,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":1200"#,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        .init(
            "discover-timeout",
            .discoverTimeout,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":1200"#,
            applied: "no"
        ),
        .init(
            "not-in-range",
            .notInRange,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":1200"#,
            applied: "no"
        ),
        .init(
            "connect-timeout",
            .connectTimeout,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        .init(
            "discover-timeout",
            .discoverTimeout,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            applied: "no"
        ),
        .init(
            "not-in-range",
            .notInRange,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            applied: "no"
        ),
        .init(
            "not-in-range",
            .notInRange,
            "connect",
            #""match":{"namePrefix":"Any"},"timeoutMs":500"#,
            applied: "no",
            isForDevice: false
        ),
        .init(
            "needs-pairing",
            .needsPairingToConnect,
            "connect",
            #""match":{"name":"Shy"}"#,
            applied: "no",
            isForDevice: false,
            dbus: "org.bluez.Error.AuthenticationFailed"
        ),
    ]
}
