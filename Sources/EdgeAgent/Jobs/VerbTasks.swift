internal import BleCore
internal import Frames

/// From commands to typed tasks: the one place where a device's verb becomes what Bluetooth has to do.
enum VerbTasks {
    /// Who wants a verb carried out, and the agent that publishes what comes of it.
    struct Caller: Sendable {
        let client: String
        let agent: Agent
    }

    /// The task of a command for a device.
    static func task(for command: Command, on device: DeviceTarget, agent: Agent) -> BlueToothTaskModel<VerbOutcome> {
        let caller = Caller(client: command.origin.client, agent: agent)
        if case .sequence(let request) = command.request {
            return SequenceTask.make(request, for: caller, on: device, retry: command.retry, timeout: command.timeout)
        }
        return task(for: command.request, of: caller, on: device, timeout: command.timeout)
    }

    /// The task of one verb for a device.
    ///
    /// Subscriptions are the agent's, which publishes their values.
    static func task(
        for request: VerbRequest,
        of caller: Caller,
        on device: DeviceTarget,
        timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        let address = device.address
        let (client, agent) = (caller.client, caller.agent)
        switch request {
        case .connect(let link): return connect(address, timeout, link, agent)
        case .connectMatching(let request):
            return connect(address, timeout, foundAs: device.name, request.link, agent)
        case .disconnect(let request): return disconnect(address, timeout, request.link, agent)
        case .discover(let request): return discover(request, device, timeout, publishing: agent)
        case .read(let request): return read(request, address, timeout)
        case .write(let request): return write(request, address, timeout)
        case .rssi: return rssi(address, timeout)
        case .subscribe(let request):
            return BlueToothTaskModel(address, timeout: timeout) { _, scope in
                try await agent.subscribe(request, to: device, for: client, scope)
            }
        case .unsubscribe(let request):
            return BlueToothTaskModel(address, timeout: timeout) { _, scope in
                try await agent.unsubscribe(request, from: device, for: client, scope)
            }
        case .transact(let rules) where rules.isLongConnection:
            return BlueToothTaskModel(address, timeout: timeout) { _, scope in
                try await agent.openConnection(rules, to: device, for: client, scope)
            }
        case .transact(let rules): return transact(rules, address, timeout)
        case .run(let request): return run(request, of: caller, on: device, timeout: timeout)
        case .pair(let request): return pair(request, address, timeout)
        case .unpair:
            return BlueToothTaskModel(address, timeout: timeout) { manager, scope in
                try await manager.unpair(address, scope)
            }.map { VerbOutcome(confirmed: .local, payload: .already(!$0)) }
        case .trust(let request):
            return BlueToothTaskModel(address, timeout: timeout) { manager, scope in
                try await manager.setTrusted(request.isTrusted, address, scope)
            }.map { VerbOutcome(confirmed: .local, payload: .already(!$0)) }
        case .forget:
            return BlueToothTaskModel(address, timeout: timeout) { _, scope in try await agent.forget(device, scope) }
        case .ping, .info, .devices, .scan, .scanStart, .scanStop, .adapterPower, .sequence, .jobs, .job, .cancel,
            .pairingWindow, .pairAnswer, .restart, .logLevel, .configGet, .diag:
            return BlueToothTaskModel(address, timeout: timeout) { _, _ in
                throw OperationError(.internal, detail: "the verb is none for a device")
            }
        }
    }

    private static func connect(
        _ address: DeviceAddress,
        _ timeout: Duration,
        foundAs name: DeviceName? = nil,
        _ link: LinkSettings?,
        _ agent: Agent
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            let outcome = try await manager.connect(address, scope)
            if let link { await agent.setLink(link, of: address) }
            return outcome
        }.map { outcome in
            let result = ResultPayload.ConnectResult(
                mtu: outcome.mtu,
                already: outcome.already,
                address: address,
                name: name
            )
            return VerbOutcome(confirmed: .response, payload: .connected(result))
        }
    }

    private static func pair(
        _ request: PairRequest,
        _ address: DeviceAddress,
        _ timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            try await manager.pair(address, capability: request.capability?.capability, scope)
        }.map { outcome in
            let payload = ResultPayload.paired(already: outcome.already, bonded: outcome.bonded)
            return VerbOutcome(confirmed: outcome.already ? .local : .response, payload: payload)
        }
    }

    private static func disconnect(
        _ address: DeviceAddress,
        _ timeout: Duration,
        _ link: LinkSettings?,
        _ agent: Agent
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            // Again: a job before this one may have made a link.
            await agent.pauseKeeping(address)
            let wasLinked = try await manager.disconnect(address, scope)
            // Its success says that the next life of the agent will not make the link either.
            if let link { await agent.setLink(link, of: address) } else { await agent.keepLinks() }
            return wasLinked
        }.map { VerbOutcome(confirmed: .local, payload: .already(!$0)) }
    }

    private static func discover(
        _ request: DiscoverRequest,
        _ device: DeviceTarget,
        _ timeout: Duration,
        publishing agent: Agent
    ) -> BlueToothTaskModel<VerbOutcome> {
        let address = device.address
        return BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            if request.refresh {
                guard manager.device(address)?.bonded != true else {
                    let detail = "finding the services anew would lose the bond"
                    throw BleFailure(.notSupported, at: .operate, detail: detail)
                }
                _ = try await manager.forget(address, scope)
            }
            let services = try await manager.discover(address, scope)
            await agent.publish(services, of: device)
            return services
        }.map { services in
            VerbOutcome(confirmed: .read, payload: .services(try ServiceTree(services, for: request)))
        }
    }

    private static func read(
        _ request: ReadRequest,
        _ address: DeviceAddress,
        _ timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            try await manager.read(request.attribute, of: address, offset: Int(request.offset), scope)
        }.map { VerbOutcome(confirmed: .read, payload: .value($0)) }
    }

    private static func write(
        _ request: WriteRequest,
        _ address: DeviceAddress,
        _ timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            try await manager.write(
                request.value,
                to: request.attribute,
                of: address,
                mode: request.mode,
                offset: Int(request.offset),
                lengths: request.chunk?.size.lengths,
                gap: request.chunk?.gap ?? Chunk.defaultGap,
                scope
            )
        }.map { outcome in
            VerbOutcome(
                confirmed: outcome.isConfirmed ? .response : .sent,
                payload: .written(bytes: outcome.bytes, packets: outcome.packets)
            )
        }
    }

    private static func transact(
        _ rules: TransactRules,
        _ address: DeviceAddress,
        _ timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            try await manager.perform(rules.command(), on: address, scope)
        }.map { response in
            guard rules.notify != nil else {
                let payload = ResultPayload.written(bytes: response.bytesSent, packets: response.packetsSent)
                return VerbOutcome(confirmed: response.isConfirmed ? .response : .sent, payload: payload)
            }
            return VerbOutcome(confirmed: .notified, payload: .transact(try rules.answer(from: response.answer)))
        }
    }

    private static func rssi(_ address: DeviceAddress, _ timeout: Duration) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(address, timeout: timeout) { manager, scope in
            guard let heard = manager.device(address, on: scope.adapter)?.advertisement, heard.signals > 0,
                let rssi = heard.rssi
            else {
                throw BleFailure(.notInRange, at: .scan, detail: "the device was never heard")
            }
            return (rssi, max(0, UTCTime.now.millisecondsSince1970 - heard.lastHeard))
        }.map { VerbOutcome(confirmed: .local, payload: .rssi($0.0, ageMs: $0.1)) }
    }
}

extension ServiceTree {
    /// All services.
    init(_ services: [GattService]) { self.init(services: services.map(Service.init)) }

    /// The services that a request asks for.
    ///
    /// - Throws: `BleFailure` that names what was asked for and is not there.
    init(_ services: [GattService], for request: DiscoverRequest) throws(BleFailure) {
        let missing = request.services.filter { uuid in !services.contains { $0.uuid == uuid } }
        guard missing.isEmpty else {
            throw BleFailure(.noService(missing), at: .discover, detail: "the device has no such service")
        }
        var kept = services.filter { request.services.isEmpty || request.services.contains($0.uuid) }
        if !request.characteristics.isEmpty {
            let wanted = request.characteristics
            let missing = wanted.filter { uuid in
                !kept.contains { $0.characteristics.contains { $0.uuid == uuid } }
            }
            guard missing.isEmpty else {
                throw BleFailure(
                    .noCharacteristic(missing),
                    at: .discover,
                    detail: "the device has no such characteristic"
                )
            }
            for index in kept.indices { kept[index].characteristics.removeAll { !wanted.contains($0.uuid) } }
            kept.removeAll { $0.characteristics.isEmpty }
        }
        self.init(services: kept.map(Service.init))
    }
}

extension ServiceTree.Service {
    init(_ service: GattService) {
        self.init(
            uuid: service.uuid,
            handle: service.handle,
            isPrimary: service.isPrimary,
            includes: service.includes,
            characteristics: service.characteristics.map { characteristic in
                ServiceTree.Characteristic(
                    uuid: characteristic.uuid,
                    handle: characteristic.handle,
                    properties: characteristic.properties.names,
                    descriptors: characteristic.descriptors.map {
                        ServiceTree.Descriptor(uuid: $0.uuid, handle: $0.handle)
                    }
                )
            }
        )
    }
}
