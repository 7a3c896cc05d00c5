extension FaultCase {
    /// Commands for which no link comes to be.
    static let link: [FaultCase] = [
        .init(
            "connect-timeout",
            .connectTimeout,
            "connect",
            #""timeoutMs":3000"#,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        .init("discover-timeout", .discoverTimeout, "connect", #""timeoutMs":3000"#, applied: "no"),
        .init("not-in-range", .notInRange, "connect", #""timeoutMs":3000"#, applied: "no"),
        .init("connect-timeout", .connectTimeout, "discover", #""timeoutMs":3000"#, dbus: "org.bluez.Error.Failed"),
        .init("discover-timeout", .discoverTimeout, "discover", #""timeoutMs":3000"#),
        .init("not-in-range", .notInRange, "discover", #""timeoutMs":3000"#),
        .init(
            "connect-timeout",
            .connectTimeout,
            "read",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#,
            dbus: "org.bluez.Error.Failed"
        ),
        .init(
            "discover-timeout",
            .discoverTimeout,
            "read",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#
        ),
        .init("not-in-range", .notInRange, "read", #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#),
        .init(
            "connect-timeout",
            .connectTimeout,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":3000"#,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        .init(
            "discover-timeout",
            .discoverTimeout,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":3000"#,
            applied: "no"
        ),
        .init(
            "not-in-range",
            .notInRange,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":3000"#,
            applied: "no"
        ),
        .init(
            "connect-timeout",
            .connectTimeout,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        .init(
            "discover-timeout",
            .discoverTimeout,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#,
            applied: "no"
        ),
        .init(
            "not-in-range",
            .notInRange,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#,
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
