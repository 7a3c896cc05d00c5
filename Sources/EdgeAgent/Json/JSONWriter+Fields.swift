/// Members in one call: a name and its value, or nothing at all when the value is absent.
extension JSONWriter {
    package mutating func field(_ name: StaticString, _ value: StaticString) {
        key(name)
        self.value(value)
    }

    package mutating func field(_ name: StaticString, _ value: String) {
        key(name)
        self.value(value)
    }

    package mutating func field(_ name: StaticString, _ value: Bool) {
        key(name)
        self.value(value)
    }

    package mutating func field(_ name: StaticString, _ value: Int) {
        key(name)
        self.value(value)
    }

    package mutating func field(_ name: StaticString, _ value: Int64) {
        key(name)
        self.value(value)
    }

    package mutating func field(_ name: StaticString, _ value: Double) {
        key(name)
        self.value(value)
    }

    package mutating func field(ifPresent name: StaticString, _ value: String?) {
        if let value { field(name, value) }
    }

    package mutating func field(ifPresent name: StaticString, _ value: Int?) {
        if let value { field(name, value) }
    }

    package mutating func field(ifPresent name: StaticString, _ value: Bool?) {
        if let value { field(name, value) }
    }

    /// Writes the member with `null` when there is no value.
    package mutating func field(orNull name: StaticString, _ value: String?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    /// Writes the member with `null` when there is no value.
    package mutating func field(orNull name: StaticString, _ value: Int?) {
        key(name)
        if let value { self.value(value) } else { null() }
    }

    /// Writes a time that is given in milliseconds since 1970-01-01 UTC.
    package mutating func field(_ name: StaticString, time milliseconds: Int64) {
        key(name)
        time(milliseconds)
    }

    package mutating func field(_ name: StaticString, binary data: some Collection<UInt8>) {
        key(name)
        binary(data)
    }

    package mutating func field(_ name: StaticString, texts: some Sequence<String>) {
        key(name)
        beginArray()
        for text in texts { value(text) }
        endArray()
    }

    /// Writes a member that is an array, each element by a function.
    package mutating func field<Element>(
        _ name: StaticString,
        array: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in array { write(&self, element) }
        endArray()
    }

    /// Writes the id of a command as its caller gave it.
    mutating func field(_ name: StaticString, _ id: CommandID) {
        key(name)
        switch id.echo {
        case .text(let text): value(text)
        case .number(let number): value(number)
        case .null: null()
        }
    }

    /// Writes a member that is an object.
    package mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        members(&self)
        endObject()
    }
}
