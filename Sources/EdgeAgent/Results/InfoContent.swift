/// What the agent is and what it takes: the retained `info`, and the result of the verb.
package struct InfoContent: Sendable, Equatable {
    /// The bounds that a caller has to know.
    package struct Limits: Sendable, Equatable {
        package var maxPayloadBytes: Int
        package var maxResultBytes: Int
        package var maxQueuedPerDevice: Int
        package var maxQueuedTotal: Int
        /// How many steps a sequence may have.
        package var maxSteps: Int
        /// How long and how many repeated commands are recognised.
        package var replayWindow: ReplayWindow

        package init(
            maxPayloadBytes: Int,
            maxResultBytes: Int,
            maxQueuedPerDevice: Int,
            maxQueuedTotal: Int,
            maxSteps: Int,
            replayWindow: ReplayWindow
        ) {
            self.maxPayloadBytes = maxPayloadBytes
            self.maxResultBytes = maxResultBytes
            self.maxQueuedPerDevice = maxQueuedPerDevice
            self.maxQueuedTotal = maxQueuedTotal
            self.maxSteps = maxSteps
            self.replayWindow = replayWindow
        }
    }

    /// The bounds within which a repeated command gets the answer of the first; all 0 when it runs again.
    package struct ReplayWindow: Sendable, Equatable {
        package var spanMs: Int
        package var commands: Int
        package var bytes: Int

        package init(spanMs: Int = 0, commands: Int = 0, bytes: Int = 0) {
            self.spanMs = spanMs
            self.commands = commands
            self.bytes = bytes
        }
    }

    /// What a commit of the journal survives.
    package enum Durability: String, CaseIterable, Sendable {
        /// There is no journal: what was accepted is lost when the process ends.
        case none
        case process, power
    }

    package var version: String
    /// The version of MQTT in use: `5` or `3.1.1`.
    package var mqttVersion: String
    package var verbs: [VerbName]
    package var limits: Limits
    package var durability: Durability
    package var profiles: [String]
    package var groups: [String]
    /// Whether a policy decides what callers may do.
    package var hasPolicy: Bool
    /// A hash of the configuration in use, so that two gateways can be compared.
    package var configurationHash: String?
    /// Why nothing is kept over a restart; nil when the state directory can be used.
    package var stateProblem: String?
    /// Why the journal takes nothing now; nil when it works, or when there is none.
    package var journalProblem: String?

    package init(
        version: String,
        mqttVersion: String,
        verbs: [VerbName] = VerbName.sorted,
        limits: Limits,
        durability: Durability = .none,
        profiles: [String] = [],
        groups: [String] = [],
        hasPolicy: Bool = false,
        configurationHash: String? = nil,
        stateProblem: String? = nil,
        journalProblem: String? = nil
    ) {
        self.version = version
        self.mqttVersion = mqttVersion
        self.verbs = verbs
        self.limits = limits
        self.durability = durability
        self.profiles = profiles
        self.groups = groups
        self.hasPolicy = hasPolicy
        self.configurationHash = configurationHash
        self.stateProblem = stateProblem
        self.journalProblem = journalProblem
    }

    /// The retained message.
    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        write(to: &writer)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        writer.field("version", version)
        writer.field("mqtt", mqttVersion)
        writer.field("verbs", texts: verbs.map(\.rawValue))
        writer.object("limits") { writer in
            writer.field("maxPayloadBytes", limits.maxPayloadBytes)
            writer.field("maxResultBytes", limits.maxResultBytes)
            writer.field("maxQueuedPerDevice", limits.maxQueuedPerDevice)
            writer.field("maxQueuedTotal", limits.maxQueuedTotal)
            writer.field("maxSteps", limits.maxSteps)
            writer.object("replayWindow") { writer in
                writer.field("spanMs", limits.replayWindow.spanMs)
                writer.field("commands", limits.replayWindow.commands)
                writer.field("bytes", limits.replayWindow.bytes)
            }
        }
        writer.object("journal") { writer in
            writer.field("kept", durability != .none)
            writer.field("durability", durability.rawValue)
            writer.field(ifPresent: "problem", journalProblem)
        }
        writer.object("state") { writer in
            writer.field("kept", stateProblem == nil)
            writer.field(ifPresent: "problem", stateProblem)
        }
        writer.field("profiles", texts: profiles)
        writer.field("groups", texts: groups)
        writer.field("policy", hasPolicy)
        writer.field(orNull: "configuration", configurationHash)
    }
}
