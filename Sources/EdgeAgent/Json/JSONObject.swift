/// The members of a JSON object, in the order of the text, found by name in constant or short time.
package struct JSONObject: Sendable {
    /// One member.
    package struct Entry: Sendable, Equatable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package let entries: [Entry]
    /// Places by name; only for objects so large that a walk would take longer than a look-up.
    private let places: [String: Int]?

    private static let walkLimit = 24

    /// Makes an object of its members.
    ///
    /// - Parameter entries: Members with names that differ. Of two equal ones the first is found.
    package init(_ entries: [Entry]) {
        self.entries = entries
        guard entries.count > Self.walkLimit else {
            places = nil
            return
        }
        var places: [String: Int] = [:]
        places.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() where places[entry.key] == nil { places[entry.key] = index }
        self.places = places
    }

    package var count: Int { entries.count }

    /// The place of a member in `entries`.
    package func place(of key: String) -> Int? {
        if let places { return places[key] }
        return entries.firstIndex { $0.key == key }
    }

    package subscript(key: String) -> JSONValue? {
        guard let place = place(of: key) else { return nil }
        return entries[place].value
    }
}

extension JSONObject: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        return left.entries.allSatisfy { entry in
            guard let place = right.place(of: entry.key) else { return false }
            return right.entries[place].key.utf8.elementsEqual(entry.key.utf8)
                && right.entries[place].value == entry.value
        }
    }
}
