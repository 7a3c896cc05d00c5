internal import BleCore
package import EventLoop

/// Writes down who wrote to which device, who paired, and who was refused.
///
/// Confined to the loop. Its lines come whatever the level of the log is.
package final class AuditLog {
    private let log: Log
    private let file: AuditFile?
    private let line: AuditLine
    private let loop: EventLoop
    private var window = UnstartedWindow()
    private var windowTimer: EventLoop.TimerID?
    /// Results that have no line yet.
    private var untold: [ResultBody] = []
    private var hook: UInt64?

    /// How long the end of the agent waits for the disk.
    package static let patience = Duration.seconds(2)

    /// Begins the audit log of one life of the agent.
    package init(_ configuration: Configuration, gateway: GatewayID, boot: String, log: Log, loop: EventLoop) {
        file = configuration.audit.file.map { AuditFile($0, worker: Worker(limit: 1), fallback: log.sink) }
        self.log = Log(label: AuditFile.label, sink: file ?? log.sink)
        self.loop = loop
        line = AuditLine(
            gateway: gateway,
            // Made of random numbers that go nowhere else: who has the log cannot try values out.
            key: Array((0..<4).map { _ in BootID.make() }.joined().utf8),
            showsValues: configuration.audit.showsValues
        )
        self.log.info(
            "Audit log begins",
            [
                .gateway: gateway.text, .boot: boot,
                .policy: configuration.policy.map { "\($0.rules.count) rules" } ?? "none",
            ]
        )
        hook = loop.addHook(last: true) { [weak self] in
            self?.tell()
            return false
        }
    }

    /// Takes up the final result of a command; its line comes in the same turn of the loop, behind what goes to the broker.
    package func ended(_ body: ResultBody) {
        guard body.error?.code == .denied || body.subject?.isAudited == true else { return }
        untold.append(body)
        if hook == nil { tell() } else { loop.wantTurn() }
    }

    private func tell() {
        guard !untold.isEmpty else { return }
        for body in untold { tell(body) }
        untold.removeAll(keepingCapacity: true)
    }

    private func tell(_ body: ResultBody) {
        let isDenied = body.error?.code == .denied
        if isDenied || body.applied == .no {
            defer { armWindow() }
            guard window.admit(UnstartedWindow.Kind(body)) else { return }
        }
        for fields in line.fields(of: body) {
            if isDenied {
                log.write(.notice, "Command denied", fields: fields)
            } else {
                log.write(.info, "Command ended", fields: fields)
            }
        }
    }

    /// Takes up that a device was paired, or is so no more, whoever had it done.
    package func bonded(_ device: DeviceTarget, _ isBonded: Bool) {
        tell()
        let fields = line.fields(of: device)
        if isBonded {
            log.write(.notice, "Device was paired", fields: fields)
        } else {
            log.write(.notice, "Device is not paired any more", fields: fields)
        }
    }

    /// What became of a configuration that was asked for over MQTT.
    package enum Configured: Sendable { case applied, rejected, rolledBack }

    /// Takes up what became of a configuration that was asked for over MQTT.
    package func configured(_ end: Configured, _ hash: String?, keys: [String] = [], reason: String? = nil) {
        tell()
        var fields: [LogEvent.Field] = [(.hash, hash ?? "none")]
        if !keys.isEmpty { fields.append((.key, keys.joined(separator: ","))) }
        if let reason { fields.append((.reason, reason)) }
        switch end {
        case .applied: log.write(.notice, "Remote configuration applied", fields: fields)
        case .rejected: log.write(.notice, "Remote configuration rejected", fields: fields)
        case .rolledBack: log.write(.notice, "Remote configuration taken back", fields: fields)
        }
    }

    /// Tells what was left out, and waits until all is on its way to the disk, but not for ever.
    package func close() async {
        if let hook { loop.removeHook(hook) }
        hook = nil
        tell()
        if let windowTimer { loop.cancel(windowTimer) }
        closeWindow()
        guard let file else { return }
        let (written, telling) = AsyncStream.makeStream(of: Void.self)
        let timer = loop.schedule(after: Self.patience) { telling.finish() }
        file.whenWritten { telling.finish() }
        for await _ in written {}
        loop.cancel(timer)
    }

    private func armWindow() {
        guard windowTimer == nil else { return }
        windowTimer = loop.schedule(after: UnstartedWindow.span) { [weak self] in self?.closeWindow() }
    }

    private func closeWindow() {
        windowTimer = nil
        let suppressed = window.close()
        guard suppressed > 0 else { return }
        log.notice("More commands that did nothing were left out", [.suppressed: String(suppressed)])
    }
}
