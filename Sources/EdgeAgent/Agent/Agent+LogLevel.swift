internal import BleCore
internal import EventLoop

extension Agent {
    /// Changes the level of the log, for ever or for a time.
    func setLogLevel(_ request: LogLevelRequest) -> ResultPayload {
        let former = log.level
        if let logLevelTimer { loop.cancel(logLevelTimer) }
        logLevelTimer = nil
        log.setLevel(request.level)
        var endsMs: Int64?
        if let span = request.span {
            endsMs = UTCTime.now.millisecondsSince1970 + span.milliseconds
            logLevelTimer = loop.schedule(after: span) { [weak self] in self?.assumeIsolated { $0.endLogLevel() } }
        }
        return .logLevel(request.level, former: former, endsMs: endsMs)
    }

    /// Takes the level of the configuration again.
    func endLogLevel() {
        if let logLevelTimer { loop.cancel(logLevelTimer) }
        logLevelTimer = nil
        let former = log.level
        log.setLevel(configuration.logLevel)
        guard former != log.level else { return }
        log.notice("Log has the level of the configuration", [.level: log.level.name])
    }
}
