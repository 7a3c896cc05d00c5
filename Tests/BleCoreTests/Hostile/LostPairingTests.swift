import BleCore
import DBus
import TestSupport
import Testing

/// Pairing with a bluetoothd that answers late, never, or with a refusal.
@Suite(.timeLimit(.minutes(10)))
struct LostPairingTests {
    private static let failed = "org.bluez.Error.Failed"

    private func only(_ member: String, _ answer: @escaping FakeBluez.Answer) -> FakeBluez.Answer {
        { call in call.member == member ? try answer(call) : try call.reply() }
    }

    /// What Pair comes to when it has no answer and the device's properties say that.
    @Test(arguments: [true, false]) func `a Pair without an answer ends by what can be seen`(isPaired: Bool)
        async throws
    {
        try await withPeer(answer: only("Pair") { _ in nil }) { manager, bluez in
            let belt = manager.peripheral(Devices.heart)
            async let outcome = Result { try await belt.pair(timeout: .seconds(50)) }
            _ = try await bluez.call("Pair")
            try await bluez.tell(
                isPaired
                    ? [("Paired", .bool(true)), ("Bonded", .bool(true))]
                    : [("ServicesResolved", .bool(false)), ("Connected", .bool(false))]
            )
            switch await outcome {
            case .success(let found): #expect(isPaired && found == PairOutcome(already: false, bonded: true))
            case .failure(let failure): #expect(!isPaired && (failure as? BleFailure)?.kind == .pairingFailed)
            }
            if isPaired {
                // It would end the bond.
                try await belt.setTrusted(true)
                #expect(!bluez.calls.all.contains("CancelPairing"))
            } else {
                _ = try await bluez.call("CancelPairing")
            }
        }
    }

    @Test func `a device that goes while it is paired ends the pairing`() async throws {
        try await withPeer(answer: only("Pair") { _ in nil }) { manager, bluez in
            async let cause = cause { try await manager.peripheral(Devices.heart).pair(timeout: .seconds(50)) }
            _ = try await bluez.call("Pair")
            try await bluez.send(try Messages.removed(Messages.device, Messages.deviceInterface))
            #expect(await cause == Cause(.deviceRemoved, .operate))
        }
    }

    @Test func `a property that cannot be set is told so, one of a device that goes is in doubt`() async throws {
        let denied = "org.freedesktop.DBus.Error.AccessDenied"
        try await withPeer(answer: only("Set") { try $0.errorReply(denied, "no") }) { manager, bluez in
            let belt = manager.peripheral(Devices.heart)
            #expect(await cause { try await belt.setTrusted(true) } == Cause(.unauthorized, .operate))
            let isNew = try await belt.setTrusted(false)
            #expect(!isNew)
            #expect(bluez.calls.all.count { $0 == "Set" } == 1)
            let other = manager.peripheral(Devices.unknown)
            #expect(await cause { try await other.setTrusted(true) } == Cause(.notInRange, .scan))
        }
        try await withPeer(answer: only("Set") { _ in nil }) { manager, bluez in
            async let failure = failure { try await manager.peripheral(Devices.heart).setTrusted(true) }
            _ = try await bluez.call("Set")
            try await bluez.send(try Messages.removed(Messages.device, Messages.deviceInterface))
            let found = await failure
            #expect(found?.kind == .deviceRemoved)
            #expect(found?.applied == .maybe)
        }
    }

    @Test func `a bond that cannot be ended is told so`() async throws {
        let bonded: Messages.Properties = [
            ("Connected", .bool(true)), ("ServicesResolved", .bool(true)), ("Paired", .bool(true)),
            ("Bonded", .bool(true)),
        ]
        let objects = [Messages.adapterObject, (Messages.device, [(Messages.deviceInterface, bonded)])]
        let answer = only("RemoveDevice") { try $0.errorReply(Self.failed, "no") }
        try await withPeer(objects: objects, answer: answer) { manager, _ in
            let belt = manager.peripheral(Devices.heart)
            #expect(await cause { try await belt.unpair() } == Cause(.bus, .operate))
            #expect(await belt.info?.bonded == true)
            let outcome = try await belt.pair()
            #expect(outcome == PairOutcome(already: true, bonded: true))
        }
    }
}

extension Result where Failure == any Error {
    /// What an operation comes to.
    fileprivate init(_ operation: () async throws -> Success) async {
        do { self = .success(try await operation()) } catch { self = .failure(error) }
    }
}
