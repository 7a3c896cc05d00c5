extension FaultCase {
    /// Commands during which the link, bluetoothd or the answer fails.
    static let operate: [FaultCase] = [
        .init("timeout", .timeout, "read", #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#),
        .init("link-lost", .linkLost, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "link-lost-answered",
            .linkLost,
            "read",
            #""service":"ffe0","characteristic":"ffe1""#,
            event: ("drop", "ReadValue")
        ),
        .init("device-removed", .deviceRemoved, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init("bus-lost", .busLost, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init("busy", .busy, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "not-supported",
            .notSupported,
            "read",
            #""service":"ffe0","characteristic":"ffe1""#,
            dbus: "org.bluez.Error.NotSupported"
        ),
        .init(
            "timeout",
            .timeout,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":3000"#,
            applied: "maybe"
        ),
        .init(
            "link-lost",
            .linkLost,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "maybe"
        ),
        .init(
            "link-lost-answered",
            .linkLost,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "maybe",
            event: ("drop", "WriteValue")
        ),
        .init(
            "device-removed",
            .deviceRemoved,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "maybe"
        ),
        .init(
            "bus-lost",
            .busLost,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "maybe"
        ),
        .init("busy", .busy, "write", #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#, applied: "no"),
        .init(
            "not-supported",
            .notSupported,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no",
            dbus: "org.bluez.Error.NotSupported"
        ),
        .init(
            "timeout",
            .timeout,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1","timeoutMs":3000"#,
            applied: "maybe"
        ),
        .init("link-lost", .linkLost, "subscribe", #""service":"ffe0","characteristic":"ffe1""#, applied: "maybe"),
        .init(
            "device-removed",
            .deviceRemoved,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1""#,
            applied: "maybe"
        ),
        .init("bus-lost", .busLost, "subscribe", #""service":"ffe0","characteristic":"ffe1""#, applied: "maybe"),
        // That bluetoothd's objects are gone with it does not say that the link was ended, or the device forgotten.
        .init(
            "bus-lost",
            .busLost,
            "disconnect",
            applied: "maybe",
            before: [("connect", #""match":{"name":"Thing"}"#)]
        ),
        .init("bus-lost", .busLost, "forget", applied: "maybe"),
        .init("busy", .busy, "subscribe", #""service":"ffe0","characteristic":"ffe1""#, applied: "no"),
        .init(
            "not-supported",
            .notSupported,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1""#,
            applied: "no",
            dbus: "org.bluez.Error.NotSupported"
        ),
        .init("wrong-answers", .internalError, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "discovery-fails",
            .internalError,
            "scan",
            #""durationMs":300"#,
            isForDevice: false,
            dbus: "org.bluez.Error.Failed"
        ),
    ]

    /// Commands whose value is out, without an answer, when the agent is killed.
    static let killed: [FaultCase] = [
        .init(
            "timeout",
            .outcomeUnknown,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "maybe"
        ),
        .init(
            "timeout",
            .outcomeUnknown,
            "transact",
            #""service":"ffe0","write":"ffe1","data":{"hex":"02"}"#,
            applied: "maybe"
        ),
        .init(
            "timeout",
            .outcomeUnknown,
            "sequence",
            #""steps":[{"verb":"connect"},{"verb":"write","service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}}]"#,
            applied: "maybe"
        ),
    ]
}
