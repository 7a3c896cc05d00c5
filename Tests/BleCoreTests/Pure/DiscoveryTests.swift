import BleCore
import DBus
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DiscoveryTests {
    private static let refusal = DBusFailure.error(name: "org.bluez.Error.Failed", message: "Input/output error")
    private static let busy = DBusFailure.error(name: "org.bluez.Error.InProgress", message: "In Progress")

    private let start = ContinuousClock.now

    private func adapter(_ index: Int = 0, powered: Bool = true) throws -> AdapterRecord {
        let name = try #require(AdapterName("hci\(index)"))
        let adapter = AdapterRecord(path: try #require(BluezPath.adapter(name)), name: name)
        adapter.powered = powered
        return adapter
    }

    private func request(_ rssi: Int? = nil) -> ScanRequest {
        var request = ScanRequest()
        // Services are for us to tell: BlueZ would pass over those in service data.
        request.services = [0x180D]
        request.rssiMin = rssi
        return request
    }

    /// Lets every step succeed until there is nothing to do.
    private func settle(_ control: DiscoveryControl, _ adapter: AdapterRecord) throws -> [DiscoveryControl.Step] {
        var steps: [DiscoveryControl.Step] = []
        while let step = control.next(adapter: adapter, now: start) {
            steps.append(step)
            control.began()
            control.ended(step, .success(try Messages.reply(.bool(true))), now: start)
        }
        return steps
    }

    @Test func `the filter is the union of what is wanted`() throws {
        let control = DiscoveryControl()
        let adapter = try adapter()
        let first = 1
        control.add(request(-60), as: first)
        #expect(
            try settle(control, adapter) == [.setFilter(.init(rssi: -60), adapter.path), .start(adapter.path)]
        )
        let second = 2
        control.add(request(-80), as: second)
        #expect(try settle(control, adapter) == [.setFilter(.init(rssi: -80), adapter.path)])
        let third = 3
        control.add(request(), as: third)
        #expect(try settle(control, adapter) == [.setFilter(.init(), adapter.path)])
        control.remove(third)
        control.remove(second)
        #expect(try settle(control, adapter) == [.setFilter(.init(rssi: -60), adapter.path)])
        control.remove(first)
        #expect(try settle(control, adapter) == [.stop(adapter.path)])
        #expect(!control.isRunning && !control.isWanted)
    }

    @Test func `one call is out at a time`() throws {
        let control = DiscoveryControl()
        let adapter = try adapter()
        control.add(request(), as: 4)
        let step = try #require(control.next(adapter: adapter, now: start))
        control.began()
        #expect(control.next(adapter: adapter, now: start) == nil)
        control.ended(step, .success(try Messages.reply(.bool(true))), now: start)
        #expect(control.next(adapter: adapter, now: start) == .start(adapter.path))
    }

    @Test func `a refusal is told, and tried again after a second`() throws {
        let control = DiscoveryControl()
        let adapter = try adapter()
        let demand = 5
        control.add(request(), as: demand)
        let step = try #require(control.next(adapter: adapter, now: start))
        control.began()
        control.ended(step, .failure(Self.refusal), now: start)
        #expect(control.failure?.kind == .bus)
        #expect(control.next(adapter: adapter, now: start + .milliseconds(999)) == nil)
        #expect(control.next(adapter: adapter, now: start + .seconds(1)) == step)
        control.remove(demand)
        #expect(control.failure == nil)
    }

    @Test func `a discovery of somebody else serves as well`() throws {
        let control = DiscoveryControl()
        let adapter = try adapter()
        control.add(request(), as: 6)
        let filter = try #require(control.next(adapter: adapter, now: start))
        control.began()
        control.ended(filter, .success(try Messages.reply(.bool(true))), now: start)
        control.began()
        control.ended(.start(adapter.path), .failure(Self.busy), now: start)
        #expect(control.isForeign && control.isRunning && control.failure == nil)
        #expect(control.next(adapter: nil, now: start) == nil)
        #expect(!control.isRunning)
    }

    @Test func `an adapter that goes or is switched off has ended the session`() throws {
        for after in [nil, try adapter(powered: false)] as [AdapterRecord?] {
            let control = DiscoveryControl()
            let adapter = try adapter()
            control.add(request(), as: 7)
            _ = try settle(control, adapter)
            #expect(control.isRunning)
            #expect(control.next(adapter: after, now: start) == nil)
            #expect(!control.isRunning)
            #expect(try settle(control, adapter).last == .start(adapter.path))
        }
    }

    @Test func `a session on an adapter that is not the one any more is stopped`() throws {
        let control = DiscoveryControl()
        let (old, new) = (try adapter(1), try adapter(0))
        control.add(request(), as: 8)
        _ = try settle(control, old)
        #expect(control.next(adapter: new, now: start, isOn: { _ in true }) == .stop(old.path))
        control.began()
        control.ended(.stop(old.path), .success(try Messages.reply(.bool(true))), now: start)
        #expect(try settle(control, new) == [.setFilter(.init(), new.path), .start(new.path)])
    }

    @Test func `what fails when nobody wants it any more is forgotten`() throws {
        let control = DiscoveryControl()
        let adapter = try adapter()
        let demand = 9
        control.add(request(), as: demand)
        let step = try #require(control.next(adapter: adapter, now: start))
        control.began()
        control.remove(demand)
        control.ended(step, .failure(Self.busy), now: start)
        #expect(!control.isRunning && control.failure == nil && control.notBefore == nil)
    }

    @Test func `a new bluetoothd knows nothing of the old one's session`() throws {
        let control = DiscoveryControl()
        let adapter = try adapter()
        control.add(request(), as: 10)
        _ = try settle(control, adapter)
        control.serviceChanged()
        #expect(!control.isRunning)
        #expect(try settle(control, adapter).count == 2)
    }

    @Test func `a request matches when each of its conditions holds`() throws {
        let address = try #require(DeviceAddress("C0:5A:00:00:00:02"))
        var heard = Advertisement(address: address, adapter: "hci0", heard: 1)
        heard.name = "Sim Heart"
        heard.rssi = -60
        heard.services = [0x180D]
        heard.serviceData = [0xFCD2: [1]]
        heard.manufacturerData = [0x0499: [5]]
        let rows: [(Bool, (inout ScanRequest) -> Void)] = [
            (true, { _ in }), (true, { $0.name = "Sim Heart" }), (false, { $0.name = "Sim" }),
            (true, { $0.namePrefix = "Sim" }), (false, { $0.namePrefix = "Heart" }),
            (true, { $0.services = [0x180F, 0x180D] }),
            (true, { $0.services = [0xFCD2] }), (false, { $0.services = [0x180F] }),
            (true, { $0.manufacturers = [1, 0x0499] }),
            (false, { $0.manufacturers = [1] }), (true, { $0.rssiMin = -60 }), (false, { $0.rssiMin = -59 }),
            (true, { $0.addresses = [address] }), (false, { $0.addresses = [DeviceAddress(rawValue: 1) ?? address] }),
            (
                false,
                {
                    $0.name = "Sim Heart"; $0.rssiMin = 0
                }
            ),
        ]
        for (index, (expected, change)) in rows.enumerated() {
            var request = ScanRequest()
            change(&request)
            #expect(request.matches(heard) == expected, "row \(index)")
        }
        heard.rssi = nil
        #expect(!request(-100).matches(heard))
    }
}
