import BleCore
import BlueZSimulator
import DBus
import TestSupport

extension Devices {
    static let secret = AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1)

    /// A belt that pairs, with one value that wants it.
    static func pairable(_ prompt: PairingModel.Prompt = .none, _ change: (inout PairingModel) -> Void = { _ in })
        -> DeviceModel
    {
        var device = belt
        var pairing = PairingModel()
        pairing.prompt = prompt
        change(&pairing)
        device.pairing = pairing
        var secret = CharacteristicModel("ffe1", [.read], value: .fixed([7]))
        secret.needsPairing = true
        device.services.append(ServiceModel("ffe0", [secret]))
        return device
    }

    /// The same, bonded from before.
    static var bonded: DeviceModel {
        var device = pairable()
        device.isKnown = true
        device.isPaired = true
        return device
    }
}

/// Hears a manager's prompts and answers them as it is told.
final class PromptListener: Sendable {
    let events = Log<PairingEvent>()

    static func listen(
        to manager: BluetoothManager,
        answer: @escaping @Sendable (PairingPrompt.Kind) -> PairingAnswer? = { _ in nil }
    ) async -> PromptListener {
        let listener = PromptListener()
        await manager.observePairing { [events = listener.events] event in
            events.append(event)
            guard case .prompt(let prompt) = event, let answer = answer(prompt.kind) else { return }
            manager.assumeIsolated { _ = $0.answer(prompt.id, answer) }
        }
        return listener
    }

    /// The first prompt that comes up.
    func prompt() async throws -> PairingPrompt? {
        for event in try await events.first(1) { if case .prompt(let prompt) = event { return prompt } }
        return nil
    }

    /// What was asked, in order.
    var kinds: [PairingPrompt.Kind] {
        events.all.compactMap { if case .prompt(let prompt) = $0 { prompt.kind } else { nil } }
    }

    /// How prompts ended, in order.
    var ends: [PairingEvent.End] {
        events.all.compactMap { if case .ended(_, let end) = $0 { end } else { nil } }
    }
}

extension Bench {
    /// The world does something to the belt.
    func happen(_ event: (DeviceTarget) -> WorldEvent) async {
        await simulator.perform([.world(event(.address(DemoDevices.heartAddress)))])
    }

    /// The capabilities with which an agent was registered, in order.
    func registered() async -> [String] {
        await simulator.calls(of: "RegisterAgent").map { call in
            if case .string(let capability)? = call.arguments.last { capability } else { "" }
        }
    }
}
