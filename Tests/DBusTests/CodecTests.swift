import DBus
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CodecTests {
    static let path = ObjectPath.root

    private func message(_ values: [DBusValue]) throws -> DBusMessage {
        let message = try DBusMessage.signal(.root, "a.b", "C")
        try message.append { (writer) throws(DBusFailure) in
            for value in values { try writer.append(value) }
        }
        return message
    }

    @Test(arguments: 0..<20)
    func `values of every shape come back as they went in`(seed: Int) throws {
        var random = RandomValue(seed: UInt64(seed))
        for _ in 0..<100 {
            let values = (0..<random.number(below: 4)).map { _ in random.value() }
            let message = try message(values)
            #expect(message.signature == values.map(\.signature).joined())
            var reader = message.reader()
            for value in values { #expect(try reader.value() == value) }
            #expect(reader.atEnd)
        }
    }

    @Test func `a copy says the same, and goes its own way from then on`() throws {
        let call = try DBusMessage.call("org.bluez", CodecTests.path, "a.b", "C").append {
            (writer) throws(DBusFailure) in
            try writer.append(.string("first"))
        }
        let copy = try call.copy()
        #expect(copy.kind == .methodCall && copy.path == .root && copy.interface == "a.b" && copy.member == "C")
        #expect(copy.serial == 0 && copy.signature == "s")
        try copy.append { (writer) throws(DBusFailure) in try writer.append(.byte(7)) }
        #expect(copy.signature == "sy" && call.signature == "s")
        var reader = copy.reader()
        #expect(try reader.value() == .string("first") && reader.value() == .byte(7) && reader.atEnd)
    }

    @Test func `what stands too deep, or has too long a signature, is refused instead of written`() throws {
        func nested(_ depth: Int) -> DBusValue { (0..<depth).reduce(.byte(1)) { value, _ in .variant(value) } }
        let deepest = try message([nested(MessageWriter.deepest)])
        var reader = deepest.reader()
        #expect(throws: Never.self) { try reader.value() }
        for depth in [MessageWriter.deepest + 1, 300] {
            #expect(throws: DBusFailure.tooDeep) { try message([nested(depth)]) }
        }
        let long = DBusValue.structure(.init(repeating: .byte(1), count: 300))
        #expect(throws: DBusFailure.self) { try message([long]) }
        #expect(throws: DBusFailure.self) { try message([.structure([.byte(1), long])]) }
    }

    /// Every way to read one argument, by the type that it is for.
    private static let readers: [(code: String, read: @Sendable (inout MessageReader) throws(DBusFailure) -> Void)] = [
        ("y", { (reader) throws(DBusFailure) in _ = try reader.byte() }),
        ("b", { (reader) throws(DBusFailure) in _ = try reader.bool() }),
        ("n", { (reader) throws(DBusFailure) in _ = try reader.int16() }),
        ("q", { (reader) throws(DBusFailure) in _ = try reader.uint16() }),
        ("i", { (reader) throws(DBusFailure) in _ = try reader.int32() }),
        ("u", { (reader) throws(DBusFailure) in _ = try reader.uint32() }),
        ("x", { (reader) throws(DBusFailure) in _ = try reader.int64() }),
        ("t", { (reader) throws(DBusFailure) in _ = try reader.uint64() }),
        ("d", { (reader) throws(DBusFailure) in _ = try reader.double() }),
        ("s", { (reader) throws(DBusFailure) in _ = try reader.string() }),
        ("o", { (reader) throws(DBusFailure) in _ = try reader.path() }),
        ("g", { (reader) throws(DBusFailure) in _ = try reader.signature() }),
        ("ay", { (reader) throws(DBusFailure) in _ = try reader.bytes() }),
        ("v", { (reader) throws(DBusFailure) in _ = try reader.variant() }),
        ("(", { (reader) throws(DBusFailure) in _ = try reader.structure() }),
        ("a", { (reader) throws(DBusFailure) in _ = try reader.array() }),
        ("{", { (reader) throws(DBusFailure) in _ = try reader.dictionaryEntry() }),
    ]

    private static let samples: [DBusValue] = [
        .byte(1), .bool(true), .int16(-1), .uint16(1), .int32(-1), .uint32(1), .int64(-1), .uint64(1), .double(0.5),
        .string("text"), .path(.root), .signature("s"), .bytes([1]), .variant(.byte(1)), .structure([.byte(1)]),
        .array(of: "s", [.string("a")]), .properties([("key", .bool(true))]), .array(of: "(ii)", []),
    ]

    @Test func `B87: reading another type than there is throws and moves nothing`() throws {
        var refusals = 0
        for sample in Self.samples {
            let message = try message([sample, .string("next")])
            for (code, read) in Self.readers {
                var reader = message.reader()
                do throws(DBusFailure) {
                    try read(&reader)
                    #expect(sample.signature.hasPrefix(code))
                } catch {
                    guard case .unexpectedType = error else {
                        Issue.record("\(code) of \(sample.signature): \(error)")
                        continue
                    }
                    refusals += 1
                    #expect(try reader.value() == sample)
                }
                #expect(try reader.string() == "next")
            }
        }
        #expect(refusals > 250)
    }

    @Test func `B87: reading beyond the end throws`() throws {
        for (code, read) in Self.readers {
            var reader = try message([]).reader()
            do throws(DBusFailure) {
                try read(&reader)
                Issue.record("\(code) was read from nothing")
            } catch {
                #expect(reader.atEnd)
            }
            reader.skip()
            #expect(reader.atEnd)
        }
        #expect(throws: DBusFailure.self) {
            var reader = try message([]).reader()
            return try reader.value()
        }
    }

    @Test func `what one container holds does not end the reading of the next`() throws {
        let message = try message([.structure([.byte(1), .string("a")]), .array(of: "s", []), .uint32(7)])
        var reader = message.reader()
        var inner = try reader.structure()
        #expect(try inner.byte() == 1)
        #expect(throws: DBusFailure.self) { try inner.byte() }
        #expect(try inner.string() == "a")
        #expect(inner.atEnd)
        let empty = try reader.array()
        #expect(empty.atEnd)
        #expect(try reader.uint32() == 7)
    }

    @Test func `a value that is refused leaves the message usable`() throws {
        let message = try DBusMessage.signal(.root, "a.b", "C")
        try message.append { (writer) throws(DBusFailure) in
            try writer.append(byte: 1)
            do throws(DBusFailure) {
                try writer.append(.properties([("key", .string("bad\0text"))]))
            } catch {
                try writer.append(string: "instead")
            }
        }
        var reader = message.reader()
        #expect(try reader.byte() == 1)
        #expect(try reader.string() == "instead")
        #expect(reader.atEnd)
    }

    @Test func `keys are compared without a copy`() throws {
        var reader = try message([.string("RSSI"), .string("")]).reader()
        let key = try reader.key()
        #expect(key == "RSSI")
        #expect(!(key == "RSS"))
        #expect(key.string == "RSSI")
        #expect(try reader.key() == "")
    }

    @Test func `a value is unwrapped from any number of variants`() {
        #expect(DBusValue.variant(.variant(.variant(.byte(3)))).unwrapped == .byte(3))
        #expect(DBusValue.byte(3).unwrapped == .byte(3))
    }
}
