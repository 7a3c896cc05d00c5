import BleCore
import EdgeAgent
import EventLoop
import TestSupport
import Testing

/// Who holds which subscription.
@Suite(.timeLimit(.minutes(10)))
struct SubscriptionTableTests {
    private static let address = DeviceAddress("c05a00000001")

    private struct Place {
        let table = SubscriptionTable()
        let device: DeviceTarget
        let id: CharacteristicID
        let entry: Subscription

        init?(isAmbiguous: Bool = false) {
            guard let address, let service = BluetoothUUID("180f"), let uuid = BluetoothUUID("2a19") else { return nil }
            device = DeviceTarget(address: address, name: .address(address))
            id = CharacteristicID(service: service, characteristic: uuid, handle: 12, isAmbiguous: isAmbiguous)
            entry = table.make(for: id, of: device, topic: "topic")
        }
    }

    /// Runs on a loop of its own.
    private func onLoop<Value: Sendable>(_ work: @escaping @Sendable (EventLoop) -> Value) async throws -> Value {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let done = TestSupport.Log<Value>()
        loop.execute { done.append(work(loop)) }
        return try await done.first(1)[0]
    }

    @Test func `each holder holds for itself, and durable is what one of them wants`() async throws {
        let steps: [Bool] = try await onLoop { loop in
            guard let entry = Place()?.entry else { return [] }
            func hold(_ name: String, durable: Bool = false) -> Bool {
                entry.hold(name, isDurable: durable, lease: nil, after: nil, on: loop) {}
            }
            var steps = [!hold("a"), !hold("b", durable: true), hold("a"), entry.isDurable]
            steps.append(entry.release("c", on: loop) == nil)
            steps.append(entry.release("b", on: loop)?.isDurable == true)
            steps.append(!entry.isDurable && entry.holders.count == 1)
            steps.append(entry.release("a", on: loop) != nil && entry.holders.isEmpty)
            return steps
        }
        #expect(steps.count == 8 && steps.allSatisfy { $0 })
    }

    @Test func `there is room for a hundred holders`() async throws {
        let steps: [Bool] = try await onLoop { loop in
            guard let entry = Place()?.entry else { return [] }
            for number in 1...Subscription.maxHolders {
                guard entry.mayHold("h\(number)") else { return [] }
                _ = entry.hold("h\(number)", isDurable: false, lease: nil, after: nil, on: loop) {}
            }
            return [!entry.mayHold("another"), entry.mayHold("h1")]
        }
        #expect(steps == [true, true])
    }

    @Test func `a selector finds a subscription by handle or by UUIDs`() throws {
        let place = try #require(Place())
        let address = try #require(Self.address)
        func find(_ selector: AttributeSelector) -> Bool { place.table.find(selector, of: address) != nil }
        #expect(find(AttributeSelector(handle: 12)))
        #expect(!find(AttributeSelector(handle: 13)))
        #expect(find(AttributeSelector(service: place.id.service, characteristic: place.id.characteristic)))
        #expect(!find(AttributeSelector(service: place.id.service, characteristic: place.id.service)))
        #expect(place.entry.selector.handle == 12)
    }

    @Test func `over a restart a characteristic is named by its UUIDs, where they name it`() throws {
        #expect(try #require(Place()).entry.lastingSelector.handle == nil)
        #expect(try #require(Place(isAmbiguous: true)).entry.lastingSelector.handle == 12)
    }

    @Test func `a subscription that has another handle now is found under it alone`() throws {
        let place = try #require(Place())
        let address = try #require(Self.address)
        let (service, uuid) = (place.id.service, place.id.characteristic)
        let moved = CharacteristicID(service: service, characteristic: uuid, handle: 20, isAmbiguous: false)
        place.table.move(place.entry, to: moved, topic: "other")
        #expect(place.table.find(AttributeSelector(handle: 12), of: address) == nil)
        #expect(place.table.find(AttributeSelector(handle: 20), of: address) === place.entry)
        #expect(place.entry.topic == "other" && place.table.contains(place.entry))
        place.table.remove(place.entry)
        #expect(place.table.isEmpty(for: address) && !place.table.contains(place.entry))
        // What is gone does not come back by moving.
        place.table.move(place.entry, to: place.id, topic: "topic")
        #expect(place.table.isEmpty(for: address))
    }

    @Test func `a lease that is renewed does not end at its first time`() async throws {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let ended = TestSupport.Log<String>()
        loop.execute {
            guard let entry = Place()?.entry else { return }
            func hold(_ name: String, _ milliseconds: Int, _ text: String) {
                let lease = (span: Duration.milliseconds(milliseconds), endsMs: Int64(0))
                _ = entry.hold(name, isDurable: false, lease: lease, after: nil, on: loop) { ended.append(text) }
            }
            hold("a", 50, "first")
            hold("a", 80, "second")
            hold("b", 10, "released")
            _ = entry.release("b", on: loop)
        }
        #expect(try await ended.first(1) == ["second"])
    }
}
