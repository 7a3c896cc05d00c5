internal import BleCore
internal import EventLoop
internal import LocalHTTP
internal import MQTT

extension Agent {
    /// Opens the endpoint that the configuration asks for; without it the agent works all the same.
    func startMetrics() {
        guard let text = configuration.metrics.listen, let address = ListenAddress(text) else { return }
        do throws(SystemFailure) {
            metricsServer = try LocalServer(address, on: loop) { [weak self] path in
                self?.assumeIsolated { $0.answer(to: path) }
            }
            log.info("Metrics can be read", [.address: text])
        } catch {
            log.error(
                "Metrics cannot be read: the address cannot be used",
                [.address: text, .error: error.description]
            )
        }
    }

    /// Closes the endpoint.
    func stopMetrics() {
        metricsServer?.stop()
        metricsServer = nil
    }

    private func answer(to path: String) -> LocalAnswer? {
        switch path {
        case "/metrics":
            return LocalAnswer(status: 200, contentType: MetricsText.contentType, body: figures.metrics)
        case "/healthz":
            let complaints = figures.complaints
            let text = complaints.isEmpty ? "ok\n" : complaints.map { $0 + "\n" }.joined()
            return LocalAnswer(
                status: complaints.isEmpty ? 200 : 503,
                contentType: "text/plain; charset=utf-8",
                body: Array(text.utf8)
            )
        default: return nil
        }
    }

    private var figures: AgentFigures {
        var figures = AgentFigures()
        figures.gateway = topics.gateway.text
        figures.health = health
        figures.startedMs = UTCTime.now.millisecondsSince1970 - figures.health.uptimeMs
        figures.isConnected = connection != nil
        figures.bluetooth = bluetooth.map { BluetoothMessage($0) }
        figures.mqtt = client.assumeIsolated { $0.counters }
        figures.adapters = manager.assumeIsolated { $0.adapters }.map { ($0.name.text, linkCounts(of: $0)) }
        figures.storageProblem = stateProblem ?? journalProblem
        figures.isStopping = isStopping
        return figures
    }
}
