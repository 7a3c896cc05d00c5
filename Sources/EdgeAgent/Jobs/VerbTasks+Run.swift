internal import BleCore
internal import Frames
internal import Profiles

/// Commands by name.
extension VerbTasks {
    /// The task of a command that a profile names; what it confirms is told as the device's state.
    static func run(
        _ run: RunRequest,
        of caller: Caller,
        on device: DeviceTarget,
        timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        let (address, agent) = (device.address, caller.agent)
        guard let resolved = run.resolved else {
            return BlueToothTaskModel(address, timeout: timeout) { _, _ in
                throw OperationError(.internal, detail: "the command was not looked up")
            }
        }
        let work: BlueToothTaskModel<VerbOutcome>
        switch resolved.prepared {
        case .transact(let rules): work = task(for: .transact(rules), of: caller, on: device, timeout: timeout)
        case .read(let selector, let parse): work = read(selector, parse, address, timeout)
        }
        return BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            var outcome = try await work.operation(manager, scope)
            outcome.warnings += await agent.confirm(run, outcome, on: device, scope)
            return outcome
        }
    }

    private static func read(
        _ selector: AttributeSelector,
        _ parse: [ParseField],
        _ address: DeviceAddress,
        _ timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            try await manager.read(selector, of: address, scope)
        }.map { bytes in
            let parsed = try parse.map { field in
                TransactAnswer.Value(name: field.name, value: try field.read(bytes), unit: field.unit)
            }
            return VerbOutcome(
                confirmed: .read,
                payload: .transact(TransactAnswer(packets: 1, value: bytes, parsed: parsed))
            )
        }
    }
}
