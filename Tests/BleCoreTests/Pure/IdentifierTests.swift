import BleCore
import DBus
import Testing

@Suite(.timeLimit(.minutes(10)))
struct IdentifierTests {
    @Test(arguments: ["AA:BB:CC:DD:EE:0F", "aa-bb-cc-dd-ee-0f", "Aa_Bb_Cc_Dd_Ee_0f", "aabbccddee0F"])
    func `an address is read in each of its forms`(text: String) throws {
        let address = try #require(DeviceAddress(text))
        #expect(address.description == "AA:BB:CC:DD:EE:0F")
        #expect(address.hex == "aabbccddee0f")
        #expect(DeviceAddress(rawValue: address.rawValue) == address)
    }

    @Test(arguments: [
        "", ":", "AA:BB:CC:DD:EE", "AA:BB:CC:DD:EE:FF:", ":AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF:00", "AABBCCDDEEFF00",
        "AA:BB-CC:DD:EE:FF", "AA::BB:CC:DD:EEFF", "A:ABB:CC:DD:EE:FF", "GG:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:F",
        "AABB:CCDD:EEFF", "ＡＡ:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FF\0", " AA:BB:CC:DD:EE:FF", "+1:BB:CC:DD:EE:FF",
    ])
    func `what is no address is refused`(text: String) { #expect(DeviceAddress(text) == nil) }

    @Test func `an address has 48 bits and sorts by them`() throws {
        #expect(DeviceAddress(rawValue: 1 << 48) == nil)
        #expect(DeviceAddress(rawValue: .max) == nil)
        let low = try #require(DeviceAddress("00:00:00:00:00:01"))
        let high = try #require(DeviceAddress(rawValue: (1 << 48) - 1))
        #expect(low < high)
        #expect(high.description == "FF:FF:FF:FF:FF:FF")
    }

    @Test(arguments: [
        ("180f", "180f"), ("180F", "180f"), ("0000180f", "180f"), ("12345678", "12345678"),
        ("0000180F-0000-1000-8000-00805F9B34FB", "180f"), ("0000180f00001000800000805f9b34fb", "180f"),
        ("6e400001-b5a3-f393-e0a9-e50e24dcca9e", "6e400001-b5a3-f393-e0a9-e50e24dcca9e"),
    ])
    func `a UUID is read in each form and shown in its shortest`(text: String, shortest: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == shortest)
        #expect(BluetoothUUID(uuid.full) == uuid)
        #expect(uuid.full.utf8.count == 36)
    }

    @Test(arguments: [
        "", "1", "180", "180ff", "180f0", "0x180f", "180f ", "-180f", "180f-", "0000180f-", "12345678-1234",
        "0000180f-0000-1000-8000-00805f9b34f", "0000180f-0000-1000-8000-00805f9b34fbb",
        "0000180f0000-1000-8000-00805f9b34fb",
        "0000180f--0000-1000-8000-00805f9b34fb", "0000180f-00001000-8000-00805f9b34fb", "g80f", "１８０f", "180f\0",
        "{0000180f-0000-1000-8000-00805f9b34fb}", "0000180f-0000-1000-8000-00805f9b34fb-",
    ])
    func `what is no UUID is refused`(text: String) { #expect(BluetoothUUID(text) == nil) }

    @Test func `a UUID off the base has no short form`() throws {
        let near = try #require(BluetoothUUID("0000180f-0000-1000-8000-00805f9b34fa"))
        #expect(near.short == nil)
        #expect(near != 0x180F)
        #expect(BluetoothUUID(short: 0x180F).short == 0x180F)
    }

    @Test(arguments: ["hci0", "hci7", "hci12345"])
    func `an adapter's name is hci and a number`(text: String) { #expect(AdapterName(text)?.text == text) }

    @Test(arguments: ["", "hci", "hci123456", "HCI0", "hci0/dev", "hci-1", "hci0\0", "hci٣", "xhci0", "hci 1"])
    func `what is no adapter is refused`(text: String) { #expect(AdapterName(text) == nil) }

    @Test func `adapters sort by number`() throws {
        let names = try ["hci10", "hci2", "hci0"].map { try #require(AdapterName($0)) }
        #expect(names.sorted().map(\.text) == ["hci0", "hci2", "hci10"])
    }

    @Test func `a path of BlueZ tells adapter, device and attribute`() throws {
        let path = try #require(ObjectPath("/org/bluez/hci1/dev_AA_BB_CC_DD_EE_FF/service000a/char000B/desc000d"))
        let place = try #require(BluezPath(path))
        #expect(place.adapter.text == "hci1")
        #expect(place.device == DeviceAddress("AA:BB:CC:DD:EE:FF"))
        #expect(place.node == .descriptor(0x0D))
        #expect(BluezPath(path.parent)?.node == .characteristic(0x0B))
        #expect(BluezPath(path.parent.parent)?.node == .service(0x0A))
        let device = try #require(place.device)
        #expect(BluezPath.device(device, under: place.adapter)?.text == "/org/bluez/hci1/dev_AA_BB_CC_DD_EE_FF")
        #expect(BluezPath.adapter(place.adapter)?.text == "/org/bluez/hci1")
    }

    @Test(arguments: [
        "/", "/org", "/org/bluez", "/org/bluez/hci", "/org/blue/hci0", "/org/bluez/hci0/dev_AA",
        "/org/bluez/hci0/AA_BB_CC_DD_EE_FF",
        "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF/char000a", "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF/service00a",
        "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF/service00000", "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF/serviceXXXX",
        "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF/service000a/char000b/desc000d/more",
    ])
    func `a path that is none of BlueZ's objects is refused`(text: String) throws {
        #expect(BluezPath(try #require(ObjectPath(text))) == nil)
    }
}
