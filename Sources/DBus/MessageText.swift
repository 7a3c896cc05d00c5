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

    /// Runs a body with the bytes of the text, without a copy.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(message) {
            let length = strlen(start)
            return start.withMemoryRebound(to: UInt8.self, capacity: length) {
                body(UnsafeBufferPointer(start: $0, count: length))
            }
        }
    }

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
