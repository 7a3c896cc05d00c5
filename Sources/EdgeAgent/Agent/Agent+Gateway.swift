internal import BleCore
internal import EventLoop
internal import Profiles

extension Agent {
    /// Starts a command for the gateway itself; such commands never wait in a device's queue.
    func startGateway(_ command: Command) {
        switch command.request {
        case .ping:
            let uptime = Int64((ProcessFigures.now() - startTime).milliseconds)
            succeed(command, .pong(version: AgentVersion.current, uptimeMs: uptime))
        case .info: succeed(command, .info(info))
        case .jobs(let request): succeed(command, jobs(request))
        case .job(let reference):
            do throws(OperationError) {
                succeed(command, try job(reference))
            } catch {
                refuse(command.refusal(error.code, detail: error.detail))
            }
        case .cancel(let request): succeed(command, .cancelled(cancel(request)))
        case .scan(var scan):
            scan.filter.adapter = command.adapter
            inBackground(command) { [scan] in try await self.scan(scan, $0) }
        case .devices(let request): inBackground(command) { _ in await self.knownDevices(request) }
        case .scanStart(var request):
            var command = command
            request.filter.adapter = command.adapter
            if request.isDurable, let stateProblem { command.warnings.append(Self.notKept(stateProblem)) }
            inBackground(command) { [request] in try await self.startSession(request, $0) }
        case .scanStop(let request):
            inBackground(command) { _ in
                let isKept = await self.isKept(request.session)
                let stopped = await self.stopSession(request.session, reason: "command")
                // Stopped means that a restart does not bring it back.
                if isKept { await self.keepScans() }
                return .session(request.session, already: !stopped)
            }
        case .adapterPower(let request): inBackground(command) { try await self.setPower(request, command, $0) }
        case .logLevel(let request): succeed(command, setLogLevel(request))
        case .configGet(let request): succeed(command, configurationContent(request))
        case .restart: restart(command)
        case .diag: inBackground(command) { try await self.diagnose($0) }
        case .connectMatching(let request): connect(request, command)
        case .pairingWindow(let request): succeed(command, setPairingWindow(request))
        case .connect, .disconnect, .discover, .read, .write, .subscribe, .unsubscribe, .transact, .rssi, .run,
            .sequence,
            .pair, .pairAnswer, .unpair, .trust, .forget:
            refuse(command.refusal(.badRequest, detail: "the verb needs a device: publish it on a device's topic"))
        }
    }

    func succeed(_ command: Command, _ payload: ResultPayload, timing: ResultBody.Timing? = nil) {
        answer(.ok(command, confirmed: .local, payload: payload, timing: timing))
    }

    /// Whether one more command of the gateway may be under way; if not, this one is refused.
    func hasRoomForGateway(_ command: Command) -> Bool {
        let count = gatewayJobs.count + groups.count
        guard count >= configuration.limits.maximumQueuedTotal else { return true }
        let detail = "\(count) commands of the gateway are under way already"
        refuse(command.refusal(.queueFull, detail: detail, retryAfterMs: 1000))
        return false
    }

    /// Notes a gateway command that takes time, and tells that it runs.
    private func begin(_ command: Command, steps: [ResultBody]) -> (number: Int, job: GatewayJob)? {
        guard hasRoomForGateway(command) else { return nil }
        lastJob += 1
        let job = GatewayJob(command, OperationScope(timeout: command.timeout, on: loop))
        job.scope.adapter = command.adapter
        gatewayJobs[lastJob] = job
        let record = JobRecord(number: lastJob, command: command)
        records[lastJob] = record
        for step in steps {
            record.add(step)
            if command.wantsSteps { publisher.publishStep(step) }
        }
        return (lastJob, job)
    }

    /// Ends a gateway command that took time; its record is left behind.
    private func end(_ number: Int) -> JobRecord? {
        gatewayJobs.removeValue(forKey: number)?.scope.finish()
        return records.removeValue(forKey: number)
    }

    /// Runs a gateway command that takes time, side by side with all others.
    private func inBackground(
        _ command: Command,
        _ body: @escaping @Sendable (OperationScope) async throws -> ResultPayload
    ) {
        let steps = [ResultBody.accepted(command, place: 0), .started(command)]
        guard let (number, job) = begin(command, steps: steps) else { return }
        // Unstructured because it outlives the handler that starts it. Its scope bounds it; `stop` ends it.
        Task.immediate(executorPreference: loop) {
            let result: Result<ResultPayload, any Error>
            do { result = .success(try await body(job.scope)) } catch { result = .failure(error) }
            let record = self.end(number)
            let timing = ResultBody.Timing(runMs: Int((ContinuousClock.now - job.started).milliseconds))
            let answer: ResultBody
            switch result {
            case .success(let payload):
                answer = .ok(command, confirmed: .local, payload: payload, timing: timing)
            case .failure(let error):
                let failure = VerbFailure(error, job.scope)
                answer = .failed(command, failure.error, applied: failure.applied, timing: timing)
            }
            self.answer(answer, history: record?.history(endedBy: answer))
            self.jobEnded()
        }
    }

    private func setPower(
        _ request: AdapterPowerRequest,
        _ command: Command,
        _ scope: OperationScope
    ) async throws -> ResultPayload {
        .already(!(try await manager.setPower(request.on, adapter: command.adapter, scope)))
    }

    private func knownDevices(_ request: DevicesRequest) async -> ResultPayload {
        let known = await manager.devices.map { device in
            let heard = device.advertisement
            return KnownDevice(
                device: target(heard.address),
                addressType: heard.addressType,
                via: heard.via,
                name: heard.name,
                link: LinkMessage.State(device.link.phase),
                isPaired: device.paired,
                isBonded: device.bonded,
                isTrusted: device.trusted,
                rssi: heard.signals > 0 ? heard.rssi : nil,
                lastHeardMs: heard.signals > 0 ? heard.lastHeard : nil
            )
        }.filter { device in
            let isLinked = device.link == .connected || device.link == .resolved
            return (request.connected.map { $0 == isLinked } ?? true)
                && (request.bonded.map { $0 == device.isBonded } ?? true)
                && (request.page.after.map { device.device.address > $0 } ?? true)
        }
        let room = publisher.results.maxResultBytes / KnownDevice.estimatedBytes
        let (devices, isTruncated) = request.page.part(of: known, room: room)
        return .devices(devices, isTruncated: isTruncated)
    }

    /// Finds the device that a filter means, then connects to it in its own queue.
    private func connect(_ request: ConnectMatchingRequest, _ command: Command) {
        guard let (number, job) = begin(command, steps: [.accepted(command, place: 0)]) else { return }
        // Unstructured because it outlives the handler that starts it. Its scope bounds it; `stop` ends it.
        Task.immediate(executorPreference: loop) {
            let found: Result<DeviceAddress, any Error>
            do {
                let isStrongest = request.pick == .strongest
                found = .success(try await self.manager.find(request.match, strongest: isStrongest, job.scope))
            } catch {
                found = .failure(error)
            }
            let record = self.end(number)
            defer { self.jobEnded() }
            switch found {
            case .failure(let error):
                let failure = VerbFailure(error, job.scope)
                let body = ResultBody.failed(command, failure.error, applied: failure.applied)
                self.answer(body, history: record?.history(endedBy: body))
            case .success(let address):
                var command = command
                let device = self.target(address)
                command.origin.target = .device(device)
                command.timeout = max(command.timeout - (ContinuousClock.now - job.started), .milliseconds(1))
                guard self.isAllowed(command) else { return }
                self.submit(command, on: device, arrived: job.started, isTold: true)
            }
        }
    }

    // MARK: Scanning

    private func scan(_ command: ScanCommand, _ scope: OperationScope) async throws -> ResultPayload {
        scansUnderWay += 1
        defer { scansUnderWay -= 1 }
        let hearing = OneScan(filter: command.filter)
        let observer = await manager.hearAdvertisements { hearing.hear($0) }
        let outcome: Result<Void, any Error>
        do {
            let demand = try await manager.startDiscovery(command.filter, scope)
            do {
                try await manager.pause(for: command.duration, scope)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await manager.stopDiscovery(demand)
        } catch {
            outcome = .failure(error)
        }
        await manager.ignoreAdvertisements(observer)
        try outcome.get()
        // About 400 bytes a device: what does not fit is left out, the weakest first.
        let (devices, isTruncated) = hearing.table.strongest(max(1, publisher.results.maxResultBytes / 512))
        var reader = command.decodes ? profiles.freshReader : nil
        return .scan(
            devices.map { report in
                var device = HeardDevice(name: directory.name(of: report.address), advertisement: report)
                device.decoded = reader?.read(report, boundTo: profiles.boundProfile(of: report.address), at: elapsed)
                return device
            },
            isTruncated: isTruncated
        )
    }

    func startSession(_ request: ScanStartCommand, _ scope: OperationScope) async throws -> ResultPayload {
        let name = request.session ?? SessionName.make()
        let wasKept = isKept(name)
        let before = stopSession(name, reason: nil)
        if !before, sessions.count >= 64 {
            throw OperationError(.queueFull, detail: "64 scan sessions run already")
        }
        let session = ScanSession(
            request,
            name: name,
            loop: loop,
            nameOf: { [directory] in directory.name(of: $0) },
            hasRoom: { [publisher] in publisher.hasRoom(for: request.emit) },
            publish: { [publisher] in publisher.publish($0) }
        )
        if request.decodes { session.decode = decoding() }
        sessions[name] = session
        do {
            session.demand = try await manager.startDiscovery(request.filter, scope)
        } catch {
            if sessions[name] === session { sessions[name] = nil }
            throw error
        }
        guard sessions[name] === session else {
            // Another command has stopped or replaced it meanwhile.
            if let demand = session.demand { await manager.stopDiscovery(demand) }
            return .session(name, already: before)
        }
        if let duration = request.duration {
            session.endsMs = UTCTime.now.millisecondsSince1970 + duration.milliseconds
            session.end = loop.schedule(after: duration) { [weak self] in
                self?.assumeIsolated { _ = $0.stopSession(name, reason: "duration") }
            }
        }
        publisher.retain(topics.scanState(name), .scan, session.state(.started).encode)
        hearAdvertisements()
        if request.isDurable || wasKept { await keepScans() }
        return .session(name, already: before)
    }

    /// Ends a lasting scan; a reason is published.
    ///
    /// - Returns: whether there was one.
    func stopSession(_ name: SessionName, reason: String?) -> Bool {
        let waited = waitingScans.removeValue(forKey: name) != nil
        guard let session = sessions.removeValue(forKey: name) else {
            if waited { keepScansLater() }
            return waited
        }
        session.stop()
        coalescedBefore += session.coalesced
        // What ends with the agent goes on with the next one.
        if session.command.isDurable, !isStopping { keepScansLater() }
        if let reason {
            publisher.retain(topics.scanState(name), .scan, session.state(.stopped, reason: reason).encode)
            endedSessions.append(name)
            forgetEndedSessions()
        }
        if let demand = session.demand { manager.assumeIsolated { $0.stopDiscovery(demand) } }
        hearAdvertisements()
        return true
    }

    /// Takes away the states of scans that ended long ago: each may have had a name of its own.
    private func forgetEndedSessions() {
        while endedSessions.count > 32, let oldest = endedSessions.popFirst() {
            if sessions[oldest] == nil { publisher.clear(topics.scanState(oldest)) }
        }
    }
}

/// Gathers what one `scan` hears.
private final class OneScan: @unchecked Sendable {
    // Safe because: the manager calls it on the loop, and it is read there after the scan.
    private(set) var table: HeardTable

    init(filter: ScanRequest) { table = HeardTable(filter: filter) }

    func hear(_ report: Advertisement) {
        var report = report
        _ = table.hear(&report, comparing: false)
    }
}

extension LinkMessage.State {
    init(_ phase: LinkState.Phase) {
        self =
            switch phase {
            case .disconnected: .disconnected
            case .connecting: .connecting
            case .connected: .connected
            case .resolved: .resolved
            case .disconnecting: .disconnecting
            }
    }
}
