/// What `doctor` is asked for, beside the configuration.
package struct DoctorInvocation: Sendable, Equatable {
    /// The device to connect to, as it was written: an address or an alias.
    package var device: String?
    /// How long to wait until somebody is heard.
    package var listenTime = Duration.seconds(5)
    package var isJSON = false

    package init() {}
}

extension CommandLineFlag {
    /// The flags of `doctor` alone.
    package static let doctor: [CommandLineFlag] = [
        CommandLineFlag(
            name: "--connect",
            placeholder: "DEVICE",
            summary: "Connect to this device too, an address or an alias, and let it go again",
            defaultText: nil
        ),
        CommandLineFlag(
            name: "--listen",
            placeholder: "SECONDS",
            summary: "How long to wait until a device is heard, 1 to 120",
            defaultText: "5"
        ),
        CommandLineFlag(name: "--json", placeholder: "", summary: "Print one JSON object", defaultText: nil),
    ]
}

/// The values of these flags as they were written.
struct DoctorArguments {
    var values: [String: String] = [:]

    /// What is wrong with them; one line each.
    var problems: [String] {
        guard let text = values["--listen"], Self.seconds(text) == nil else { return [] }
        return ["--listen: expected a whole number of seconds from 1 to 120, found \(LogText.quoted(text))"]
    }

    var invocation: DoctorInvocation {
        var invocation = DoctorInvocation()
        invocation.device = values["--connect"]
        if let seconds = values["--listen"].flatMap(Self.seconds) { invocation.listenTime = .seconds(seconds) }
        invocation.isJSON = values["--json"] != nil
        return invocation
    }

    private static func seconds(_ text: String) -> Int? {
        Int(text).flatMap { (1...120).contains($0) ? $0 : nil }
    }
}
