extension FaultCase {
    /// Commands for which there is no bluetoothd or adapter.
    static let adapter: [FaultCase] = [
        .init("bluetooth-unavailable", .bluetoothUnavailable, "connect", applied: "no"),
        .init("bluetooth-unavailable", .bluetoothUnavailable, "discover"),
        .init("bluetooth-unavailable", .bluetoothUnavailable, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "bluetooth-unavailable",
            .bluetoothUnavailable,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init(
            "bluetooth-unavailable",
            .bluetoothUnavailable,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1""#,
            applied: "no"
        ),
        .init("bluetooth-unavailable", .bluetoothUnavailable, "scan", #""durationMs":300"#, isForDevice: false),
        .init("unauthorized", .unauthorized, "connect", applied: "no"),
        .init("unauthorized", .unauthorized, "discover"),
        .init("unauthorized", .unauthorized, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "unauthorized",
            .unauthorized,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init("unauthorized", .unauthorized, "subscribe", #""service":"ffe0","characteristic":"ffe1""#, applied: "no"),
        .init("unauthorized", .unauthorized, "scan", #""durationMs":300"#, isForDevice: false),
        .init("adapter-missing", .adapterMissing, "connect", applied: "no"),
        .init("adapter-missing", .adapterMissing, "discover"),
        .init("adapter-missing", .adapterMissing, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "adapter-missing",
            .adapterMissing,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init(
            "adapter-missing",
            .adapterMissing,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1""#,
            applied: "no"
        ),
        .init("adapter-missing", .adapterMissing, "scan", #""durationMs":300"#, isForDevice: false),
        .init("adapter-off", .adapterOff, "connect", applied: "no"),
        .init("adapter-off", .adapterOff, "discover"),
        .init("adapter-off", .adapterOff, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "adapter-off",
            .adapterOff,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init("adapter-off", .adapterOff, "subscribe", #""service":"ffe0","characteristic":"ffe1""#, applied: "no"),
        .init("adapter-off", .adapterOff, "scan", #""durationMs":300"#, isForDevice: false),
        .init("adapter-blocked", .adapterBlocked, "connect", applied: "no", before: [("adapter.power", #""on":true"#)]),
        .init("adapter-blocked", .adapterBlocked, "discover", before: [("adapter.power", #""on":true"#)]),
        .init(
            "adapter-blocked",
            .adapterBlocked,
            "read",
            #""service":"ffe0","characteristic":"ffe1""#,
            before: [("adapter.power", #""on":true"#)]
        ),
        .init(
            "adapter-blocked",
            .adapterBlocked,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no",
            before: [("adapter.power", #""on":true"#)]
        ),
        .init(
            "adapter-blocked",
            .adapterBlocked,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1""#,
            applied: "no",
            before: [("adapter.power", #""on":true"#)]
        ),
        .init(
            "adapter-blocked",
            .adapterBlocked,
            "scan",
            #""durationMs":300"#,
            isForDevice: false,
            before: [("adapter.power", #""on":true"#)]
        ),
        .init(
            "adapter-blocked",
            .adapterBlocked,
            "adapter.power",
            #""on":true"#,
            applied: "no",
            isForDevice: false,
            dbus: "org.bluez.Error.Blocked"
        ),
    ]
}
