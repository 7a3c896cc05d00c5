internal import BleCore
internal import EventLoop

/// Lasting scans that outlive the process.
extension Agent {
    /// How long Bluetooth may take to begin a scan of an earlier life.
    private static let startLimit = Duration.seconds(30)

    func restore(_ kept: DurableScans) {
        let now = UTCTime.now.millisecondsSince1970
        for record in kept.records {
            guard let name = record.command.session else { continue }
            if record.command(atMs: now) == nil {
                // The broker still says that it runs.
                publisher.retain(topics.scanState(name), .scan, over(record, name).encode)
            } else {
                waitingScans[name] = record
            }
        }
    }

    private func over(_ record: DurableScans.Record, _ name: SessionName) -> ScanStateMessage {
        ScanStateMessage(session: name, state: .stopped, reason: "duration", mode: record.command.filter.mode)
    }

    /// Begins the scans of an earlier life: Bluetooth can be used.
    func startWaitingScans() {
        guard !isStopping, !waitingScans.isEmpty else { return }
        let records = waitingScans
        waitingScans = [:]
        // Unstructured because an event starts it; the scope bounds it.
        Task.immediate(executorPreference: loop) {
            for (name, record) in records {
                guard let command = record.command(atMs: UTCTime.now.millisecondsSince1970) else {
                    self.publisher.retain(self.topics.scanState(name), .scan, self.over(record, name).encode)
                    continue
                }
                // A command may have taken the name meanwhile.
                guard self.sessions[name] == nil else { continue }
                let scope = OperationScope(timeout: Self.startLimit, on: self.loop)
                do {
                    _ = try await self.startSession(command, scope)
                } catch {
                    self.log.info("Scan is not taken up again yet", [.session: name.text, .error: "\(error)"])
                    if self.sessions[name] == nil { self.waitingScans[name] = record }
                }
                scope.finish()
            }
        }
    }

    /// Whether a scan of this name is one that is to survive.
    func isKept(_ name: SessionName) -> Bool {
        waitingScans[name] != nil || sessions[name]?.command.isDurable == true
    }

    /// Writes down which scans are to survive; returns once that is on the disk, or cannot be.
    func keepScans() async {
        guard let scanFile else { return }
        noteState(await scanFile.save(keptScans.encode()))
    }

    /// The same without waiting for the disk.
    func keepScansLater() {
        scanFile?.save(keptScans.encode()) { [weak self] failure in
            self?.assumeIsolated { $0.noteState(failure) }
        }
    }

    private var keptScans: DurableScans {
        let running = sessions.values.filter(\.command.isDurable).map { session in
            var command = session.command
            command.session = session.name
            return DurableScans.Record(command, endsMs: session.endsMs)
        }
        let all = running + waitingScans.values
        return DurableScans(all.sorted { ($0.command.session?.text ?? "") < ($1.command.session?.text ?? "") })
    }
}
