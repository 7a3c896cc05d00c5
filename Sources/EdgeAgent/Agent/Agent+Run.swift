internal import BleCore
internal import EventLoop
internal import Frames
internal import Profiles

/// Commands by name: what a profile makes of them, and what they confirm.
extension Agent {
    /// A command with what the device's profile makes of it; of a group each member's is looked up at its turn.
    ///
    /// - Throws: `unknown-command`, or `bad-request` for what is wrong with the arguments.
    func resolved(_ command: Command) throws(OperationError) -> Command {
        guard case .device(let device) = command.origin.target else { return command }
        return try resolved(command, on: device)
    }

    /// The same for one device.
    ///
    /// - Throws: `unknown-command`, or `bad-request` for what is wrong with the arguments.
    func resolved(_ command: Command, on device: DeviceTarget) throws(OperationError) -> Command {
        var command = command
        switch command.request {
        case .run(let run):
            let (run, timeout) = try resolved(run, on: device)
            if let timeout, command.timeout == command.request.defaultTimeout { command.timeout = timeout }
            if run.resolved?.isIdempotent == true, !command.retry.isGiven {
                command.retry = RetryRequest(max: nil, isIdempotent: true)
            }
            command.request = .run(run)
        case .sequence(var sequence):
            for (index, step) in sequence.steps.enumerated() {
                guard case .run(let run) = step.request else { continue }
                let (resolved, timeout) = try self.resolved(run, on: device)
                sequence.steps[index].request = .run(resolved)
                if let timeout, step.timeout == step.request.defaultTimeout { sequence.steps[index].timeout = timeout }
            }
            command.request = .sequence(sequence)
        default: break
        }
        return command
    }

    private func resolved(
        _ run: RunRequest,
        on device: DeviceTarget
    ) throws(OperationError) -> (RunRequest, timeout: Duration?) {
        let known = profiles.profiles(of: device.address)
        guard !known.isEmpty else {
            let detail = "no profile of the device is known: name one in the configuration, or have it heard by a scan"
            throw OperationError(.unknownCommand, detail: detail)
        }
        for profile in known {
            let found: ProfileCommand?
            switch run.arguments {
            case .named: found = profile.command(named: run.name)
            case .bare: found = profile.command(forSetting: run.name)
            }
            guard let found else { continue }
            do throws(ArgumentProblems) {
                let arguments: [String: ParsedValue]
                switch run.arguments {
                case .named(let given): arguments = given
                case .bare(let text): arguments = try found.arguments(ofBare: text)
                }
                var run = run
                run.resolved = RunRequest.Resolved(
                    prepared: try found.prepared(with: arguments),
                    isReadOnly: found.isReadOnly,
                    isIdempotent: found.isIdempotent,
                    sets: found.sets
                )
                return (run, found.timeout)
            } catch {
                throw OperationError(.badRequest, detail: error.problems.prefix(8).joined(separator: "; "))
            }
        }
        let names = known.flatMap(\.commands).map(\.name)
        let there = names.isEmpty ? "there is none" : "there are " + names.prefix(32).joined(separator: ", ")
        throw OperationError(
            .unknownCommand,
            detail: "the device has no value or command \(quoted(run.name)); \(there)"
        )
    }

    /// Takes up what a command by name has confirmed: what its answer tells, else what is read back.
    ///
    /// - Returns: warnings for the result.
    func confirm(
        _ run: RunRequest,
        _ outcome: VerbOutcome,
        on device: DeviceTarget,
        _ scope: OperationScope
    ) async -> [String] {
        let address = device.address
        let known = profiles.profiles(of: address)
        var told: [DecodedValue] = []
        if case .transact(let answer) = outcome.payload {
            for one in answer.parsed {
                guard let value = known.lazy.compactMap({ $0.value(named: one.name) }).first else { continue }
                told.append(DecodedValue(one.name, one.value, unit: one.unit ?? value.unit, isState: value.isState))
            }
        }
        take(told, of: address)
        guard let set = run.resolved?.sets, !told.contains(where: { $0.name == set }) else { return [] }
        guard let (source, profile) = readableSource(of: set, known),
            case .characteristic(let selector, _) = source.place
        else { return [] }
        do {
            let bytes = try await manager.read(selector, of: address, scope)
            if profiles.read(bytes, from: source, of: profile, at: address, at: elapsed) { profilesChanged() }
            publishStates()
            return []
        } catch {
            let detail = (error as? BleFailure)?.detail ?? "\(error)"
            return ["\(set): done, and not read back: \(detail)"]
        }
    }

    /// A source that has a value and can be read.
    private func readableSource(of value: String, _ known: [Profile]) -> (ValueSource, Profile)? {
        for profile in known {
            for source in profile.sources {
                guard case .characteristic(_, let way) = source.place, way.readsAtConnect || way.interval != nil,
                    source.mayTell(value)
                else { continue }
                return (source, profile)
            }
        }
        return nil
    }
}

extension ValueSource {
    /// Whether a value of the name may be in its bytes.
    func mayTell(_ name: String) -> Bool {
        layout.contains { element in
            switch element.kind {
            case .skip: false
            case .field(let field): field.field.name == name
            case .objects(let table): table.objects.values.contains { $0.fields.contains { $0.field.name == name } }
            }
        }
    }
}
