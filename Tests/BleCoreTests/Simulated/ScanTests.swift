import BleCore
import BlueZSimulator
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ScanTests {
    @Test func `a scan asks about each report until one is to be connected`() async throws {
        try await withBench(devices: [Devices.belt, DemoDevices.framer]) { bench in
            var asked: [DeviceAddress] = []
            let found = try await bench.manager.scan { device in
                asked.append(device.address)
                return asked.count > 3 && device.name == "Sim Heart" ? .connect : .skip
            }
            #expect(found?.address == Devices.heart)
            #expect(asked.count > 3)
            #expect(await bench.simulator.isConnected(DemoDevices.heartAddress))
            #expect(await bench.manager.device(Devices.heart)?.link.phase == .resolved)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a scan that is stopped gives no device, and BlueZ listens no longer`() async throws {
        try await withBench { bench in
            let found = try await bench.manager.scan { _ in .stop }
            #expect(found == nil)
            await bench.simulator.waitForCalls(of: "StopDiscovery")
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a scan whose time ends without a decision says that nothing was in range`() async throws {
        try await withBench { bench in
            let cause = await cause {
                try await bench.manager.scan(timeout: .milliseconds(200)) { _ in .skip }
            }
            #expect(cause == Cause(.notInRange, .scan))
            try await bench.waitUntilIdle()
        }
    }

    @Test func `what the decision throws ends the scan`() async throws {
        struct Enough: Error {}
        try await withBench { bench in
            await #expect(throws: Enough.self) {
                try await bench.manager.scan { _ in throw Enough() }
            }
            try await bench.waitUntilIdle()
        }
    }

    @Test func `only devices that the request matches are asked about`() async throws {
        var framer = DemoDevices.framer
        framer.advertisement.interval = .milliseconds(10)
        try await withBench(devices: [Devices.belt, framer]) { bench in
            var request = ScanRequest()
            request.namePrefix = "Sim H"
            var asked: [DeviceAddress] = []
            _ = try await bench.manager.scan(request) { device in
                asked.append(device.address)
                return asked.count == 5 ? .stop : .skip
            }
            #expect(asked == Array(repeating: Devices.heart, count: 5))
        }
    }

    @Test func `a cancelled scan ends at once and leaves nothing behind`() async throws {
        try await withBench(devices: []) { bench in
            let wasCancelled = await bench.cancel(at: "StartDiscovery") {
                try await bench.manager.scan(timeout: .seconds(50)) { _ in .skip }
            }
            #expect(wasCancelled)
            await bench.simulator.waitForCalls(of: "StopDiscovery")
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a scan ends with the adapter`() async throws {
        try await withBench(devices: []) { bench in
            async let cause = cause { try await bench.manager.scan(timeout: .seconds(50)) { _ in .skip } }
            await bench.simulator.waitForCalls(of: "StartDiscovery")
            await bench.simulator.setPowered(false)
            #expect(await cause == Cause(.adapterOff, .adapter))
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a device is connected by a condition, a request and its address`() async throws {
        try await withBench { bench in
            let byCondition = try await bench.manager.connect { $0.services.contains(0x180D) }
            try await byCondition.disconnect()
            var request = ScanRequest()
            request.name = "Sim Heart"
            let byRequest = try await bench.manager.connect(where: request)
            try await byRequest.disconnect()
            let byAddress = try await bench.manager.connect(to: Devices.heart)
            #expect(byCondition == byRequest)
            #expect(byRequest == byAddress)
            let again = try await byAddress.connect()
            #expect(again.already && again.mtu == 185)
        }
    }

    @Test func `advertisements are heard until their sequence ends`() async throws {
        try await withBench { bench in
            do {
                let reports = try await bench.manager.advertisements()
                var signals: [Int] = []
                for await report in reports.prefix(3) { signals.append(report.signals) }
                #expect(signals == signals.sorted() && signals.count == 3)
                #expect(reports.dropped == 0)
            }
            await bench.simulator.waitForCalls(of: "StopDiscovery")
            try await bench.waitUntilIdle()
        }
    }

    @Test func `advertisements go on when the adapter is back`() async throws {
        try await withBench { bench in
            let reports = try await bench.manager.advertisements()
            var iterator = reports.makeAsyncIterator()
            #expect(await iterator.next() != nil)
            await bench.simulator.setPowered(false)
            await bench.simulator.setPowered(true)
            await bench.simulator.waitForCalls(of: "StartDiscovery", count: 2)
            #expect(await iterator.next()?.address == Devices.heart)
        }
    }

    @Test func `two scans share one discovery with the union of their filters`() async throws {
        try await withBench { bench in
            var narrow = ScanRequest()
            narrow.services = [0x180D]
            narrow.rssiMin = -100
            let first = try await bench.manager.advertisements(narrow)
            let second = try await bench.manager.advertisements()
            #expect(try await BleCoreTests.first(of: second, where: { $0.address == Devices.heart }) != nil)
            #expect(try await BleCoreTests.first(of: first, where: { $0.address == Devices.heart }) != nil)
            #expect(await bench.simulator.count(of: "StartDiscovery") == 1)
            let filters = await bench.simulator.calls(of: "SetDiscoveryFilter")
            #expect(filters.count == 2)
        }
    }

    @Test func `a slow reader loses the oldest reports, which are counted`() async throws {
        try await withBench { bench in
            let slow = try await bench.manager.advertisements(bound: 1)
            let quick = try await bench.manager.advertisements()
            var last: Advertisement?
            for await report in quick.prefix(5) { last = report }
            #expect(slow.dropped >= 3)
            var iterator = slow.makeAsyncIterator()
            #expect(await iterator.next()?.signals ?? 0 >= (last?.signals ?? .max) - 1)
        }
    }

    @Test func `passive listening without a monitor is not supported`() async throws {
        try await withBench { bench in
            var request = ScanRequest()
            request.mode = .passive
            let cause = await cause { try await bench.manager.advertisements(request) }
            #expect(cause == Cause(.notSupported, .scan))
            try await bench.waitUntilIdle()
        }
    }
}
