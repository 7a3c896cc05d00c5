import BleCore
import DBus
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NotifierTests {
    private final class Values: Sendable {
        let all = Mutex<[[UInt8]]>([])
        var list: [[UInt8]] { all.withLock { $0 } }
        func add(_ notification: GattNotification) { all.withLock { $0.append(notification.value) } }
    }

    private func notifier(readsOut: Int = 0) throws -> (Notifier, Values) {
        var tree = ObjectTree()
        let objects = [
            Messages.adapterObject, Messages.deviceObject, Messages.serviceObject, Messages.characteristicObject(),
        ]
        _ = try tree.load(try Messages.reply(Messages.objects(objects)), now: 1)
        let table = try #require(tree.devices[Messages.device]?.attributes)
        let id = table.identity(of: try #require(table.characteristics[Messages.characteristic]))
        let notifier = Notifier(address: Devices.heart, id: id, isIndication: false, readsOut: readsOut)
        let values = Values()
        #expect(notifier.hold("test") { values.add($0) })
        return (notifier, values)
    }

    private func reply(_ bytes: [UInt8]) throws -> DBusConnection.Outcome {
        .success(try Messages.reply(.bytes(bytes)))
    }

    @Test func `the value of a read is no notification`() throws {
        let (notifier, values) = try notifier()
        notifier.readBegins()
        notifier.arrived([1])
        notifier.readEnds(try reply([1]))
        notifier.arrived([2])
        #expect(values.list == [[2]])
    }

    @Test func `notifications during a read are kept, in order`() throws {
        let (notifier, values) = try notifier()
        notifier.readBegins()
        for value: UInt8 in [1, 2, 9] { notifier.arrived([value]) }
        notifier.readEnds(try reply([9]))
        #expect(values.list == [[1], [2]])
        notifier.readBegins()
        notifier.arrived([3])
        notifier.readEnds(try reply([4]))
        #expect(values.list == [[1], [2], [3]])
    }

    @Test func `a read that fails keeps what came meanwhile`() throws {
        let (notifier, values) = try notifier(readsOut: 1)
        notifier.arrived([5])
        notifier.readEnds(.failure(.disconnected))
        notifier.arrived([6])
        #expect(values.list == [[5], [6]])
    }

    @Test func `a read at an offset is known by its tail`() throws {
        let (notifier, values) = try notifier()
        notifier.readBegins()
        notifier.arrived([1, 2, 3])
        notifier.readEnds(try reply([3]), offset: 2)
        notifier.readBegins()
        notifier.arrived([7])
        notifier.readEnds(try reply([]), offset: 5)
        #expect(values.list == [[7]])
    }

    @Test func `an answer that was not asked for does no harm`() throws {
        let (notifier, values) = try notifier()
        notifier.readEnds(try reply([1]))
        notifier.arrived([1])
        #expect(values.list == [[1]])
    }

    @Test func `holders come and go by name`() throws {
        let (notifier, values) = try notifier()
        #expect(!notifier.hold("test") { values.add($0) })
        #expect(notifier.holds("test") && notifier.isWanted)
        #expect(!notifier.release("other"))
        #expect(notifier.release("test"))
        #expect(!notifier.isWanted)
        notifier.arrived([1])
        #expect(values.list.isEmpty)
    }
}
