/// A command as somebody might send it, for `check-config --try`.
package struct SampleCommand: Sendable, Equatable {
    /// Whom the topic speaks to.
    package enum Place: Sendable, Equatable {
        case gateway
        case device(String)
        case group(String)
        /// Every gateway.
        case all
    }

    /// The payload.
    package var json: String
    /// The last level of the topic; nil without one.
    package var caller: String?
    package var place: Place

    package init(json: String, caller: String? = nil, place: Place = .gateway) {
        self.json = json
        self.caller = caller
        self.place = place
    }

    /// The topic that it would come on.
    package var topic: CommandTopic {
        switch place {
        case .gateway: .gateway(client: caller)
        case .device(let name): .device(name, client: caller)
        case .group(let name): .group(name, client: caller)
        case .all: .all(client: caller)
        }
    }
}

/// The flags of a sample command as they were given.
struct SampleArguments {
    /// Values by flag.
    var values: [String: String] = [:]

    /// The sample; nil without `--try`.
    var command: SampleCommand? {
        guard let json = values["--try"] else { return nil }
        let place: SampleCommand.Place =
            if let device = values["--dev"] {
                .device(device)
            } else if let group = values["--group"] {
                .group(group)
            } else {
                values["--all"] == nil ? .gateway : .all
            }
        return SampleCommand(json: json, caller: values["--as"], place: place)
    }

    /// What is wrong with the flags together.
    var problems: [String] {
        var problems: [String] = []
        let given = CommandLineFlag.sample.map(\.name).filter { values[$0] != nil }
        if values["--try"] == nil, let first = given.first { problems.append("\(first) needs --try JSON beside it") }
        let places = given.filter { $0 != "--try" && $0 != "--as" }
        if places.count > 1 { problems.append("give one of \(places.joined(separator: " and "))") }
        return problems
    }
}

extension CommandLineFlag {
    /// The flags of `check-config` that describe a sample command.
    package static let sample = [
        CommandLineFlag(
            name: "--try",
            placeholder: "JSON",
            summary: "A command's payload: say whether the policy allows it",
            defaultText: nil
        ),
        CommandLineFlag(
            name: "--as",
            placeholder: "CLIENT",
            summary: "The caller, the last level of the topic",
            defaultText: "none"
        ),
        CommandLineFlag(
            name: "--dev",
            placeholder: "DEV",
            summary: "The device, by alias or address",
            defaultText: "the gateway itself"
        ),
        CommandLineFlag(name: "--group", placeholder: "G", summary: "A group instead", defaultText: nil),
        CommandLineFlag(name: "--all", placeholder: "", summary: "All gateways instead: all/cmd", defaultText: nil),
    ]
}
