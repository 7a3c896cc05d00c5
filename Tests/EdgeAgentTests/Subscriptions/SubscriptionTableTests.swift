import BleCore
import EdgeAgent
import EventLoop
import TestSupport
import Testing

/// Who holds which subscription.
@Suite(.timeLimit(.minutes(1)))
struct SubscriptionTableTests {
    private static let address = DeviceAddress("c05a00000001")

    private struct Place {
        let table: SubscriptionTable
        let device: DeviceTarget
        let id: CharacteristicID
        let entry: SubscriptionTable.Subscription
    }

    private static func place(_ loop: EventLoop) -> Place? {
        guard let address, let service = BluetoothUUID("180f"), let uuid = BluetoothUUID("2a19") else { return nil }
        let table = SubscriptionTable(loop: loop)
        let device = DeviceTarget(address: address, name: .address(address))
        let id = CharacteristicID(service: service, characteristic: uuid, handle: 12, isAmbiguous: false)
        return Place(table: table, device: device, id: id, entry: table.entry(for: id, of: device) { "topic" })
    }

    /// Runs on a loop of its own.
    private func onLoop<Value: Sendable>(_ work: @escaping @Sendable (EventLoop) -> Value) async throws -> Value {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let done = TestSupport.Log<Value>()
        loop.execute { done.append(work(loop)) }
        return try await done.first(1)[0]
    }

    @Test func `a subscription stands until its last holder lets go`() async throws {
        let steps: [Bool] = try await onLoop { loop in
            guard let place = Self.place(loop), let address = Self.address else { return [] }
            let (table, entry) = (place.table, place.entry)
            var steps = [
                !table.hold(entry, holder: "a", lease: nil) {}, !table.hold(entry, holder: "b", lease: nil) {},
            ]
            steps.append(table.hold(entry, holder: "a", lease: nil) {})
            steps.append(table.entry(for: place.id, of: place.device) { "other" } === entry)
            steps.append(table.release(entry, holder: "c") == (false, false))
            steps.append(table.release(entry, holder: "a") == (true, false))
            steps.append(!table.isEmpty(for: address))
            steps.append(table.release(entry, holder: "b") == (true, true))
            steps.append(table.isEmpty(for: address))
            return steps
        }
        #expect(steps.count == 9 && steps.allSatisfy { $0 })
    }

    @Test func `a selector finds a subscription by handle or by UUIDs`() async throws {
        let steps: [Bool] = try await onLoop { loop in
            guard let place = Self.place(loop), let address = Self.address else { return [] }
            let table = place.table
            func find(_ selector: AttributeSelector) -> Bool { table.find(selector, of: address) != nil }
            return [
                find(AttributeSelector(handle: 12)), !find(AttributeSelector(handle: 13)),
                find(AttributeSelector(service: place.id.service, characteristic: place.id.characteristic)),
                !find(AttributeSelector(service: place.id.service, characteristic: place.id.service)),
                place.entry.selector.handle == 12,
            ]
        }
        #expect(steps.count == 5 && steps.allSatisfy { $0 })
    }

    @Test func `what nobody holds after a failed subscribing is removed`() async throws {
        let steps: [Bool] = try await onLoop { loop in
            guard let place = Self.place(loop), let address = Self.address else { return [] }
            place.table.removeUnheld(of: address)
            let isGone = place.table.isEmpty(for: address)
            let again = place.table.entry(for: place.id, of: place.device) { "topic" }
            _ = place.table.hold(again, holder: "a", lease: nil) {}
            place.table.removeUnheld(of: address)
            return [isGone, !place.table.isEmpty(for: address)]
        }
        #expect(steps == [true, true])
    }

    @Test func `a lease that is renewed does not end at its first time`() async throws {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let ended = TestSupport.Log<String>()
        loop.execute {
            guard let place = Self.place(loop) else { return }
            _ = place.table.hold(place.entry, holder: "a", lease: .milliseconds(50)) { ended.append("first") }
            _ = place.table.hold(place.entry, holder: "a", lease: .milliseconds(80)) { ended.append("second") }
            _ = place.table.hold(place.entry, holder: "b", lease: .milliseconds(10)) { ended.append("released") }
            _ = place.table.release(place.entry, holder: "b")
        }
        #expect(try await ended.first(1) == ["second"])
    }
}
