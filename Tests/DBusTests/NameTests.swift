import DBus
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NameTests {
    private static let long = String(repeating: "a", count: 300)

    @Test(arguments: [
        "", "a", "//", "/a/", "/a//b", "/ä", "/a-b", "/a b", "/a\0b", "/a\n", "/" + String(repeating: "a", count: 4096),
    ])
    func `B87: a text that is no path makes none`(text: String) {
        #expect(ObjectPath(text) == nil)
    }

    @Test(arguments: ["/", "/a", "/org/bluez/hci0/dev_00_11", "/_/0"])
    func `a path is taken as it stands`(text: String) {
        #expect(ObjectPath(text)?.text == text)
    }

    @Test func `a path knows its parent, its last element and what it lies within`() throws {
        let path = try #require(ObjectPath("/org/bluez/hci0"))
        #expect(path.parent.text == "/org/bluez")
        #expect(path.lastElement == "hci0")
        #expect(ObjectPath("/org")?.parent == .root)
        #expect(ObjectPath.root.parent == .root)
        #expect(ObjectPath.root.lastElement == "")
        #expect(path.isWithin(.root) && path.isWithin(path))
        #expect(!(try #require(ObjectPath("/org/bluez/hci01")).isWithin(path)))
        #expect(try #require(ObjectPath("/org/bluez/hci0/dev")).isWithin(path))
    }

    @Test(arguments: ["", "a", ".a", "a.", "a..b", "a.b c", "a.b\0c", "a.1b", "ä.b", long + ".a"])
    func `B87: a bad interface or error name is refused before libdbus sees it`(text: String) throws {
        #expect(throws: DBusFailure.self) { try DBusMessage.signal(.root, text, "Member") }
        #expect(throws: DBusFailure.self) { try DBusMessage.call("a.b", .root, text, "Member") }
        let call = try DBusMessage.call("a.b", .root, "a.b", "Member")
        #expect(throws: DBusFailure.self) { try call.errorReply(text, "") }
    }

    @Test(arguments: ["", "a.b", "1a", "a b", "a\0", "ä", long])
    func `B87: a bad member is refused`(text: String) {
        #expect(throws: DBusFailure.self) { try DBusMessage.signal(.root, "a.b", text) }
        #expect(throws: DBusFailure.self) { try DBusMessage.call("a.b", .root, "a.b", text) }
    }

    @Test(arguments: ["", "a", ".a", "a.b\0", "a b.c", long + ".a"])
    func `B87: a bad bus name is refused`(text: String) throws {
        #expect(throws: DBusFailure.self) { try DBusMessage.call(text, .root, "a.b", "Member") }
        let signal = try DBusMessage.signal(.root, "a.b", "Member")
        #expect(throws: DBusFailure.self) { try signal.setDestination(text) }
    }

    @Test func `B87: strings with a NUL and bad signatures are refused inside values too`() throws {
        let bad: [DBusValue] = [
            .string("a\0b"), .string("\0"), .signature("a"), .signature("{sv}"), .signature("s\0"),
            .signature(String(repeating: "a", count: 33) + "y"), .variant(.string("\0")),
            .array(of: "s", [.string("fine"), .string("a\0")]), .array(of: "", []), .array(of: "z", []),
            .array(of: "s\0", []), .dictionary(key: "v", value: "s", []), .dictionary(key: "s", value: "ss", []),
            .dictionary(key: "as", value: "s", []), .properties([("a\0", .bool(true))]), .structure([.string("\0")]),
        ]
        for value in bad {
            let message = try DBusMessage.signal(.root, "a.b", "C")
            #expect(throws: DBusFailure.self, "\(value)") {
                try message.append { (writer) throws(DBusFailure) in try writer.append(value) }
            }
            #expect(message.signature == "")
        }
    }

    @Test func `B87: an array whose elements are of another type than it says is refused`() throws {
        let mixed: [DBusValue] = [
            .array(of: "s", [.byte(1)]), .array(of: "s", [.string("a"), .uint32(1)]),
            .dictionary(key: "s", value: "v", [.init(.string("a"), .string("no variant"))]),
            .dictionary(key: "s", value: "s", [.init(.uint16(1), .string("a"))]), .structure([]),
        ]
        for value in mixed {
            let message = try DBusMessage.signal(.root, "a.b", "C")
            #expect(throws: DBusFailure.self, "\(value)") {
                try message.append { (writer) throws(DBusFailure) in try writer.append(value) }
            }
        }
    }

    @Test func `a rule quotes what could end its values`() throws {
        #expect(MatchRule().text == "type='signal'")
        let rule = MatchRule(
            sender: "org.bluez",
            interface: "a.b",
            member: "C",
            path: .root,
            pathNamespace: ObjectPath("/org"),
            arg0: "it's"
        )
        let expected = """
            type='signal',sender='org.bluez',interface='a.b',member='C',path='/',path_namespace='/org',arg0='it'\\''s'
            """
        #expect(rule.text == expected)
    }
}
