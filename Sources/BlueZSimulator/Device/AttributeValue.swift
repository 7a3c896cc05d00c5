/// The value of one attribute: produced by its model until somebody writes it.
final class AttributeValue {
    private var source: PayloadSource?
    private var current: [UInt8]?
    /// Somebody has written it since the model gave a value last.
    private var isStored = false

    init(_ source: PayloadSource) { self.source = source }

    init(fixed bytes: [UInt8]) { current = bytes }

    func read(advancing: Bool) -> [UInt8] {
        if let current, !advancing || isStored || source == nil { return current }
        return advance()
    }

    /// Makes the next value.
    func advance() -> [UInt8] {
        guard let bytes = source?.next() else { return current ?? [] }
        current = bytes
        isStored = false
        return bytes
    }

    /// Holds this value from now on; a value that changes by itself goes on with its next notification.
    func store(_ bytes: [UInt8]) {
        current = bytes
        isStored = true
    }
}
