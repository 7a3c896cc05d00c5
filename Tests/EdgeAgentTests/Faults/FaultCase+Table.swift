/// The table of commands that fail, each in the world of a scenario.
extension FaultCase {
    static let all = link + adapter + operate + attribute

    /// No link comes to be.
    static let link: [FaultCase] = [
        FaultCase(
            scenario: "connect-timeout",
            verb: "connect",
            fields: #""timeoutMs":1200"#,
            status: "timeout",
            code: "connect-timeout",
            stage: "connect",
            isRetryable: true,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        FaultCase(
            scenario: "discover-timeout",
            verb: "connect",
            fields: #""timeoutMs":1200"#,
            status: "timeout",
            code: "discover-timeout",
            stage: "discover",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "not-in-range",
            verb: "connect",
            fields: #""timeoutMs":1200"#,
            status: "failed",
            code: "not-in-range",
            stage: "scan",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "connect-timeout",
            verb: "discover",
            fields: #""timeoutMs":1200"#,
            status: "timeout",
            code: "connect-timeout",
            stage: "connect",
            isRetryable: true,
            applied: nil,
            dbus: "org.bluez.Error.Failed"
        ),
        FaultCase(
            scenario: "discover-timeout",
            verb: "discover",
            fields: #""timeoutMs":1200"#,
            status: "timeout",
            code: "discover-timeout",
            stage: "discover",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "not-in-range",
            verb: "discover",
            fields: #""timeoutMs":1200"#,
            status: "failed",
            code: "not-in-range",
            stage: "scan",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "connect-timeout",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "timeout",
            code: "connect-timeout",
            stage: "connect",
            isRetryable: true,
            applied: nil,
            dbus: "org.bluez.Error.Failed"
        ),
        FaultCase(
            scenario: "discover-timeout",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "timeout",
            code: "discover-timeout",
            stage: "discover",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "not-in-range",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "failed",
            code: "not-in-range",
            stage: "scan",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "connect-timeout",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":1200"#,
            status: "timeout",
            code: "connect-timeout",
            stage: "connect",
            isRetryable: true,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        FaultCase(
            scenario: "discover-timeout",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":1200"#,
            status: "timeout",
            code: "discover-timeout",
            stage: "discover",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "not-in-range",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":1200"#,
            status: "failed",
            code: "not-in-range",
            stage: "scan",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "connect-timeout",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "timeout",
            code: "connect-timeout",
            stage: "connect",
            isRetryable: true,
            applied: "no",
            dbus: "org.bluez.Error.Failed"
        ),
        FaultCase(
            scenario: "discover-timeout",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "timeout",
            code: "discover-timeout",
            stage: "discover",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "not-in-range",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "failed",
            code: "not-in-range",
            stage: "scan",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "not-in-range",
            verb: "connect",
            fields: #""match":{"namePrefix":"Any"},"timeoutMs":500"#,
            isForDevice: false,
            status: "failed",
            code: "not-in-range",
            stage: "scan",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "needs-pairing",
            verb: "connect",
            fields: #""match":{"name":"Shy"}"#,
            isForDevice: false,
            status: "failed",
            code: "needs-pairing",
            stage: "connect",
            isRetryable: false,
            applied: "no",
            dbus: "org.bluez.Error.AuthenticationFailed"
        ),
    ]

    /// There is nothing to make a link with.
    static let adapter: [FaultCase] = [
        FaultCase(
            scenario: "bluetooth-unavailable",
            verb: "connect",
            status: "failed",
            code: "bluetooth-unavailable",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "bluetooth-unavailable",
            verb: "discover",
            status: "failed",
            code: "bluetooth-unavailable",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "bluetooth-unavailable",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "bluetooth-unavailable",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "bluetooth-unavailable",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "bluetooth-unavailable",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "bluetooth-unavailable",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "bluetooth-unavailable",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "bluetooth-unavailable",
            verb: "scan",
            fields: #""durationMs":300"#,
            isForDevice: false,
            status: "failed",
            code: "bluetooth-unavailable",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "unauthorized",
            verb: "connect",
            status: "failed",
            code: "unauthorized",
            stage: "agent",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "unauthorized",
            verb: "discover",
            status: "failed",
            code: "unauthorized",
            stage: "agent",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "unauthorized",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "unauthorized",
            stage: "agent",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "unauthorized",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "unauthorized",
            stage: "agent",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "unauthorized",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "unauthorized",
            stage: "agent",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "unauthorized",
            verb: "scan",
            fields: #""durationMs":300"#,
            isForDevice: false,
            status: "failed",
            code: "unauthorized",
            stage: "agent",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-missing",
            verb: "connect",
            status: "failed",
            code: "adapter-missing",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-missing",
            verb: "discover",
            status: "failed",
            code: "adapter-missing",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-missing",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "adapter-missing",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-missing",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "adapter-missing",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-missing",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "adapter-missing",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-missing",
            verb: "scan",
            fields: #""durationMs":300"#,
            isForDevice: false,
            status: "failed",
            code: "adapter-missing",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-off",
            verb: "connect",
            status: "failed",
            code: "adapter-off",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-off",
            verb: "discover",
            status: "failed",
            code: "adapter-off",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-off",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "adapter-off",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-off",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "adapter-off",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-off",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "adapter-off",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-off",
            verb: "scan",
            fields: #""durationMs":300"#,
            isForDevice: false,
            status: "failed",
            code: "adapter-off",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-blocked",
            verb: "connect",
            before: [("adapter.power", #""on":true"#)],
            status: "failed",
            code: "adapter-blocked",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-blocked",
            verb: "discover",
            before: [("adapter.power", #""on":true"#)],
            status: "failed",
            code: "adapter-blocked",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-blocked",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            before: [("adapter.power", #""on":true"#)],
            status: "failed",
            code: "adapter-blocked",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-blocked",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            before: [("adapter.power", #""on":true"#)],
            status: "failed",
            code: "adapter-blocked",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-blocked",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            before: [("adapter.power", #""on":true"#)],
            status: "failed",
            code: "adapter-blocked",
            stage: "agent",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "adapter-blocked",
            verb: "scan",
            fields: #""durationMs":300"#,
            isForDevice: false,
            before: [("adapter.power", #""on":true"#)],
            status: "failed",
            code: "adapter-blocked",
            stage: "agent",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "adapter-blocked",
            verb: "adapter.power",
            fields: #""on":true"#,
            isForDevice: false,
            status: "failed",
            code: "adapter-blocked",
            stage: "agent",
            isRetryable: true,
            applied: "no",
            dbus: "org.bluez.Error.Blocked"
        ),
    ]

    /// The link or bluetoothd fails while a call is out.
    static let operate: [FaultCase] = [
        FaultCase(
            scenario: "timeout",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "timeout",
            code: "timeout",
            stage: "operate",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "link-lost",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "link-lost",
            stage: "operate",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "link-lost-answered",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            event: ("drop", "ReadValue"),
            status: "failed",
            code: "link-lost",
            stage: "operate",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "device-removed",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "device-removed",
            stage: "operate",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "bus-lost",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "unknown",
            code: "bus-lost",
            stage: "operate",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "busy",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "busy",
            stage: "operate",
            isRetryable: true,
            applied: nil
        ),
        FaultCase(
            scenario: "not-supported",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "not-supported",
            stage: "operate",
            isRetryable: false,
            applied: nil,
            dbus: "org.bluez.Error.NotSupported"
        ),
        FaultCase(
            scenario: "timeout",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"},"timeoutMs":1200"#,
            status: "timeout",
            code: "timeout",
            stage: "operate",
            isRetryable: true,
            applied: "maybe"
        ),
        FaultCase(
            scenario: "link-lost",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "link-lost",
            stage: "operate",
            isRetryable: true,
            applied: "maybe"
        ),
        FaultCase(
            scenario: "link-lost-answered",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            event: ("drop", "WriteValue"),
            status: "failed",
            code: "link-lost",
            stage: "operate",
            isRetryable: true,
            applied: "maybe"
        ),
        FaultCase(
            scenario: "device-removed",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "device-removed",
            stage: "operate",
            isRetryable: true,
            applied: "maybe"
        ),
        FaultCase(
            scenario: "bus-lost",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "unknown",
            code: "bus-lost",
            stage: "operate",
            isRetryable: false,
            applied: "maybe"
        ),
        FaultCase(
            scenario: "busy",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "busy",
            stage: "operate",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "not-supported",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "not-supported",
            stage: "operate",
            isRetryable: false,
            applied: "no",
            dbus: "org.bluez.Error.NotSupported"
        ),
        FaultCase(
            scenario: "timeout",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1","timeoutMs":1200"#,
            status: "timeout",
            code: "timeout",
            stage: "operate",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "link-lost",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "link-lost",
            stage: "operate",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "device-removed",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "device-removed",
            stage: "operate",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "bus-lost",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "unknown",
            code: "bus-lost",
            stage: "operate",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "busy",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "busy",
            stage: "operate",
            isRetryable: true,
            applied: "no"
        ),
        FaultCase(
            scenario: "not-supported",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "not-supported",
            stage: "operate",
            isRetryable: false,
            applied: "no",
            dbus: "org.bluez.Error.NotSupported"
        ),
        FaultCase(
            scenario: "wrong-answers",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "internal",
            stage: "agent",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "discovery-fails",
            verb: "scan",
            fields: #""durationMs":300"#,
            isForDevice: false,
            status: "failed",
            code: "internal",
            stage: "agent",
            isRetryable: false,
            applied: nil,
            dbus: "org.bluez.Error.Failed"
        ),
    ]

    /// The device does not have what is asked for, or will not.
    static let attribute: [FaultCase] = [
        FaultCase(
            scenario: "needs-pairing",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "needs-pairing",
            stage: "operate",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "needs-pairing",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "needs-pairing",
            stage: "operate",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "attributes",
            verb: "discover",
            fields: #""services":["ffe0","180a"]"#,
            status: "failed",
            code: "no-service",
            stage: "discover",
            isRetryable: false,
            applied: nil,
            missing: ["180a"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "discover",
            fields: #""services":["ffe0"],"characteristics":["fff9"]"#,
            status: "failed",
            code: "no-characteristic",
            stage: "discover",
            isRetryable: false,
            applied: nil,
            missing: ["fff9"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "read",
            fields: #""service":"180a","characteristic":"ffe1""#,
            status: "failed",
            code: "no-service",
            stage: "discover",
            isRetryable: false,
            applied: nil,
            missing: ["180a"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"fff9""#,
            status: "failed",
            code: "no-characteristic",
            stage: "discover",
            isRetryable: false,
            applied: nil,
            missing: ["fff9"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "ambiguous-characteristic",
            stage: "discover",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "attributes",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe2""#,
            status: "failed",
            code: "not-supported",
            stage: "operate",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "attributes",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe3","descriptor":"2901""#,
            status: "failed",
            code: "no-descriptor",
            stage: "discover",
            isRetryable: false,
            applied: nil,
            missing: ["2901"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "write",
            fields: #""service":"180a","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "no-service",
            stage: "discover",
            isRetryable: false,
            applied: "no",
            missing: ["180a"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"fff9","value":{"hex":"02"}"#,
            status: "failed",
            code: "no-characteristic",
            stage: "discover",
            isRetryable: false,
            applied: "no",
            missing: ["fff9"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "ambiguous-characteristic",
            stage: "discover",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "attributes",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe3","value":{"hex":"02"}"#,
            status: "failed",
            code: "not-supported",
            stage: "operate",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "attributes",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe3","descriptor":"2901","value":{"hex":"02"}"#,
            status: "failed",
            code: "no-descriptor",
            stage: "discover",
            isRetryable: false,
            applied: "no",
            missing: ["2901"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "subscribe",
            fields: #""service":"180a","characteristic":"ffe1""#,
            status: "failed",
            code: "no-service",
            stage: "discover",
            isRetryable: false,
            applied: "no",
            missing: ["180a"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"fff9""#,
            status: "failed",
            code: "no-characteristic",
            stage: "discover",
            isRetryable: false,
            applied: "no",
            missing: ["fff9"]
        ),
        FaultCase(
            scenario: "attributes",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "ambiguous-characteristic",
            stage: "discover",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "attributes",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe2""#,
            status: "failed",
            code: "not-supported",
            stage: "operate",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe1""#,
            status: "failed",
            code: "att-error",
            stage: "operate",
            isRetryable: false,
            applied: nil,
            att: "0x80"
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "att-error",
            stage: "operate",
            isRetryable: false,
            applied: "no",
            att: "0x81"
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "read",
            fields: #""service":"ffe0","characteristic":"ffe2""#,
            status: "failed",
            code: "not-permitted",
            stage: "operate",
            isRetryable: false,
            applied: nil
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe2","value":{"hex":"02"}"#,
            status: "failed",
            code: "not-permitted",
            stage: "operate",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe3","value":{"hex":"0102030405"}"#,
            status: "failed",
            code: "att-error",
            stage: "operate",
            isRetryable: false,
            applied: "no",
            att: "0x0d"
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe4""#,
            status: "failed",
            code: "att-error",
            stage: "operate",
            isRetryable: false,
            applied: "no",
            att: "0x81"
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "subscribe",
            fields: #""service":"ffe0","characteristic":"ffe5""#,
            status: "failed",
            code: "not-permitted",
            stage: "operate",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "att-errors",
            verb: "write",
            fields:
                #""service":"ffe0","characteristic":"ffe3","value":{"hex":"\#(String(repeating: "00", count: 513))"}"#,
            status: "failed",
            code: "value-too-long",
            stage: "operate",
            isRetryable: false,
            applied: "no"
        ),
        FaultCase(
            scenario: "value-too-long",
            verb: "write",
            fields: #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            status: "failed",
            code: "value-too-long",
            stage: "operate",
            isRetryable: false,
            applied: "no",
            dbus: "org.bluez.Error.InvalidValueLength"
        ),
    ]
}
