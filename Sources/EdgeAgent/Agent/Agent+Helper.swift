internal import BleCore
internal import EventLoop

/// What is told and done when Bluetooth has to be brought to work again.
extension Agent {
    /// Tells of a step that is taken so that Bluetooth works again.
    func recovered(by recovery: Recovery) {
        let (step, reason) = (recovery.step.rawValue, recovery.fault.rawValue)
        let message: StaticString = "Bluetooth does not work as it should: a step is taken"
        switch (recovery.device, recovery.adapter) {
        case (let device?, _): log.warning(message, [.step: step, .reason: reason, .device: device.hex])
        case (nil, let adapter?): log.warning(message, [.step: step, .reason: reason, .adapter: adapter.text])
        case (nil, nil): log.warning(message, [.step: step, .reason: reason])
        }
        lastRecoveryMs = UTCTime.now.millisecondsSince1970
        if let device = recovery.device {
            tell(device, .recovery(recovery.step, recovery.fault, adapter: recovery.adapter))
        } else if let name = recovery.adapter {
            lastSteps[name] = AdapterMessage.Recovery(
                step: recovery.step,
                fault: recovery.fault,
                atMs: UTCTime.now.millisecondsSince1970
            )
            if let adapter = manager.assumeIsolated({ $0.adapters.first { $0.name == name } }) { publish(adapter) }
        }
        publishHealth()
        if recovery.step == .helper { runHelper(recovery) }
    }

    /// Runs the configured command; one at a time.
    private func runHelper(_ recovery: Recovery) {
        let settings = configuration.recovery
        guard !settings.helper.isEmpty, !isHelperRunning, !isStopping else { return }
        isHelperRunning = true
        let command = HelperCommand(
            words: settings.helper,
            environment: [
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                "EDGE_AGENT_ADAPTER": recovery.adapter?.text ?? "", "EDGE_AGENT_STEP": recovery.step.rawValue,
                "EDGE_AGENT_REASON": recovery.fault.rawValue,
            ],
            limit: settings.helperLimit
        )
        // Unstructured because an event starts it; the command's deadline bounds it.
        Task.immediate(executorPreference: loop) {
            do {
                let (outcome, output) = try await Worker().run { command.run() }
                self.helperEnded(outcome, output)
            } catch {
                self.helperEnded(.notStarted("\(error)"), [])
            }
        }
    }

    private func helperEnded(_ outcome: HelperCommand.Outcome, _ output: [UInt8]) {
        isHelperRunning = false
        let printed = String(decoding: output, as: UTF8.self)
        switch outcome {
        case .exited(0): log.info("Recovery helper has run", [.detail: printed])
        case .exited(let code):
            log.warning("Recovery helper has failed", [.exitCode: String(code), .detail: printed])
        case .signalled(let signal):
            log.warning("Recovery helper was killed", [.signal: String(signal), .detail: printed])
        case .timedOut: log.warning("Recovery helper took too long and was killed", [.detail: printed])
        case .notStarted(let reason): log.error("Recovery helper cannot be run", [.error: reason])
        }
    }
}
