/// One key of the configuration: how it is named, explained, read and written.
///
/// The table ``all`` is the only place that lists the keys: the reader, `check-config`, the help texts and the check of
/// the documentation all use it. Defaults are those of ``Configuration`` itself.
package struct ConfigurationKey: Sendable {
    /// What a value looks like when it is written out.
    package enum Form: Sendable {
        /// A number or a truth value, never in quotes.
        case plain
        case text
        /// An absolute path.
        case path
    }

    /// A value as it was written.
    package struct Scalar: Sendable {
        package let text: String
        /// In quotes in a file: then it is no number and no truth value.
        package let quoted: Bool

        /// Wraps a text.
        package init(text: String, quoted: Bool) {
            self.text = text
            self.quoted = quoted
        }
    }

    /// Why a value was not taken.
    package enum Refusal: Sendable, Equatable {
        /// It is not what ``ConfigurationKey/expected`` says.
        case mismatch
        /// A sentence of its own that holds no part of the value.
        case explained(String)
    }

    /// The dotted path, as `mqtt.keepAliveSeconds`.
    package let path: String
    /// What it sets, one sentence without its full stop.
    package let summary: String
    /// What a value must be, as `a whole number from 5 to 65535`.
    package let expected: String
    /// The range alone, as `5–65535`.
    package let range: String
    /// The unit, as `ms`; nil where there is none.
    package let unit: String?
    /// The default in words, for a value that depends on the machine or on other values.
    package let defaultInWords: String?
    /// The flag that sets the same, with its dashes.
    package let flag: String?
    package let form: Form
    /// Takes a value over, or says why not.
    package let read: @Sendable (Scalar, inout Configuration) -> Refusal?
    /// The value as it would be written in a file without quotes; nil when it is not set.
    package let show: @Sendable (Configuration) -> String?
    /// Takes the value of one configuration over into another.
    package let copy: @Sendable (Configuration, inout Configuration) -> Void
    /// The same as ``read`` for a list of texts; nil where none may stand.
    package var readList: (@Sendable ([String], inout Configuration) -> Refusal?)?
    /// Whether it may be changed over MQTT, and what that takes.
    package var remote = RemoteChange.never
    /// Whether the value, or what it leads to, is nobody else's business: then it is only told whether it is set.
    package var isHidden = false

    /// The default as the documentation writes it.
    package var defaultText: String { defaultInWords ?? show(Configuration(gateway: "")) ?? "none" }

    /// The last part of the path.
    package var name: String { path.split(separator: ".").last.map(String.init) ?? path }

    /// The part of the path before the last dot; empty at the top.
    package var section: String { path.split(separator: ".").dropLast().joined(separator: ".") }
}

extension ConfigurationKey {
    package typealias Place<Value> = WritableKeyPath<Configuration, Value> & Sendable

    /// A whole number.
    static func integer(
        _ path: String,
        _ place: any Place<Int>,
        _ bounds: ClosedRange<Int>,
        unit: String? = nil,
        _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            summary: summary,
            expected: "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
                + (unit.map { " (\($0))" } ?? ""),
            range: "\(bounds.lowerBound)–\(bounds.upperBound)",
            unit: unit,
            defaultInWords: nil,
            flag: nil,
            form: .plain,
            read: { scalar, configuration in
                guard let number = wholeNumber(scalar), bounds.contains(number) else { return .mismatch }
                configuration[keyPath: place] = number
                return nil
            },
            show: { String($0[keyPath: place]) },
            copy: { $1[keyPath: place] = $0[keyPath: place] }
        )
    }

    /// A whole number that may be left out.
    static func optionalInteger(
        _ path: String,
        _ place: any Place<Int?>,
        _ bounds: ClosedRange<Int>,
        defaultInWords: String,
        _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            summary: summary,
            expected: "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)",
            range: "\(bounds.lowerBound)–\(bounds.upperBound)",
            unit: nil,
            defaultInWords: defaultInWords,
            flag: nil,
            form: .plain,
            read: { scalar, configuration in
                guard let number = wholeNumber(scalar), bounds.contains(number) else { return .mismatch }
                configuration[keyPath: place] = number
                return nil
            },
            show: { $0[keyPath: place].map { String($0) } },
            copy: { $1[keyPath: place] = $0[keyPath: place] }
        )
    }

    /// A duration as a whole number of its unit.
    static func duration(
        _ path: String,
        _ place: any Place<Duration>,
        _ bounds: ClosedRange<Int>,
        _ unit: DurationUnit,
        _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            summary: summary,
            expected: "a whole number from \(bounds.lowerBound) to \(bounds.upperBound) (\(unit.rawValue))",
            range: "\(bounds.lowerBound)–\(bounds.upperBound)",
            unit: unit.rawValue,
            defaultInWords: nil,
            flag: nil,
            form: .plain,
            read: { scalar, configuration in
                guard let number = wholeNumber(scalar), bounds.contains(number) else { return .mismatch }
                configuration[keyPath: place] = unit.duration(number)
                return nil
            },
            show: { String(unit.count(of: $0[keyPath: place])) },
            copy: { $1[keyPath: place] = $0[keyPath: place] }
        )
    }

    /// A truth value.
    static func boolean(_ path: String, _ place: any Place<Bool>, _ summary: String) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            summary: summary,
            expected: "true or false",
            range: "true, false",
            unit: nil,
            defaultInWords: nil,
            flag: nil,
            form: .plain,
            read: { scalar, configuration in
                switch (scalar.quoted, scalar.text) {
                case (false, "true"): configuration[keyPath: place] = true
                case (false, "false"): configuration[keyPath: place] = false
                default: return .mismatch
                }
                return nil
            },
            show: { $0[keyPath: place] ? "true" : "false" },
            copy: { $1[keyPath: place] = $0[keyPath: place] }
        )
    }

    /// One of a few words.
    static func choice<Value: CaseIterable & Sendable>(
        _ path: String,
        _ place: any Place<Value>,
        flag: String? = nil,
        name: @escaping @Sendable (Value) -> String,
        _ summary: String
    ) -> ConfigurationKey {
        let names = Value.allCases.map(name)
        return ConfigurationKey(
            path: path,
            summary: summary,
            expected: "one of " + names.joined(separator: ", "),
            range: names.joined(separator: ", "),
            unit: nil,
            defaultInWords: nil,
            flag: flag,
            form: .text,
            read: { scalar, configuration in
                guard let value = Value.allCases.first(where: { name($0) == scalar.text }) else { return .mismatch }
                configuration[keyPath: place] = value
                return nil
            },
            show: { name($0[keyPath: place]) },
            copy: { $1[keyPath: place] = $0[keyPath: place] }
        )
    }

    /// One of the raw values of an enumeration.
    static func choice<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _ path: String,
        _ place: any Place<Value>,
        flag: String? = nil,
        _ summary: String
    ) -> ConfigurationKey {
        choice(path, place, flag: flag, name: { $0.rawValue }, summary)
    }

    /// A text of a certain form; `defaultInWords` where it depends on the machine.
    static func text(
        _ path: String,
        _ place: any Place<String>,
        flag: String? = nil,
        form: Form = .text,
        expected: String,
        range: String,
        defaultInWords: String? = nil,
        accepts: @escaping @Sendable (String) -> Bool,
        _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            summary: summary,
            expected: expected,
            range: range,
            unit: nil,
            defaultInWords: defaultInWords,
            flag: flag,
            form: form,
            read: { scalar, configuration in
                guard accepts(scalar.text) else { return .mismatch }
                configuration[keyPath: place] = scalar.text
                return nil
            },
            show: { $0[keyPath: place] },
            copy: { $1[keyPath: place] = $0[keyPath: place] }
        )
    }

    /// A text of a certain form that may be left out.
    static func optionalText(
        _ path: String,
        _ place: any Place<String?>,
        flag: String? = nil,
        form: Form = .text,
        expected: String,
        range: String,
        defaultInWords: String = "none",
        accepts: @escaping @Sendable (String) -> Bool,
        show: (@Sendable (Configuration) -> String?)? = nil,
        _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            summary: summary,
            expected: expected,
            range: range,
            unit: nil,
            defaultInWords: defaultInWords,
            flag: flag,
            form: form,
            read: { scalar, configuration in
                guard accepts(scalar.text) else { return .mismatch }
                configuration[keyPath: place] = scalar.text
                return nil
            },
            show: show ?? { $0[keyPath: place] },
            copy: { $1[keyPath: place] = $0[keyPath: place] }
        )
    }

    /// The absolute path of a file that may be left out.
    static func file(
        _ path: String,
        _ place: any Place<String?>,
        flag: String? = nil,
        defaultInWords: String = "none",
        _ summary: String
    ) -> ConfigurationKey {
        optionalText(
            path,
            place,
            flag: flag,
            form: .path,
            expected: "an absolute path",
            range: "an absolute path",
            defaultInWords: defaultInWords,
            accepts: ConfigurationPattern.isAbsolutePath,
            summary
        )
    }

    /// A number in decimal digits, with a sign where it is negative.
    static func wholeNumber(_ scalar: Scalar) -> Int? {
        let digits = scalar.text.utf8.first == UInt8(ascii: "-") ? scalar.text.utf8.dropFirst() : scalar.text.utf8[...]
        guard !scalar.quoted, (1...18).contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return Int(scalar.text)
    }
}
