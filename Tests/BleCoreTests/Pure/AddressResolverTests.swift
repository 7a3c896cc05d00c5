import BleCore
import Cryptography
import DBus
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AddressResolverTests {
    @Test func `the address of the specification's sample data is resolved`() throws {
        // Bluetooth Core Specification 5.4, Vol 3, Part H, Appendix D.7: prand 708194, hash 0dfbaa.
        let resolver = AddressResolver(IdentityKeys([PrivateAddresses.key]))
        let answer = resolver.resolve(PrivateAddresses.sample, now: 0)
        #expect(answer == .identity(PrivateAddresses.key))
        #expect(PrivateAddresses.made(0x70_8194) == PrivateAddresses.sample)
    }

    @Test func `one bit more or less is a stranger's, and so are other kinds of addresses`() throws {
        let resolver = AddressResolver(IdentityKeys([PrivateAddresses.key]))
        for bit in 0..<48 {
            let other = try #require(DeviceAddress(rawValue: PrivateAddresses.sample.rawValue ^ 1 << UInt64(bit)))
            #expect(resolver.resolve(other, now: 0) == .none)
        }
        // Those whose kind another bit tells cost nothing.
        #expect(resolver.computations == 46)
    }

    @Test func `what is known is not computed again`() {
        let resolver = AddressResolver(IdentityKeys([PrivateAddresses.key]))
        let stranger = PrivateAddresses.stranger(1)
        for _ in 0..<1000 {
            #expect(resolver.resolve(PrivateAddresses.sample, now: 0) == .identity(PrivateAddresses.key))
            #expect(resolver.resolve(stranger, now: 0) == .none)
        }
        #expect(resolver.computations == 2)
    }

    @Test func `a flood of strangers costs so much a second and no more, and keeps no more than so many`() throws {
        let keys = try (0..<10).map { number in
            try #require(IdentityKey(of: Devices.heart, key: [UInt8](repeating: UInt8(number), count: 16)))
        }
        let resolver = AddressResolver(IdentityKeys(keys + [PrivateAddresses.key]), perSecond: 1100, memory: 64)
        var later = 0
        for number in 0..<10_000 where resolver.resolve(PrivateAddresses.stranger(number), now: 5) == .later {
            later += 1
        }
        #expect(resolver.computations == 1100)
        #expect(later == 9900)
        #expect(resolver.remembered <= 128)
        // The next second has time again, and a device that was found stays found through a flood.
        #expect(resolver.resolve(PrivateAddresses.sample, now: 1000) == .identity(PrivateAddresses.key))
        for number in 10_000..<20_000 { _ = resolver.resolve(PrivateAddresses.stranger(number), now: 1000) }
        #expect(resolver.computations <= 2200)
        #expect(resolver.resolve(PrivateAddresses.sample, now: 1000) == .identity(PrivateAddresses.key))
    }

    @Test func `an address that there was no time for is named with a later report`() throws {
        let resolver = AddressResolver(IdentityKeys([PrivateAddresses.key]), perSecond: 1)
        var tree = ObjectTree(resolver)
        let now: Int64 = 7000
        #expect(resolver.resolve(PrivateAddresses.stranger(1), now: now) == .none)
        let path = Messages.path("/org/bluez/hci0/dev_70_81_94_0D_FB_AA")
        let added = try Messages.added(path, [(Messages.deviceInterface, [("RSSI", .int16(-50))])])
        _ = try tree.interfacesAdded(added, now: now)
        #expect(tree.devices[path]?.address == PrivateAddresses.sample)
        let heard = try Messages.changed(path, Messages.deviceInterface, [("RSSI", .int16(-51))])
        _ = try tree.propertiesChanged(heard, now: now + 1000)
        #expect(tree.devices[path]?.address == PrivateAddresses.key.address)
        #expect(tree.devices[path]?.advertisement.via == PrivateAddresses.sample)
        #expect(tree.paths[PrivateAddresses.sample] == nil)
        #expect(tree.paths[PrivateAddresses.key.address] == [path])
        #expect(tree.name(of: PrivateAddresses.sample) == PrivateAddresses.key.address)
        _ = try tree.interfacesRemoved(try Messages.removed(path, Messages.deviceInterface))
        #expect(tree.paths.isEmpty)
        #expect(tree.name(of: PrivateAddresses.sample) == PrivateAddresses.sample)
    }

    @Test func `an identity that BlueZ has learnt by a bond is another name of the device`() throws {
        var tree = ObjectTree()
        let identity = Devices.thermometer
        let path = Messages.path("/org/bluez/hci0/dev_70_81_94_0D_FB_AA")
        _ = try tree.interfacesAdded(try Messages.added(path, [(Messages.deviceInterface, [])]), now: 1)
        let told = [("Address", DBusValue.string(identity.description)), ("AddressType", .string("random"))]
        _ = try tree.propertiesChanged(try Messages.changed(path, Messages.deviceInterface, told), now: 2)
        #expect(tree.devices[path]?.address == PrivateAddresses.sample)
        #expect(tree.name(of: identity) == PrivateAddresses.sample)
    }
}

/// Private addresses of the specification's sample key and of nobody.
enum PrivateAddresses {
    static let sample = Devices.address("70:81:94:0D:FB:AA")
    static let bytes: [UInt8] = [
        0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B,
    ]

    static var key: IdentityKey {
        guard let key = IdentityKey(of: Devices.address("C0:5A:00:00:00:77"), key: bytes) else {
            preconditionFailure("a test's own constant")
        }
        return key
    }

    /// The key's address for a random part, whose two highest bits have to be 01.
    static func made(_ random: UInt64) -> DeviceAddress {
        let hash = BlockCipher(key: bytes)?.encrypt(BlockCipher.Block(high: 0, low: random))?.low ?? 0
        return DeviceAddress(rawValue: random << 24 | hash & 0xFF_FFFF) ?? sample
    }

    /// A resolvable address that the key has not made.
    static func stranger(_ number: Int) -> DeviceAddress {
        let random = 0x40_0000 | UInt64(number) & 0x3F_FFFF
        let address = made(random).rawValue ^ 1
        return DeviceAddress(rawValue: address) ?? sample
    }
}
