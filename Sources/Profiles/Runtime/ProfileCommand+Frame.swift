package import BleCore
package import Frames

/// What a command comes to with its arguments.
package enum PreparedCommand: Sendable, Equatable {
    case transact(TransactRules)
    case read(AttributeSelector, parse: [ParseField])
}

/// What is wrong with the arguments of a command: one line each, with the argument's name in front.
package struct ArgumentProblems: Error, Sendable, Equatable {
    package var problems: [String]

    package init(problems: [String]) { self.problems = problems }
}

extension ProfileCommand {
    /// The most bytes of a frame with its checksum.
    package static let maximumFrameBytes = 4096

    /// Makes the frame of a command, or the read.
    ///
    /// - Parameter arguments: By name; those that are absent have their standard.
    /// - Returns: What is to be done.
    /// - Throws: All that is wrong with them: unknown, missing, of the wrong kind, out of range.
    package func prepared(
        with arguments: [String: ParsedValue] = [:]
    ) throws(ArgumentProblems) -> PreparedCommand {
        var problems: [String] = []
        var bytes: [String: [UInt8]] = [:]
        for argument in self.arguments {
            guard let value = arguments[argument.name] ?? argument.standard else {
                problems.append("\(argument.name): is missing")
                continue
            }
            do throws(ArgumentProblems) { bytes[argument.name] = try argument.bytes(of: value) } catch {
                problems += error.problems
            }
        }
        for name in arguments.keys.sorted() where !self.arguments.contains(where: { $0.name == name }) {
            let known = self.arguments.map(\.name).joined(separator: ", ")
            problems.append("\(quoted(name)): unknown; there \(known.isEmpty ? "is none" : "are: \(known)")")
        }
        guard problems.isEmpty else { throw ArgumentProblems(problems: problems) }
        switch action {
        case .read(let selector, let parse): return .read(selector, parse: parse)
        case .transact(var rules, let template):
            rules.data = try template.frame(bytes, checksum: rules.checksum)
            return .transact(rules)
        }
    }

    /// The arguments of `set/{name}`: a bare value for the only argument without a standard, nothing for a command
    /// without any.
    ///
    /// - Parameter bare: The payload: `21.5`, `on`, `true`, a text; whatever it is for a command without arguments.
    /// - Returns: The arguments by name.
    /// - Throws: What is wrong with it.
    package func arguments(ofBare bare: String) throws(ArgumentProblems) -> [String: ParsedValue] {
        let open = arguments.filter { $0.standard == nil }
        guard let argument = open.first ?? arguments.first else { return [:] }
        guard open.count <= 1 else {
            let names = open.map(\.name).joined(separator: ", ")
            throw ArgumentProblems(problems: ["one value is not enough: the command needs \(names)"])
        }
        return [argument.name: argument.value(ofBare: bare)]
    }
}

extension CommandArgument {
    /// A text as the value that the argument takes it for.
    package func value(ofBare bare: String) -> ParsedValue {
        if field.map.contains(where: { $0.meaning == .text(bare) }) { return .text(bare) }
        let truth: Bool? = ["true": true, "false": false, "on": true, "off": false][bare.lowercased()]
        if let truth, field.type == .bool || field.map.contains(where: { $0.meaning == .bool(truth) }) {
            return .bool(truth)
        }
        let folded = options.filter { $0.lowercased() == bare.lowercased() }
        if folded.count == 1 { return .text(folded[0]) }
        if field.type.nature == .number, let number = DecimalNumber(text: bare) { return .number(number) }
        return .text(bare)
    }
}

extension FrameTemplate {
    /// The bytes of a frame, without its checksum.
    fileprivate func frame(_ arguments: [String: [UInt8]], checksum: ChecksumRule?) throws(ArgumentProblems) -> [UInt8]
    {
        let lengthBytes = length?.kind.format.width ?? 0
        let fixed = parts.reduce(0) { sum, part in
            switch part {
            case .bytes(let bytes): sum + bytes.count
            case .argument(let name): sum + (arguments[name]?.count ?? 0)
            case .length: sum + lengthBytes
            }
        }
        let whole = fixed + (checksum.map { $0.sends ? $0.kind.width : 0 } ?? 0)
        guard whole <= ProfileCommand.maximumFrameBytes else {
            throw ArgumentProblems(
                problems: ["the frame has \(whole) bytes, and \(ProfileCommand.maximumFrameBytes) at most"]
            )
        }
        var frame: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let bytes): frame += bytes
            case .argument(let name): frame += arguments[name] ?? []
            case .length:
                guard let length, let bytes = length.kind.format.bytes(of: Int128(whole - length.adjust)) else {
                    throw ArgumentProblems(problems: ["the frame has \(whole) bytes, more than its length can say"])
                }
                frame += bytes
            }
        }
        if let checksum, checksum.sends, checksum.from > frame.count {
            throw ArgumentProblems(problems: ["the frame has \(frame.count) bytes, and its checksum begins behind them"]
            )
        }
        return frame
    }
}
