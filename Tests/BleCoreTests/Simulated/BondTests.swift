import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

/// Bonds: their end, those that do not do any more, and devices that want one by themselves.
@Suite(.timeLimit(.minutes(10)))
struct BondTests {
    @Test func `a bond is ended, and the device can be found and paired again`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            let belt = bench.peripheral(Devices.heart)
            #expect(try await belt.unpair() == false)
            try await belt.pair()
            #expect(try await belt.unpair() == true)
            let info = await belt.info
            #expect(info?.paired != true)
            #expect(try await belt.unpair() == false)
            #expect(try await belt.pair() == PairOutcome(already: false, bonded: true))
        }
    }

    @Test func `a pairing that is under way ends with the bond`() async throws {
        try await withBench(devices: [Devices.pairable(.confirm)]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            let belt = bench.peripheral(Devices.heart)
            async let cause = cause { try await belt.pair() }
            _ = try await listener.prompt()
            #expect(try await belt.unpair() == true)
            #expect(await cause == Cause(.pairingRejected, .operate))
            #expect(listener.ends == [.cancelled])
        }
    }

    @Test func `a device is trusted or not, and it is told whether that is new`() async throws {
        try await withBench(devices: [Devices.bonded]) { bench in
            let belt = bench.peripheral(Devices.heart)
            for trusted in [true, false] {
                let isNew = try await belt.setTrusted(trusted)
                let isNewAgain = try await belt.setTrusted(trusted)
                #expect(isNew && !isNewAgain)
                #expect(await belt.info?.trusted == trusted)
            }
            let cause = await cause { try await bench.peripheral(Devices.unknown).setTrusted(true) }
            #expect(cause == Cause(.notInRange, .scan))
        }
    }

    @Test func `a bond is told of as it comes`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            let events = await bench.manager.eventSequence()
            try await bench.peripheral(Devices.heart).pair()
            let event = try await first(of: events) { if case .bond(_, paired: true) = $0 { true } else { false } }
            #expect(event?.address == Devices.heart)
        }
    }

    @Test func `the end of a bond is told of, whoever ends it, but not when bluetoothd goes`() async throws {
        for isGone in [false, true] {
            try await withBench(devices: [Devices.bonded]) { bench in
                let events = await bench.manager.eventSequence()
                if isGone {
                    await bench.simulator.leaveBus()
                } else {
                    await bench.happen { .vanish($0) }
                }
                var ends = 0
                for try await event in events {
                    if case .bond(Devices.heart, paired: false) = event { ends += 1 }
                    if case .removed(Devices.heart) = event { break }
                }
                #expect(ends == (isGone ? 0 : 1))
            }
        }
    }

    @Test func `a bond that the device has lost is stale, and paired anew it works again`() async throws {
        try await withBench(devices: [Devices.bonded]) { bench in
            let belt = bench.peripheral(Devices.heart)
            #expect(try await belt.read(Devices.secret) == [7])
            try await belt.disconnect()
            await bench.happen { .loseKeys($0) }
            let failure = try #require(await failure { try await belt.read(Devices.secret) })
            #expect(failure.kind == .staleBond && failure.stage == .connect && failure.applied == .no)
            #expect(try await belt.pair().already == true)
            #expect(try await belt.unpair() == true)
            #expect(try await belt.pair() == PairOutcome(already: false, bonded: true))
            #expect(try await belt.read(Devices.secret) == [7])
        }
    }

    @Test func `a link that is lost a few times before its services are known is a bad link, bond or not`() async throws
    {
        for isBonded in [true, false] {
            var device = isBonded ? Devices.bonded : Devices.pairable()
            device.resolveTime = .never
            try await withBench(devices: [device]) { bench in
                async let linked = bench.linked(Devices.heart)
                for count in 1...2 {
                    await bench.simulator.waitForCalls(of: "Connect", count: count)
                    await bench.simulator.dropLink(DemoDevices.heartAddress)
                }
                await bench.simulator.waitForCalls(of: "Connect", count: 3)
                await bench.happen { .resolve($0) }
                let value = try await linked.read(Devices.location)
                #expect(value == [1])
            }
        }
    }

    @Test(arguments: ["le-connection-key-missing", "br-connection-key-missing"])
    func `a bluetoothd that says what 5.66 does not is believed`(_ text: String) async throws {
        try await withBench(devices: [Devices.bonded]) { bench in
            await bench.simulator.refuse("Connect", with: .failed(text))
            let cause = await cause { try await bench.linked(Devices.heart) }
            #expect(cause == Cause(.staleBond, .connect))
        }
    }

    @Test func `what wants pairing on a bonded link says that the bond does not do`() async throws {
        let refusal = BluezError.notPermitted("Not paired")
        for (device, kind) in [(Devices.bonded, BleFailure.Kind.staleBond), (Devices.pairable(), .needsPairing)] {
            try await withBench(devices: [device]) { bench in
                await bench.simulator.refuse("ReadValue", with: refusal)
                let cause = await cause { try await bench.peripheral(Devices.heart).read(Devices.location) }
                #expect(cause == Cause(kind, .operate))
            }
        }
    }

    @Test func `B43 a request that wants pairing is refused and not left hanging`() async throws {
        try await withBench(devices: [Devices.pairable(.passkey)]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            let belt = bench.peripheral(Devices.heart)
            let failure = try #require(await failure { try await belt.read(Devices.secret) })
            #expect(failure.kind == .needsPairing && failure.stage == .operate)
            #expect(listener.events.all.isEmpty)
            // The link, on which nothing would be answered any more, is ended; the next one works.
            await bench.simulator.waitForCalls(of: "Disconnect")
            await belt.settle()
            #expect(try await belt.read(Devices.location) == [1])
        }
    }

    @Test func `a device that asks to pair is refused, and what needs no pairing goes on`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            let belt = try await bench.linked(Devices.heart)
            await bench.happen { .pair($0) }
            #expect(try await belt.read(Devices.location) == [1])
            let info = try #require(await belt.info)
            #expect(!info.paired)
        }
    }

    @Test func `in the gateway's window a device may pair if somebody agrees, and not after`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            let listener = await PromptListener.listen(to: bench.manager) { $0 == .authorize ? .accept : nil }
            let belt = try await bench.linked(Devices.heart)
            await bench.manager.openPairingWindow(for: .seconds(60))
            await bench.simulator.waitForCalls(of: "RequestDefaultAgent")
            await bench.happen { .pair($0) }
            _ = try await listener.events.first(2)
            #expect(listener.kinds == [.authorize] && listener.ends == [.answered])
            #expect(try await belt.read(Devices.secret) == [7])
            try await belt.unpair()
            await bench.manager.closePairingWindow()
            #expect(await bench.manager.isPairingWindowOpen == false)
            _ = try await bench.linked(Devices.heart)
            await bench.happen { .pair($0) }
            #expect(try await belt.read(Devices.location) == [1])
            #expect(listener.kinds.count == 1)
            #expect(await belt.info?.paired == false)
        }
    }

    @Test func `closing the window refuses what is open`() async throws {
        try await withBench(devices: [Devices.pairable(.confirm)]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            _ = try await bench.linked(Devices.heart)
            await bench.manager.openPairingWindow(for: .seconds(60))
            await bench.happen { .pair($0) }
            _ = try await listener.prompt()
            await bench.manager.closePairingWindow()
            #expect(listener.ends == [.cancelled])
            #expect(await bench.manager.pairingPrompts.isEmpty)
        }
    }

    @Test func `nobody but bluetoothd may ask the agent`() async throws {
        try await withBench(devices: [Devices.pairable()]) { bench in
            let listener = await PromptListener.listen(to: bench.manager)
            await bench.manager.openPairingWindow(for: .seconds(60))
            await bench.simulator.waitForCalls(of: "RegisterAgent")
            let call = try #require(await bench.simulator.calls(of: "RegisterAgent").first)
            guard case .path(let path)? = call.arguments.first else {
                Issue.record("no path")
                return
            }
            _ = try await bench.linked(Devices.heart)
            let stranger = try await bench.bus.connect()
            for member in ["Release", "Cancel", "RequestAuthorization", "Nothing"] {
                let message = try DBusMessage.call(call.sender, path, "org.bluez.Agent1", member)
                try message.append { (writer) throws(DBusFailure) in try writer.append(path: Messages.device) }
                let failure = await #expect(throws: DBusFailure.self) { try await stranger.call(message) }
                guard case .error("org.freedesktop.DBus.Error.AccessDenied", _)? = failure else {
                    Issue.record("\(member): \(String(describing: failure))")
                    continue
                }
            }
            let elsewhere = try DBusMessage.call(call.sender, Messages.adapter, "org.bluez.Agent1", "Cancel")
            await #expect(throws: DBusFailure.self) { try await stranger.call(elsewhere) }
            #expect(listener.events.all.isEmpty)
            #expect(await bench.simulator.count(of: "RegisterAgent") == 1)
        }
    }
}
