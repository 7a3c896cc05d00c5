internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Who gets the packets of a long connection.
    package struct ConnectionHolder: Sendable {
        let name: String
        let handler: @Sendable (GattNotification) -> Void

        package init(_ name: String, handler: @escaping @Sendable (GattNotification) -> Void) {
            self.name = name
            self.handler = handler
        }
    }

    /// Sends a command and gathers its answer, on a link that is made where there is none.
    ///
    /// It subscribes before it writes, and packets from before the write are not its answer. A long connection goes to
    /// `holder`, who ends it with `unsubscribe`; the result then comes once the subscription stands and the command is
    /// out.
    ///
    /// - Throws: `BleFailure`: `responseRejected`, `responseTooLong`, `timedOut` when a packet did not come in time, or
    ///   what a write or a subscription may fail with.
    package func perform(
        _ command: PeripheralOperationCommand,
        on address: DeviceAddress,
        holder: ConnectionHolder? = nil,
        _ scope: OperationScope
    ) async throws -> PeripheralOperationResponse {
        try await onLink(address, scope) { path in
            guard let notify = command.notify else {
                let written = try await send(command, below: path, scope) {}
                return PeripheralOperationResponse(written, answer: ResponsePackets(), connection: nil)
            }
            if command.isLongConnection, let holder {
                return try await hold(command, notify, holder, below: path, scope)
            }
            return try await exchange(command, notify, holder, address, below: path, scope)
        }
    }

    /// Subscribes for good, then writes.
    private func hold(
        _ command: PeripheralOperationCommand,
        _ notify: AttributeSelector,
        _ holder: ConnectionHolder,
        below path: ObjectPath,
        _ scope: OperationScope
    ) async throws -> PeripheralOperationResponse {
        let (id, already) = try await subscribe(
            notify,
            below: path,
            holder: holder.name,
            scope,
            handler: holder.handler
        )
        do {
            let written = try await send(command, below: path, scope) {}
            return PeripheralOperationResponse(written, answer: ResponsePackets(), connection: id)
        } catch {
            if !already { letGo(id, below: path, holder: holder.name) }
            throw error
        }
    }

    /// Subscribes, writes, and waits for the answer's end.
    private func exchange(
        _ command: PeripheralOperationCommand,
        _ notify: AttributeSelector,
        _ holder: ConnectionHolder?,
        _ address: DeviceAddress,
        below path: ObjectPath,
        _ scope: OperationScope
    ) async throws -> PeripheralOperationResponse {
        let link = link(address)
        let collector = ResponseCollector(command, on: loop) { link.poke() }
        lastNumber += 1
        let name = "command \(lastNumber)"
        let (id, _) = try await subscribe(notify, below: path, holder: name, scope) { collector.take($0.value) }
        defer {
            collector.stop()
            letGo(id, below: path, holder: name)
        }
        let written = try await send(command, below: path, scope) { collector.begin() }
        collector.startTime()
        try await wait(scope, on: link) {
            if let end = collector.end { return Self.verdict(end, collector.answer, command) }
            guard let record = self.tree.devices[path] else {
                var failure = self.removal(path, at: .operate)
                failure.applied = .maybe
                return .failure(failure)
            }
            if record.connected { return nil }
            let detail = "the link ended after \(collector.answer.count) packets of the answer"
            return .failure(BleFailure(.linkLost, at: .operate, applied: .maybe, detail: detail))
        }
        guard collector.end == .longConnection else {
            return PeripheralOperationResponse(written, answer: collector.answer, connection: nil)
        }
        guard let holder else {
            throw BleFailure(.notSupported, at: .operate, applied: .yes, detail: "nobody takes up the long connection")
        }
        _ = notifiers.values.first { $0.address == address && $0.id == id }?.hold(holder.name, holder.handler)
        return PeripheralOperationResponse(written, answer: collector.answer, connection: id)
    }

    private static func verdict(
        _ end: ResponseCollector.End,
        _ answer: ResponsePackets,
        _ command: PeripheralOperationCommand
    ) -> Verdict {
        switch end {
        case .complete, .longConnection: .success(())
        case .rejected(let reason):
            .failure(BleFailure(.responseRejected, at: .operate, applied: .maybe, detail: reason))
        case .tooLong:
            .failure(
                BleFailure(
                    .responseTooLong,
                    at: .operate,
                    applied: .maybe,
                    detail: "the answer has more than \(command.maxResponseBytes) bytes"
                )
            )
        case .silent:
            .failure(
                BleFailure(
                    .timedOut,
                    at: .operate,
                    applied: .maybe,
                    detail: "no packet within \(command.timeout.milliseconds) ms after \(answer.count) packets, "
                        + "\(answer.joined.count) bytes"
                )
            )
        }
    }

    /// Writes a command's bytes; `begins` is called when the first packet is about to go out.
    private func send(
        _ command: PeripheralOperationCommand,
        below path: ObjectPath,
        _ scope: OperationScope,
        begins: () -> Void
    ) async throws -> WriteOutcome {
        let target = try target(command.write, of: path, needs: [])
        let type = try target.writeType(command.mode)
        let packets = try target.packets(of: command.cmdData, command.getLengthProtocol, type)
        begins()
        return try await write(packets, to: target, type, below: path, offset: 0, gap: command.gap, scope)
    }

    /// Ends a holder's part in a subscription without waiting.
    ///
    /// The session at bluetoothd lingers a while: the next command is likely to need it, and each start and stop is a
    /// write over the air.
    private func letGo(_ id: CharacteristicID, below path: ObjectPath, holder: String) {
        let found = notifiers.first { $0.key.isWithin(path) && $0.value.id == id }
        guard let (place, notifier) = found, notifier.release(holder), !notifier.isWanted else { return }
        loop.schedule(after: configuration.notifyLinger) { [weak self] in
            self?.assumeIsolated { $0.endLingering(place) }
        }
    }

    private func endLingering(_ path: ObjectPath) {
        guard let notifier = notifiers[path] else { return }
        _ = endUnwanted(notifier, at: path)
    }
}

extension PeripheralOperationResponse {
    init(_ written: WriteOutcome, answer: ResponsePackets, connection: CharacteristicID?) {
        self.init(
            answer: answer,
            packetsSent: written.packets,
            bytesSent: written.bytes,
            isConfirmed: written.isConfirmed,
            connection: connection
        )
    }
}
