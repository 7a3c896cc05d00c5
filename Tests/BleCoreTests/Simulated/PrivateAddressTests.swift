import BleCore
import BlueZSimulator
import EventLoop
import TestSupport
import Testing

/// Devices whose addresses change, known by their identity keys.
@Suite(.timeLimit(.minutes(10)))
struct PrivateAddressTests {
    private static let identity = PrivateAddresses.key.address

    private static func belt(_ address: DeviceAddress) -> DeviceModel {
        var device = Devices.belt
        device.address = address.description
        return device
    }

    private func with(_ body: (Bench) async throws -> Void) async throws {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.identityKeys = IdentityKeys([PrivateAddresses.key])
        let device = Self.belt(PrivateAddresses.sample)
        try await withBench(devices: [device, Devices.belt], configuration: configuration, body)
    }

    @Test func `a report has the identity as its address, and what is on the air beside it`() async throws {
        try await with { bench in
            var request = ScanRequest()
            request.addresses = [Self.identity]
            let reports = try await bench.manager.advertisements(request)
            let report = try #require(try await first(of: reports) { _ in true })
            #expect(report.address == Self.identity)
            #expect(report.via == PrivateAddresses.sample)
            #expect(report.addressType == .random)
            #expect(report.name == Devices.belt.advertisement.name)
            request.addresses = [Devices.heart]
            let others = try await bench.manager.advertisements(request)
            let other = try #require(try await first(of: others) { _ in true })
            #expect(other.via == nil)
        }
    }

    @Test func `a device is reached by its identity and by the address that it has now`() async throws {
        try await with { bench in
            for address in [Self.identity, PrivateAddresses.sample] {
                let belt = try await bench.linked(address)
                let value = try await belt.read(Devices.location)
                #expect(value == [1])
                let info = try #require(await belt.info)
                #expect(info.advertisement.address == Self.identity)
                #expect(info.link.phase == .resolved)
            }
            #expect(await bench.simulator.count(of: "Connect") == 1)
            #expect(await bench.manager.devices.count { $0.advertisement.address == Self.identity } == 1)
            try await bench.peripheral(PrivateAddresses.sample).disconnect()
            #expect(await bench.simulator.isConnected(PrivateAddresses.sample.description) == false)
        }
    }

    @Test func `every address of a device leads to its one name, those too that BlueZ has not heard`() async throws {
        try await with { bench in
            let (new, stranger) = (PrivateAddresses.made(0x55_1234), PrivateAddresses.stranger(7))
            for address in [PrivateAddresses.sample, new, Self.identity] {
                #expect(await bench.manager.name(of: address) == Self.identity)
            }
            for address in [stranger, Devices.heart] { #expect(await bench.manager.name(of: address) == address) }
        }
    }

    @Test func `a device that is forgotten has no object left, whatever addresses it had`() async throws {
        try await with { bench in
            _ = try await bench.linked(Self.identity)
            let new = PrivateAddresses.made(0x55_1234)
            await bench.simulator.addDevice(Self.belt(new))
            let reports = try await bench.manager.advertisements(ScanRequest())
            _ = try await first(of: reports) { $0.via == new }
            let wasKnown = try await bench.peripheral(Self.identity).forget()
            #expect(wasKnown)
            #expect(await bench.simulator.count(of: "RemoveDevice") == 2)
        }
    }

    @Test func `a new address is the same device: its subscription goes on, and BlueZ forgets the old one`()
        async throws
    {
        try await with { bench in
            let belt = try await bench.linked(Self.identity)
            let values = try await belt.notifications(for: Devices.rate)
            try await belt.disconnect()
            let new = PrivateAddresses.made(0x55_1234)
            await bench.simulator.removeDevice(PrivateAddresses.sample.description)
            await bench.simulator.addDevice(Self.belt(new))
            let request = ScanRequest()
            let reports = try await bench.manager.advertisements(request)
            _ = try await first(of: reports) { $0.via == new }
            try await belt.connect()
            #expect(await bench.simulator.isConnected(new.description))
            await bench.simulator.waitForCalls(of: "RemoveDevice")
            await bench.simulator.notify(new.description, "2a37", [0, 77])
            #expect(try await first(of: values) { _ in true }?.value == [0, 77])
            let info = try #require(await belt.info)
            #expect(info.advertisement.via == new)
            await belt.settle()
            #expect(await bench.manager.devices.count { $0.advertisement.address == Self.identity } == 1)
        }
    }
}
