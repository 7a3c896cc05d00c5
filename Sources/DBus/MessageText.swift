internal import Glibc

/// A string inside a message, not copied: it lives as long as the message, which it holds.
package struct MessageText {
    private let start: UnsafePointer<CChar>
    private let message: DBusMessage

    init(start: UnsafePointer<CChar>, message: DBusMessage) {
        self.start = start
        self.message = message
    }

    package var string: String { withExtendedLifetime(message) { String(cString: start) } }

    package static func == (text: MessageText, literal: StaticString) -> Bool {
        withExtendedLifetime(text.message) { strcmp(text.start, literal.cString) == 0 }
    }

    package static func ~= (literal: StaticString, text: MessageText) -> Bool { text == literal }
}

extension StaticString {
    fileprivate var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
