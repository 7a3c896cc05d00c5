internal import BleCore
internal import EventLoop

/// A link that is to be made again because somebody has subscribed to values of the device.
final class Reconnect {
    /// The gap before the next try, doubled with each.
    fileprivate var gap = Duration.seconds(1)
    fileprivate var timer: EventLoop.TimerID?
    /// The try that is under way.
    fileprivate var scope: OperationScope?
    /// The gap that is running, in milliseconds; nil while a try is under way.
    fileprivate(set) var gapMs: Int?
}

extension Agent {
    private static let longestGap = Duration.seconds(60)

    /// Makes the link of a device again after a while, when a subscription needs it.
    func reconnectLater(_ address: DeviceAddress) {
        guard !isStopping, reconnects[address] == nil, !subscriptions.isEmpty(for: address) else { return }
        let reconnect = Reconnect()
        reconnects[address] = reconnect
        arm(reconnect, address)
    }

    /// Tries at once: Bluetooth has come back.
    func reconnectAll() {
        for (address, reconnect) in reconnects where reconnect.scope == nil { tryAgain(reconnect, address) }
    }

    /// Makes no more tries for a device.
    func endReconnecting(_ address: DeviceAddress) {
        guard let reconnect = reconnects.removeValue(forKey: address) else { return }
        if let timer = reconnect.timer { loop.cancel(timer) }
        reconnect.timer = nil
        reconnect.scope?.cancel()
    }

    private func arm(_ reconnect: Reconnect, _ address: DeviceAddress) {
        let gap = reconnect.gap * Double.random(in: 0.8...1.2)
        reconnect.gap = min(reconnect.gap * 2, Self.longestGap)
        reconnect.gapMs = Int(gap.milliseconds)
        reconnect.timer = loop.schedule(after: gap) { [weak self] in
            self?.assumeIsolated { agent in
                if let reconnect = agent.reconnects[address] { agent.tryAgain(reconnect, address) }
            }
        }
    }

    private func tryAgain(_ reconnect: Reconnect, _ address: DeviceAddress) {
        if let timer = reconnect.timer { loop.cancel(timer) }
        reconnect.timer = nil
        reconnect.gapMs = nil
        guard !subscriptions.isEmpty(for: address) else {
            reconnects[address] = nil
            return
        }
        let scope = OperationScope(timeout: .seconds(30), on: loop)
        reconnect.scope = scope
        // Unstructured because an event starts it; the scope bounds it.
        Task.immediate(executorPreference: loop) {
            let result: Result<Void, any Error>
            do {
                _ = try await self.manager.connect(address, scope)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            scope.finish()
            reconnect.scope = nil
            guard self.reconnects[address] === reconnect else { return }
            switch result {
            case .success:
                self.reconnects[address] = nil
                self.standAgain(address)
            case .failure(let error):
                self.log.debug("Link not made again yet", [.device: address.hex, .error: "\(error)"])
                self.arm(reconnect, address)
            }
        }
    }
}
