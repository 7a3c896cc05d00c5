internal import BleCore
internal import Frames

extension Agent {
    /// Sends the command of a `transact` whose answer never ends: its packets go to `notify` until `unsubscribe`, the
    /// lease or `disconnect`.
    ///
    /// The result comes once the subscription stands and the command is out.
    func openConnection(
        _ rules: TransactRules,
        to device: DeviceTarget,
        for client: String,
        _ scope: OperationScope
    ) async throws -> VerbOutcome {
        guard let notify = rules.notify else {
            throw OperationError(.badRequest, detail: "a command that never completes needs notify")
        }
        let subscribed = try await subscribe(
            SubscribeRequest(attribute: notify, lease: rules.lease),
            to: device,
            for: client,
            scope
        )
        var already = false
        if case .already(let before) = subscribed.payload { already = before }
        var command = rules.command()
        command.notify = nil
        do {
            let response = try await manager.perform(command, on: device.address, scope)
            guard let subscription = subscriptions.find(notify, of: device.address) else {
                throw BleFailure(.linkLost, at: .operate, applied: .yes, detail: "the subscription ended meanwhile")
            }
            let connection = ResultPayload.LongConnection(
                service: subscription.id.service,
                characteristic: subscription.id.characteristic,
                handle: subscription.id.handle,
                topic: subscription.topic,
                lease: rules.lease,
                already: already
            )
            return VerbOutcome(
                confirmed: response.isConfirmed ? .response : .sent,
                payload: .longConnection(connection)
            )
        } catch {
            if !already {
                let request = UnsubscribeRequest(attribute: notify)
                // The failure of the command is what the caller hears; the subscription ends with its link otherwise.
                _ = try? await unsubscribe(request, from: device, for: client, scope)  // said above
            }
            throw error
        }
    }
}
