extension FaultCase {
    /// Commands for which the device has or gives not what is asked for.
    static let attribute: [FaultCase] = [
        .init("needs-pairing", .needsPairing, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "needs-pairing",
            .needsPairing,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init("attributes", .noService, "discover", #""services":["ffe0","180a"]"#, missing: ["180a"]),
        .init(
            "attributes",
            .noCharacteristic,
            "discover",
            #""services":["ffe0"],"characteristics":["fff9"]"#,
            missing: ["fff9"]
        ),
        .init("attributes", .noService, "read", #""service":"180a","characteristic":"ffe1""#, missing: ["180a"]),
        .init("attributes", .noCharacteristic, "read", #""service":"ffe0","characteristic":"fff9""#, missing: ["fff9"]),
        .init("attributes", .ambiguousCharacteristic, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init("attributes", .notSupported, "read", #""service":"ffe0","characteristic":"ffe2""#),
        .init(
            "attributes",
            .noDescriptor,
            "read",
            #""service":"ffe0","characteristic":"ffe3","descriptor":"2901""#,
            missing: ["2901"]
        ),
        .init(
            "attributes",
            .noService,
            "write",
            #""service":"180a","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no",
            missing: ["180a"]
        ),
        .init(
            "attributes",
            .noCharacteristic,
            "write",
            #""service":"ffe0","characteristic":"fff9","value":{"hex":"02"}"#,
            applied: "no",
            missing: ["fff9"]
        ),
        .init(
            "attributes",
            .ambiguousCharacteristic,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init(
            "attributes",
            .notSupported,
            "write",
            #""service":"ffe0","characteristic":"ffe3","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init(
            "attributes",
            .noDescriptor,
            "write",
            #""service":"ffe0","characteristic":"ffe3","descriptor":"2901","value":{"hex":"02"}"#,
            applied: "no",
            missing: ["2901"]
        ),
        .init(
            "attributes",
            .noService,
            "subscribe",
            #""service":"180a","characteristic":"ffe1""#,
            applied: "no",
            missing: ["180a"]
        ),
        .init(
            "attributes",
            .noCharacteristic,
            "subscribe",
            #""service":"ffe0","characteristic":"fff9""#,
            applied: "no",
            missing: ["fff9"]
        ),
        .init(
            "attributes",
            .ambiguousCharacteristic,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe1""#,
            applied: "no"
        ),
        .init("attributes", .notSupported, "subscribe", #""service":"ffe0","characteristic":"ffe2""#, applied: "no"),
        .init("att-errors", .attError, "read", #""service":"ffe0","characteristic":"ffe1""#, att: "0x80"),
        .init(
            "att-errors",
            .attError,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no",
            att: "0x81"
        ),
        .init("att-errors", .notPermitted, "read", #""service":"ffe0","characteristic":"ffe2""#),
        .init(
            "att-errors",
            .notPermitted,
            "write",
            #""service":"ffe0","characteristic":"ffe2","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init(
            "att-errors",
            .attError,
            "write",
            #""service":"ffe0","characteristic":"ffe3","value":{"hex":"0102030405"}"#,
            applied: "no",
            att: "0x0d"
        ),
        .init(
            "att-errors",
            .attError,
            "subscribe",
            #""service":"ffe0","characteristic":"ffe4""#,
            applied: "no",
            att: "0x81"
        ),
        .init("att-errors", .notPermitted, "subscribe", #""service":"ffe0","characteristic":"ffe5""#, applied: "no"),
        .init(
            "att-errors",
            .valueTooLong,
            "write",
            #""service":"ffe0","characteristic":"ffe3","value":{"hex":"\#(String(repeating: "00", count: 513))"}"#,
            applied: "no"
        ),
        .init(
            "value-too-long",
            .valueTooLong,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no",
            dbus: "org.bluez.Error.InvalidValueLength"
        ),
    ]
}
