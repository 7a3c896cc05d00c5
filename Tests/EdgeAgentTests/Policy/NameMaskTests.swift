import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NameMaskTests {
    private func mask(_ text: String) throws -> NameMask {
        try #require(NameMask(text) { !$0.isEmpty })
    }

    @Test(arguments: [
        ("shop", ["shop"], ["shop-1", "sho", "xshop", "Shop", ""]),
        ("shop-*", ["shop-", "shop-1", "shop-shop-"], ["shop", "shop1", "a-shop-1"]),
        ("*-1", ["-1", "shop-1", "1-1-1"], ["shop-12", "1"]),
        ("a*b*c", ["abc", "axbxc", "abbc", "abcbc", "aabcc"], ["ab", "acb", "abcx", "xabc"]),
        ("*", ["", "x", "anything"], []),
        ("**", ["", "x"], []),
        ("*a*", ["a", "bab"], ["", "b"]),
    ])
    func `a star stands for any characters, all else for itself`(text: String, yes: [String], no: [String]) throws {
        let mask = try mask(text)
        for name in yes { #expect(mask.matches(name), "\(text) \(name)") }
        for name in no { #expect(!mask.matches(name), "\(text) \(name)") }
        #expect(mask.isExact == !text.contains("*"))
    }

    @Test func `many stars take no longer than the product of the lengths`() throws {
        let mask = try mask(String(repeating: "*a", count: 60) + "*b")
        let name = String(repeating: "a", count: 5000)
        let start = ContinuousClock.now
        #expect(!mask.matches(name))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(arguments: [
        ("nodered-1", true), ("Shop_2", true), ("shop-*", true), ("*", true), ("none", true),
        ("", false), ("a b", false), ("a/b", false), ("+", false), ("#", false), ("a?", false), ("ü", false),
        (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
        (String(repeating: "*", count: 129), false),
    ])
    func `a caller of a rule is a name, a mask of one, or none`(text: String, isOne: Bool) {
        #expect((PolicyCallers(text) != nil) == isOne)
        if let callers = PolicyCallers(text) { #expect(PolicyCallers(callers.text) == callers) }
    }

    @Test(arguments: [
        ("door", "door"), ("gateway", "gateway"), ("lamp-*", "lamp-*"), ("*", "*"), ("a1b2*", "a1b2*"),
        ("-*", "-*"), ("a1:b2:c3:d4:e5:f6", "a1b2c3d4e5f6"), ("A1B2C3D4E5F6", "a1b2c3d4e5f6"),
        ("Door", nil), ("1lamp", nil), ("", nil), ("a1:b2:*", nil), ("room/lamp", nil), ("LAMP*", nil),
    ])
    func `a device of a rule is an address, an alias, a mask of either, or the gateway`(text: String, read: String?) {
        #expect(PolicyDevices(text)?.text == read)
        if let devices = PolicyDevices(text) { #expect(PolicyDevices(devices.text) == devices) }
    }

    @Test func `a verb of a rule is one of the contract's, offered or not, or a group`() {
        for verb in VerbName.allCases { #expect(PolicyVerbs(verb.rawValue) == .verb(verb)) }
        for word in PolicyVerbs.groups { #expect(PolicyVerbs(word)?.text == word) }
        for word in ["", "fly", "Read", "read only", "*"] { #expect(PolicyVerbs(word) == nil) }
    }
}
