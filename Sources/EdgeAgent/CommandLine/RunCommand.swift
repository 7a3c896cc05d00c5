/// The command `run`: the agent itself.
package enum RunCommand {
    /// What runs under a complete configuration until it is told to stop.
    package typealias Agent = @Sendable (ConfigurationLoader.Loaded, Log) -> ExitCode

    /// The agent that `edge-agent run` starts, on the main thread.
    package static let agent: Agent = { AgentProcess.run($0, log: $1) }

    /// Announces the start, with what should be mended in the configuration, and runs the agent.
    package static func run(_ loaded: ConfigurationLoader.Loaded, log: Log, agent: Agent) -> ExitCode {
        let configuration = loaded.configuration
        log.notice(
            "Agent is starting",
            [
                .version: AgentVersion.current,
                .gateway: configuration.gateway,
                .broker: configuration.broker.withoutUser.description,
                .file: loaded.file ?? "none",
            ]
        )
        for warning in loaded.warnings {
            log.warning("Configuration should be mended", [.detail: warning.description])
        }
        return agent(loaded, log)
    }
}
