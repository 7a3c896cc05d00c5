internal import EventLoop

/// What a start begins with: the state directory, and the configuration that holds.
struct RemoteStart: Sendable {
    /// The state directory, or why it cannot be used.
    var directory: Result<StateDirectory, StateFailure>
    /// What file, flags and defaults say.
    var base: Configuration
    /// That with what was asked for over MQTT in an earlier life.
    var configuration: Configuration
    var state: RemoteState
    /// Why it cannot be written down; nil: it can.
    var problem: String?

    /// Takes the state directory and reads what it holds of the configuration.
    ///
    /// Blocks: it belongs on a worker.
    static func prepare(_ base: Configuration) -> RemoteStart {
        do throws(StateFailure) {
            let directory = try StateDirectory.open(base.stateDirectory)
            var start = RemoteStart(base, .success(directory))
            if base.takesRemoteConfiguration { start.takeUp(directory) }
            return start
        } catch {
            var start = RemoteStart(base, .failure(error))
            start.problem = error.description
            return start
        }
    }

    private init(_ base: Configuration, _ directory: Result<StateDirectory, StateFailure>) {
        self.directory = directory
        self.base = base
        configuration = base
        state = RemoteState()
    }

    private mutating func takeUp(_ directory: StateDirectory) {
        let name = RemoteMemory.fileName
        do throws(StateFailure) {
            guard let bytes = try directory.read(name, limit: RemoteMemory.maxBytes) else { return }
            let before = try RemoteMemory.decode(bytes, path: "\(directory.path)/\(name)")
            var memory = before
            memory.start()
            state = RemoteState(memory)
            if let desired = memory.desired {
                switch desired.combined(over: base) {
                case .success(let combined): configuration = combined
                case .failure(let problems): state.leave(problems)
                }
            }
            // Before anything of it is used: a start that does not come up must not use it for ever.
            if state.memory != before { try directory.write(state.memory.encode(), to: name) }
        } catch {
            problem = error.description
        }
    }
}
