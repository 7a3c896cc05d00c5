import Glibc
import YAML

/// Finds the configuration file, reads it and the flags, and gives the whole or all that is wrong with it.
package struct ConfigurationLoader: Sendable {
    /// The file that is read when no other is named and it exists.
    package static let defaultFile = "/etc/edge-agent/edge-agent.yaml"

    private let defaultFile: String
    private let host: HostIdentity

    /// What came of it.
    package enum Outcome: Sendable {
        case loaded(Loaded)
        /// Nothing can start; at least one problem.
        case refused([ConfigurationProblem])
        /// The file itself cannot be read.
        case unreadable(ConfigurationProblem)
    }

    /// A configuration that is complete and without a fault.
    package struct Loaded: Sendable {
        package let configuration: Configuration
        /// The file that was read; nil when there was none.
        package let file: String?
        /// What should be mended and keeps nothing from working.
        package let warnings: [ConfigurationProblem]
        /// Loads it once more, from the same places.
        package let again: @Sendable () -> Outcome
    }

    /// One flag with its value.
    package struct Override: Sendable, Equatable {
        package let flag: String
        package let value: String

        /// Names a flag with its dashes and its value.
        package init(flag: String, value: String) {
            self.flag = flag
            self.value = value
        }
    }

    /// Makes a loader; other places than this machine's are for tests.
    package init(defaultFile: String = defaultFile, host: HostIdentity = .current()) {
        self.defaultFile = defaultFile
        self.host = host
    }

    /// Loads the configuration; reads files, so that it is for the start and not for the event loop.
    ///
    /// - Parameters:
    ///   - file: The file that the command line names; nil: the default file if it exists.
    ///   - overrides: The flags, which go before the file.
    /// - Returns: A configuration without a fault, or everything that is wrong.
    package func load(file: String?, overrides: [Override] = []) -> Outcome {
        var reader = ConfigurationReader(defaultGateway: DefaultGateway.name(for: host))
        var source: String?
        let path = file ?? defaultFile
        do throws(BoundedFile.Failure) {
            let content = try BoundedFile.read(path, limit: YAMLDocument.maximumBytes)
            source = path
            reader.read(yaml: content.bytes, path: path)
        } catch {
            guard file == nil, error == .system(ENOENT) || error == .system(ENOTDIR) else {
                return .unreadable(ConfigurationProblem(.file(path, line: nil), key: nil, error.explanation))
            }
        }
        for override in overrides { reader.read(flag: override.flag, value: override.value) }
        reader.check()
        guard reader.problems.isEmpty else { return .refused(reader.problems) }
        reader.warnAboutDefaultGateway(host)
        return .loaded(
            Loaded(configuration: reader.configuration, file: source, warnings: reader.warnings) { [self] in
                load(file: file, overrides: overrides)
            }
        )
    }
}

extension ConfigurationReader {
    /// Warns when the gateway's name rests on a host name that another machine may have.
    fileprivate mutating func warnAboutDefaultGateway(_ host: HostIdentity) {
        guard host.machineID == nil, origins["gateway"] == nil else { return }
        let message =
            "this machine has no machine id, so that the default name is made of the host name alone: set gateway where "
            + "another machine may have the same host name"
        warnings.append(ConfigurationProblem(.defaults, key: "gateway", message))
    }
}
