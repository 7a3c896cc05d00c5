extension FaultCase {
    /// Pairings that fail, and bonds that do not do any more.
    static let pairing: [FaultCase] = [
        .init(
            "pairing-failed",
            .pairingFailed,
            "pair",
            applied: "no",
            dbus: "org.bluez.Error.AuthenticationFailed"
        ),
        .init(
            "pairing-rejected",
            .pairingRejected,
            "pair",
            applied: "no",
            keys: ["bluetooth.pairing.promptMs": "1000"]
        ),
        .init(
            "needs-pairing-asked",
            .needsPairing,
            "read",
            #""service":"ffe0","characteristic":"ffe1""#
        ),
        .init("stale-bond", .staleBondToConnect, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init("stale-bond", .staleBondToConnect, "connect", applied: "no"),
        .init("stale-bond-refused", .staleBond, "read", #""service":"ffe0","characteristic":"ffe1""#),
        .init(
            "stale-bond-refused",
            .staleBond,
            "write",
            #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#,
            applied: "no"
        ),
        .init("bluetooth-unavailable", .bluetoothUnavailable, "pair", applied: "no"),
        .init("bluetooth-unavailable", .bluetoothUnavailable, "unpair", applied: "no"),
        .init("bluetooth-unavailable", .bluetoothUnavailable, "trust", #""trusted":true"#, applied: "no"),
        .init("bluetooth-unavailable", .bluetoothUnavailable, "forget", applied: "no"),
        .init("unauthorized", .unauthorized, "pair", applied: "no"),
        .init("adapter-off", .adapterOff, "pair", applied: "no"),
        .init("not-in-range", .notInRange, "trust", #""trusted":true"#, applied: "no"),
    ]
}
