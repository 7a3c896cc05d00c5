/// Objects that stand one behind the other, each with an id that says what it is.
package struct ObjectTable: Sendable, Equatable {
    /// How an object begins.
    package enum Header: String, Sendable, CaseIterable {
        /// The id in a byte; the table says how long the object is. An id that is not in the table ends the reading.
        case id
        /// The id in two bytes, the lower one first, and a byte that says how many follow.
        case idLength = "id16-length"
        /// A byte that counts what follows in its lower five bits and says in the others what kind it is; then the id.
        case packed
    }

    package var header: Header
    /// What each id stands for.
    package var objects: [Int: ObjectLayout]
    /// Whether ids rise; a warning tells where they do not.
    package var isOrdered: Bool

    package init(_ header: Header, objects: [Int: ObjectLayout], isOrdered: Bool = false) {
        self.header = header
        self.objects = objects
        self.isOrdered = isOrdered
    }
}

/// One object: the fields in it, placed from its first byte.
package struct ObjectLayout: Sendable, Equatable {
    package var fields: [LayoutField]
    /// How many bytes it has; nil where the object says it itself.
    package var length: Int?
    /// Whether a byte before it says how long it is.
    package var isCounted: Bool

    package init(fields: [LayoutField], length: Int? = nil, isCounted: Bool = false) {
        self.fields = fields
        self.length = length
        self.isCounted = isCounted
    }
}
