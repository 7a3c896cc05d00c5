package import BleCore
package import Frames

/// Something that a device can be told or asked.
package struct ProfileCommand: Sendable, Equatable {
    /// What is done.
    package enum Action: Sendable, Equatable {
        /// A frame is written, and maybe answered: the rules with their data left empty, and what makes the data.
        case transact(TransactRules, FrameTemplate)
        /// A characteristic is read, and the values are read from it.
        case read(AttributeSelector, parse: [ParseField])
    }

    package var name: String
    /// For people.
    package var title: String?
    package var arguments: [CommandArgument]
    package var action: Action
    /// Whether it may be done twice; then it is tried again by itself.
    package var isIdempotent: Bool
    /// Whether it changes nothing.
    package var isReadOnly: Bool
    /// From the start, with connecting; nil: that of the verb.
    package var timeout: Duration?
    /// The value that it sets, so that `set/{value}` means this command.
    ///
    /// The state shows the new value when the device has confirmed it: by the answer, when that has a value of the
    /// name, else by a source that tells it.
    package var sets: String?
    /// How Home Assistant shows it, where it shows as something of its own (`button`).
    package var display: Display?

    package init(_ name: String, arguments: [CommandArgument] = [], action: Action) {
        self.name = name
        self.arguments = arguments
        self.action = action
        isIdempotent = false
        isReadOnly = false
    }
}

/// A value that a command needs.
package struct CommandArgument: Sendable, Equatable {
    /// Name, type, length, scale, add, unit and map, in the sense of reading it: what is written is the reverse.
    package var field: ParseField
    package var minimum: DecimalNumber?
    package var maximum: DecimalNumber?
    /// The step from the minimum on, else from 0; nil: what the type can hold.
    package var step: DecimalNumber?
    /// What is taken when it is not given; nil: it has to be.
    package var standard: ParsedValue?

    package init(_ field: ParseField) { self.field = field }

    package var name: String { field.name }

    /// The texts that may be given; empty when they are free.
    package var options: [String] {
        field.map.compactMap { if case .text(let text) = $0.meaning { text } else { nil } }
    }
}

/// How the bytes of a command are made.
package struct FrameTemplate: Sendable, Equatable {
    /// One piece of it.
    package enum Part: Sendable, Equatable {
        case bytes([UInt8])
        /// The argument of this name.
        case argument(String)
        /// How long the frame is.
        case length
    }

    package var parts: [Part]
    /// How the length is written: the number and `adjust` make the number of all bytes, with the checksum.
    package var length: LengthField?

    package init(_ parts: [Part], length: LengthField? = nil) {
        self.parts = parts
        self.length = length
    }
}
