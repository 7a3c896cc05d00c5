import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConfigurationPatternTests {
    @Test(arguments: [
        ("edge", true), ("a/b_c/D-9", true), (String(repeating: "a", count: 64), true),
        ("", false), ("/a", false), ("a/", false), ("a//b", false), ("a+b", false), ("#", false), ("a b", false),
        ("ü", false), ("a\0", false), (String(repeating: "a", count: 65), false),
    ])
    func `a prefix is levels of plain characters`(text: String, isPrefix: Bool) {
        #expect(ConfigurationPattern.isPrefix(text) == isPrefix)
    }

    @Test(arguments: [
        ("shop-3", true), ("0", true), (String(repeating: "a", count: 63), true),
        ("", false), ("all", false), ("-a", false), ("A", false), ("a_b", false), ("a/b", false), ("a.b", false),
        (String(repeating: "a", count: 64), false),
    ])
    func `a gateway is one level in lower case`(text: String, isGateway: Bool) {
        #expect(ConfigurationPattern.isGateway(text) == isGateway)
    }

    @Test(arguments: [
        ("aa:bb:cc:dd:ee:0f", "aabbccddee0f"), ("AABBCCDDEE0F", "aabbccddee0f"),
        ("aa-bb-cc-dd-ee-0f", nil), ("aabbccddee0", nil), ("aabbccddee0g", nil), ("aa:bb:cc:dd:ee:0", nil),
        ("aa:bb:cc:dd:ee0:f", nil), ("", nil), ("aabbccddeeü", nil),
    ])
    func `an address is 12 hex digits with or without colons`(text: String, digits: String?) {
        #expect(ConfigurationPattern.address(text) == digits)
    }

    @Test(arguments: [
        ("hci0", true), ("hci12", true), ("hci", false), ("hci123456", false), ("hci0/..", false), ("HCI0", false),
        ("eth0", false), ("hci-1", false),
    ])
    func `an adapter is hci and a number`(text: String, isAdapter: Bool) {
        #expect(ConfigurationPattern.isAdapter(text) == isAdapter)
    }

    @Test(arguments: [
        ("hci0", true), ("hci0,hci1", true), ("hci0, 00:1A:7D:DA:71:13", true), ("001a7dda7113", true), ("", false),
        ("hci0,", false), ("hci0,hci0", false), ("hci0 hci1", false), ("hci0;rm", false), ("usb", false),
    ])
    func `adapters are named or addressed, with commas between`(text: String, isList: Bool) {
        #expect(ConfigurationPattern.isAdapterList(text) == isList)
    }

    @Test(arguments: [
        ("edge-shop-3", true), ("a", true), ("", false), ("a b", false), ("a/b", false), ("a+", false), ("a\n", false),
        (String(repeating: "a", count: 257), false),
    ])
    func `a client id is printable`(text: String, isClientID: Bool) {
        #expect(ConfigurationPattern.isClientID(text) == isClientID)
    }
}
