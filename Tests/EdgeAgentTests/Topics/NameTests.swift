import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct NameTests {
    @Test(arguments: ["edge", "site/hall-2", "A_b-9", String(repeating: "x", count: 64)])
    func `a prefix of plain levels is taken`(text: String) {
        #expect(TopicPrefix(text)?.text == text)
    }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", "a b", "a+", "#", "$SYS", "ä", "a\u{0}", String(repeating: "x", count: 65),
    ]) func `another prefix is refused`(text: String) {
        #expect(TopicPrefix(text) == nil)
    }

    @Test(arguments: ["a", "shop-3", "3", "a-", String(repeating: "x", count: 63), "all-2"])
    func `a gateway's name is taken`(text: String) {
        #expect(GatewayID(text)?.text == text)
    }

    @Test(arguments: ["", "all", "-a", "Shop", "a_b", "a/b", "a+", "ü", String(repeating: "x", count: 64)])
    func `another name of a gateway is refused`(text: String) {
        #expect(GatewayID(text) == nil)
    }

    @Test(arguments: [
        "door", "a", "abcdefabcde", "abcdefabcdefa", "room_1-lamp", "status", String(repeating: "x", count: 64),
    ])
    func `an alias is taken`(text: String) {
        #expect(DeviceName(text) == .alias(text))
        #expect(DeviceName(text)?.description == text)
    }

    @Test(arguments: [
        "bulb #1", "a+b", "room/lamp", "x y", "", "$x", "ü", "a\u{1}", String(repeating: "a", count: 70_000), "9a",
        "-a", "_a",
        "Door", "A1B2C3D4E5F6", "a1:b2:c3:d4:e5:f6", "a1b2c3d4e5f", "../../x", "AA:BB:CC:DD:EE:F\u{e9}",
        "AA:BB:CC:DD:EE:FF/char", "a\u{0}",
    ]) func `B59 B87: a name that would break a topic or a path is none`(text: String) {
        #expect(DeviceName(text) == nil || text == "a1b2c3d4e5f" && DeviceName(text) == .alias(text))
        #expect(SessionName(text) == nil || text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x20 })
    }

    @Test func `twelve lower-case digits are an address, never an alias`() throws {
        #expect(DeviceName("a1b2c3d4e5f6") == .address(try #require(DeviceAddress("A1:B2:C3:D4:E5:F6"))))
        #expect(DeviceName("a1b2c3d4e5f6")?.description == "a1b2c3d4e5f6")
        #expect(DeviceName("abcdefabcdef") == .address(try #require(DeviceAddress("abcdefabcdef"))))
    }

    @Test(arguments: ["hci0;rm", "hci 0", "", "hci0/dev", "hci-0", "ü", String(repeating: "h", count: 33)])
    func `B87: an adapter's name that would break a path is none`(text: String) {
        #expect(AdapterName(text) == nil)
        #expect(AdapterName("hci0")?.text == "hci0")
    }

    @Test func `a directory answers in both directions, and leaves out what is no alias`() throws {
        let door = try #require(DeviceAddress("a1b2c3d4e5f6"))
        let other = try #require(DeviceAddress("000000000001"))
        let directory = DeviceDirectory(["door": door, "b": door, "x/y": other])
        #expect(directory.address(of: .alias("door")) == door)
        #expect(directory.address(of: .alias("x/y")) == nil)
        #expect(directory.address(of: .alias("none")) == nil)
        #expect(directory.address(of: .address(other)) == other)
        #expect(directory.name(of: door) == .alias("b"))
        #expect(directory.alias(of: other) == nil)
        #expect(directory.name(of: other) == .address(other))
    }
}
