internal import BleCore
internal import Frames
internal import Profiles

/// `profile try`: what a profile makes of a sample.
enum ProfileTrialCommand {
    typealias Outcome = ProfileCommandLine.Outcome

    /// A sample that is none.
    private struct Refusal: Error {
        let problems: [String]
        var code: ExitCode = .sampleRefused
    }

    static func run(_ trial: ProfileTrial) -> Outcome {
        do throws(Refusal) {
            if trial.profile == automatic { return Outcome(text: try automatic(trial)) }
            let profile = try profile(trial.profile)
            var text = ""
            if trial.command != nil {
                text += try command(trial, of: profile)
            } else if let hex = trial.hex {
                text += try characteristic(try bytes(hex, "--hex"), trial.value, of: profile)
            }
            if !trial.advertised.isEmpty { text += try advertisement(trial, of: profile) }
            return Outcome(text: text)
        } catch {
            return Outcome(problems: error.problems.map { ProfileCommandLine.shown($0) }, code: error.code)
        }
    }

    private static func profile(_ name: String) throws(Refusal) -> Profile {
        if let builtIn = BuiltInProfiles.all.first(where: { $0.id == name }) { return builtIn }
        do throws(ProfileProblems) { return try ProfileFiles.read(name) } catch {
            let isUnreadable = error.problems.first?.message.hasPrefix("cannot be read") == true
            throw Refusal(problems: error.problems.map(\.description), code: isUnreadable ? .noInput : .configuration)
        }
    }

    private static func bytes(_ text: String, _ flag: String) throws(Refusal) -> [UInt8] {
        let digits = text.utf8.filter { ![0x20, 0x3A, 0x2D].contains($0) }
        let nibbles = digits.compactMap { Hex.value($0) }
        guard nibbles.count == digits.count, nibbles.count.isMultiple(of: 2) else {
            throw Refusal(problems: ["\(flag): expected bytes in hexadecimal, found \(quoted(text))"], code: .usage)
        }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    /// The first source that reads something, or the one that yields the value.
    private static func characteristic(
        _ bytes: [UInt8],
        _ value: String?,
        of profile: Profile
    ) throws(Refusal) -> String {
        let sources = profile.sources.filter { source in
            !source.isAdvertised && value.map { source.yields($0) } ?? true
        }
        guard !sources.isEmpty else {
            let known = profile.values.filter { !$0.isAdvertised }.map(\.name).joined(separator: ", ")
            let what = value.map { "no characteristic tells \(quoted($0))" } ?? "the profile reads no characteristic"
            throw Refusal(problems: [what + (known.isEmpty ? "" : "; there are: \(known)")])
        }
        for source in sources {
            let reading = source.read(bytes, of: profile)
            guard !reading.values.isEmpty else { continue }
            return heading(of: source) + lines(of: reading)
        }
        throw Refusal(problems: [
            "the \(bytes.count) bytes are nothing that the profile reads: too short, or for another layout"
        ])
    }

    private static func heading(of source: ValueSource) -> String {
        guard case .characteristic(let selector, _) = source.place else { return "" }
        return "characteristic \(selector.shown)\n"
    }

    /// The word for whichever built-in profiles recognise an advertisement.
    private static let automatic = "auto"

    private static func automatic(_ trial: ProfileTrial) throws(Refusal) -> String {
        guard !trial.advertised.isEmpty, trial.hex == nil, trial.command == nil else {
            throw Refusal(problems: ["auto is for advertisements: give --advert"], code: .usage)
        }
        let (heard, keys) = try heard(trial)
        var reader = AdvertisementReader(library: .builtIn(), keys: keys)
        let reading = reader.read(heard, at: .zero)
        if let refusal = reading.refusal {
            let name = reading.profiles.joined(separator: ", ")
            throw Refusal(problems: ["recognised by \(name), and nothing was read: \(refusal.rawValue)"])
        }
        guard !reading.isEmpty else { throw Refusal(problems: ["no built-in profile reads the advertisement"]) }
        return "recognised by \(reading.profiles.joined(separator: ", "))\n" + lines(of: reading)
    }

    private static func heard(_ trial: ProfileTrial) throws(Refusal) -> (Advertisement, BindKeys) {
        guard let address = DeviceAddress(trial.address ?? "C0:00:00:00:00:01") else {
            throw Refusal(problems: ["--address: expected an address, as a4:c1:38:8d:18:b2"], code: .usage)
        }
        var heard = Advertisement(address: address, adapter: "hci0", heard: 0)
        for piece in trial.advertised { try add(piece, to: &heard) }
        var keys = BindKeys()
        if let file = trial.keys {
            do throws(BindKeys.Problem) { keys = try BindKeys.read(file) } catch {
                throw Refusal(problems: ["\(file) \(error.description)"], code: .noInput)
            }
        }
        return (heard, keys)
    }

    private static func advertisement(_ trial: ProfileTrial, of profile: Profile) throws(Refusal) -> String {
        let (heard, keys) = try heard(trial)
        var reader = AdvertisementReader(library: ProfileLibrary([profile]), keys: keys)
        let isRecognised = profile.match.contains { $0.holds(for: heard) }
        let reading = reader.read(heard, boundTo: profile.id, at: .zero)
        let first =
            isRecognised
            ? "recognised by match\n" : "not recognised by match: the configuration has to name the profile\n"
        if let refusal = reading.refusal {
            throw Refusal(
                problems: [first + "nothing was read: \(refusal.rawValue)"].map { $0.replacing("\n", with: "; ") }
            )
        }
        guard !reading.isEmpty else {
            throw Refusal(problems: ["no source of the profile reads the advertisement"])
        }
        return first + lines(of: reading)
    }

    private static func add(_ piece: String, to heard: inout Advertisement) throws(Refusal) {
        let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        let form = "expected manufacturer:0499=HEX, service:fcd2=HEX, name=TEXT or uuid=UUID"
        let refusal = Refusal(problems: ["--advert: \(form), found \(quoted(piece))"], code: .usage)
        guard parts.count == 2 else { throw refusal }
        let head = parts[0].split(separator: ":", maxSplits: 1).map { String($0) }
        switch (head.first, head.count == 2 ? BluetoothUUID(head[1]) : nil) {
        case ("name", nil): heard.name = parts[1]
        case ("uuid", nil):
            guard let uuid = BluetoothUUID(parts[1]) else { throw refusal }
            heard.services.append(uuid)
        case ("manufacturer", let id?):
            guard let company = id.short.flatMap({ UInt16(exactly: $0) }) else { throw refusal }
            heard.manufacturerData[company] = try bytes(parts[1], "--advert")
        case ("service", let uuid?): heard.serviceData[uuid] = try bytes(parts[1], "--advert")
        default: throw refusal
        }
    }

    private static func command(_ trial: ProfileTrial, of profile: Profile) throws(Refusal) -> String {
        let name = trial.command ?? ""
        guard let command = profile.command(forSetting: name) else {
            let known = profile.commands.map(\.name).joined(separator: ", ")
            let hint = known.isEmpty ? "the profile has none" : "there are: \(known)"
            throw Refusal(problems: ["there is no command \(quoted(name)); \(hint)"])
        }
        var arguments: [String: ParsedValue] = [:]
        for text in trial.arguments {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            guard parts.count == 2 else {
                throw Refusal(problems: ["--arg: expected name=value, found \(quoted(text))"], code: .usage)
            }
            let argument = command.arguments.first { $0.name == parts[0] }
            arguments[parts[0]] = argument?.value(ofBare: parts[1]) ?? .text(parts[1])
        }
        let prepared: PreparedCommand
        do throws(ArgumentProblems) { prepared = try command.prepared(with: arguments) } catch {
            throw Refusal(problems: error.problems)
        }
        switch prepared {
        case .read(let selector, let parse):
            let text = "reads \(selector.shown)\n"
            guard let hex = trial.hex else { return text }
            return try text + parsed(try bytes(hex, "--hex"), parse)
        case .transact(let rules):
            var text = "writes \(Hex.text(rules.framed)) to \(rules.write.shown)\n"
            if let notify = rules.notify { text += "answer from \(notify.shown)\n" }
            guard let hex = trial.hex else { return text }
            return try text + answer(try bytes(hex, "--hex"), rules)
        }
    }

    /// What an answer comes to that arrives in one packet.
    private static func answer(_ bytes: [UInt8], _ rules: TransactRules) throws(Refusal) -> String {
        if rules.fail?.holds(for: bytes) == true {
            throw Refusal(problems: ["the answer fulfils the fail rule: the device refuses"])
        }
        if rules.accept?.holds(for: bytes) == false {
            throw Refusal(problems: ["the packet does not fulfil accept: it would be passed over"])
        }
        do throws(FrameFailure) {
            let answer = try rules.answer(from: ResponsePackets([rules.take?.kept(of: bytes) ?? bytes]))
            return answer.parsed.map { line($0.name, $0.value, $0.unit) }.joined()
                + (answer.surplus.isEmpty ? "" : "surplus \(Hex.text(answer.surplus))\n")
        } catch { throw Refusal(problems: [error.detail]) }
    }

    private static func parsed(_ bytes: [UInt8], _ fields: [ParseField]) throws(Refusal) -> String {
        var text = ""
        for field in fields {
            do throws(FrameFailure) { text += line(field.name, try field.read(bytes), field.unit) } catch {
                throw Refusal(problems: [error.detail])
            }
        }
        return text
    }

    private static func lines(of reading: AdvertisementReading) -> String {
        let values = reading.values.map { value in
            line(value.name, value.value, value.unit, note: value.isState ? "" : "  (no state)")
        }
        let events = reading.events.map { event in
            let details = event.details.map { " \($0.name) \(text(of: $0.value))" }.joined()
            return "event \(event.name) \(event.index): \(event.type)\(details)\n"
        }
        return (values + events + reading.warnings.map { "warning: \($0)\n" }).joined()
    }

    private static func line(_ name: String, _ value: ParsedValue, _ unit: String?, note: String = "") -> String {
        let unit = value == .null ? "" : unit.map { " \($0)" } ?? ""
        return ProfileCommandLine.shown("\(name) = \(text(of: value))\(unit)\(note)") + "\n"
    }

    private static func text(of value: ParsedValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .text(let text): "'\(text)'"
        }
    }
}

extension AttributeSelector {
    /// The characteristic as a person names it.
    fileprivate var shown: String {
        let uuids = [service, characteristic].compactMap { $0.map { "\($0)" } }.joined(separator: "/")
        return [uuids, handle.map { "handle \($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
