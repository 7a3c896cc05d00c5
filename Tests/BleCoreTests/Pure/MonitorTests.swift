import BleCore
import DBus
import Testing

/// What a monitor is told to hear, and when.
@Suite(.timeLimit(.minutes(10)))
struct MonitorTests {
    private let start = ContinuousClock.now
    private let failed = DBusConnection.Outcome.failure(.error(name: "org.bluez.Error.Failed", message: ""))

    private func request(_ change: (inout ScanRequest) -> Void = { _ in }) -> ScanRequest {
        var request = ScanRequest()
        change(&request)
        return request
    }

    @Test func `patterns follow from makers and services, else from flags and beacons`() {
        func texts(_ requests: ScanRequest...) -> [String] {
            AdvertisementPattern.patterns(for: requests).map { "\($0.start) \($0.type) \($0.content)" }
        }
        #expect(texts(request { $0.manufacturers = [0x0499] }) == ["0 255 [153, 4]"])
        let short = texts(request { $0.services = [0x180F] })
        #expect(short.contains("0 3 [15, 24]") && short.contains("6 2 [15, 24]") && short.contains("0 22 [15, 24]"))
        #expect(short.count == 9)
        let uuid = BluetoothUUID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
        let long = texts(request { $0.services = [uuid] })
        #expect(long.first == "0 6 [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]" && long.count == 3)
        let all = texts(request())
        #expect(all.contains("0 1 [6]") && all.contains("0 22 [210, 252]") && all.contains("0 255 [76, 0]"))
        // No pattern stands twice, and none is empty.
        #expect(texts(request(), request()) == all && Set(all).count == all.count)
        #expect(AdvertisementPattern.patterns(for: [request()]).allSatisfy { !$0.content.isEmpty })
    }

    @Test func `a monitor is registered, changed and taken back one call at a time`() throws {
        let control = MonitorControl()
        #expect(control.next(now: start) == nil)
        control.add(request { $0.manufacturers = [1] }, as: 1)
        let first = try #require(control.next(now: start))
        #expect(first == .register(AdvertisementPattern.patterns(for: [request { $0.manufacturers = [1] }])))
        control.began(first)
        control.add(request { $0.manufacturers = [2] }, as: 2)
        #expect(control.next(now: start) == nil)
        control.activated()
        control.ended(first, .success(try DBusMessage.signal(.root, "a.b", "c")), now: start)
        #expect(control.isActive && control.next(now: start) == .unregister)
        control.began(.unregister)
        control.ended(.unregister, failed, now: start)
        let second = try #require(control.next(now: start))
        #expect(!control.isActive && second != first)
        control.began(second)
        control.ended(second, failed, now: start)
        #expect(control.failure != nil && control.next(now: start) == nil)
        #expect(control.next(now: start + .seconds(5)) == second)
        control.remove(1)
        control.remove(2)
        #expect(!control.isWanted && control.failure == nil && control.next(now: start + .seconds(9)) == nil)
    }

    @Test func `one that bluetoothd lets go is told as not supported, and tried again later`() throws {
        let control = MonitorControl()
        control.add(request(), as: 1)
        let step = try #require(control.next(now: start))
        control.began(step)
        control.released(now: start)
        control.ended(step, .success(try DBusMessage.signal(.root, "a.b", "c")), now: start)
        #expect(control.failure?.kind == .notSupported && control.next(now: start) == nil)
        #expect(control.next(now: start + .seconds(6)) == step)
    }
}
