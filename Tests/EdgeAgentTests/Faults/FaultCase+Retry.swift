extension FaultCase {
    /// Commands whose tries to make a link are counted: the last error is told as what it is.
    static let retry: [FaultCase] = [
        ("connect-failed", FaultOutcome.connectFailed, 1, "org.bluez.Error.Failed" as String?),
        ("link-lost-connecting", .linkLostToConnect, 1, nil),
        ("device-removed-connecting", .deviceRemovedToConnect, 1, nil),
        ("no-slot", .noSlot, 0, "org.bluez.Error.Failed"),
    ].flatMap { scenario, outcome, max, dbus in
        commands.map { verb, fields, applied in
            let retry = #""retry":{"max":\#(max)}"#
            return FaultCase(
                scenario,
                outcome,
                verb,
                fields.isEmpty ? retry : fields + "," + retry,
                applied: applied,
                dbus: dbus,
                attempt: max + 1
            )
        }
    }

    private static let commands: [(verb: String, fields: String, applied: String?)] = [
        ("connect", "", "no"), ("discover", "", nil), ("read", #""service":"ffe0","characteristic":"ffe1""#, nil),
        ("write", #""service":"ffe0","characteristic":"ffe1","value":{"hex":"02"}"#, "no"),
        ("subscribe", #""service":"ffe0","characteristic":"ffe1""#, "no"),
    ]
}
