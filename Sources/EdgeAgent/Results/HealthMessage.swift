package import BleCore

/// How the agent fares: the retained `health`.
package struct HealthMessage: Sendable, Equatable {
    /// How often something happened since the start.
    package struct Counters: Sendable, Equatable {
        package var commands: Int64 = 0
        package var results: Int64 = 0
        package var refused: Int64 = 0
        /// Messages on command topics that got no answer.
        package var ignored: Int64 = 0
        /// Commands that were repeated and got the answer of the first.
        package var repeated: Int64 = 0
        package var notifications: Int64 = 0
        package var advertisements: Int64 = 0

        package init() {}
    }

    /// What was dropped since the start because it came faster than it could go on.
    package struct Drops: Sendable, Equatable {
        package var messages: Int64 = 0
        package var notifications: Int64 = 0
        package var advertisements: Int64 = 0

        package init() {}
    }

    /// What gave way since the start to something newer while it waited for the broker.
    package struct Coalesced: Sendable, Equatable {
        /// Retained states.
        package var states: Int64 = 0
        package var advertisements: Int64 = 0

        package init() {}
    }

    /// How the journal fares.
    package struct Journal: Sendable, Equatable {
        /// Commands that are kept, those of the replay window included.
        package var commands = 0
        package var fileBytes = 0
        /// Messages that wait on disk for the broker.
        package var results = 0
        package var events = 0
        package var notifications = 0
        /// What did not fit, or grew too old, since the counts began; they outlive the process.
        package var droppedEvents = 0
        package var droppedNotifications = 0
        /// Why it takes nothing now.
        package var problem: String?

        package init() {}
    }

    /// What is open for pairing.
    package struct Pairing: Sendable, Equatable {
        /// Until when devices may begin it themselves, in milliseconds since 1970-01-01 UTC; nil: they may not.
        package var windowEndsMs: Int64?
        /// Prompts that wait for an answer.
        package var prompts = 0

        package init() {}
    }

    /// Nil without a state directory.
    package var journal: Journal?
    package var uptimeMs: Int64 = 0
    package var residentBytes: Int64 = 0
    /// Processor time that the agent has used since its start.
    package var cpuMs: Int64 = 0
    /// Jobs that run and jobs that wait, over all devices.
    package var running: Int = 0
    package var queued: Int = 0
    /// Messages that wait for the broker.
    package var outgoing: Int = 0
    package var links = LinkCounts()
    package var isScanning = false
    /// Who wants the radio: the sessions, `scan` for scans that a command waits for, `link` for devices whose link is to
    /// be made again, and `connect:` with the number of devices to which one is being made.
    package var scanHolders: [String] = []
    /// Whether listening rests while a link is made.
    package var isScanPaused = false
    package var pairing = Pairing()
    package var mqttReconnects: Int64 = 0
    package var dbusReconnects: Int64 = 0
    /// What was done so that Bluetooth works again, and how often.
    package var recoveries: [RecoveryStep: Int64] = [:]
    package var counters = Counters()
    package var drops = Drops()
    package var coalesced = Coalesced()
    /// When Bluetooth or the broker last came back, in milliseconds since 1970-01-01 UTC.
    package var lastRecoveryMs: Int64?
    /// What the kernel says of the clock.
    package var isClockSynced = false

    /// Filters that the broker refused: commands on them do not arrive.
    package var refusedSubscriptions: [String] = []

    package init() {}

    package func encode(_ stamp: MessageStamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.field("uptimeMs", uptimeMs)
        writer.field("residentBytes", residentBytes)
        writer.field("cpuMs", cpuMs)
        writer.object("queue") { writer in
            writer.field("running", running)
            writer.field("queued", queued)
            writer.field("outgoing", outgoing)
        }
        writer.key("links")
        links.write(to: &writer)
        writer.object("scan") { writer in
            writer.field("active", isScanning)
            writer.field("holders", texts: scanHolders)
            writer.field("paused", isScanPaused)
        }
        writer.object("pairing") { writer in
            writer.key("windowEnds")
            if let endsMs = pairing.windowEndsMs { writer.time(endsMs) } else { writer.null() }
            writer.field("prompts", pairing.prompts)
        }
        writer.object("reconnects") { writer in
            writer.field("mqtt", mqttReconnects)
            writer.field("dbus", dbusReconnects)
        }
        writer.object("recoveries") { writer in
            for step in RecoveryStep.allCases {
                writer.key(step.rawValue)
                writer.value(recoveries[step] ?? 0)
            }
        }
        writer.object("counters") { writer in
            writer.field("commands", counters.commands)
            writer.field("results", counters.results)
            writer.field("refused", counters.refused)
            writer.field("ignored", counters.ignored)
            writer.field("repeated", counters.repeated)
            writer.field("notifications", counters.notifications)
            writer.field("advertisements", counters.advertisements)
        }
        writer.object("drops") { writer in
            writer.field("messages", drops.messages)
            writer.field("notifications", drops.notifications)
            writer.field("advertisements", drops.advertisements)
        }
        writer.object("coalesced") { writer in
            writer.field("states", coalesced.states)
            writer.field("advertisements", coalesced.advertisements)
        }
        if let journal {
            writer.object("journal") { writer in
                writer.field("working", journal.problem == nil)
                writer.field(ifPresent: "problem", journal.problem)
                writer.field("commands", journal.commands)
                writer.field("fileBytes", journal.fileBytes)
                writer.object("waiting") { writer in
                    writer.field("results", journal.results)
                    writer.field("events", journal.events)
                    writer.field("notifications", journal.notifications)
                }
                writer.object("dropped") { writer in
                    writer.field("events", journal.droppedEvents)
                    writer.field("notifications", journal.droppedNotifications)
                }
            }
        }
        writer.key("lastRecovery")
        if let lastRecoveryMs { writer.time(lastRecoveryMs) } else { writer.null() }
        writer.field("clockSynced", isClockSynced)
        writer.field("refusedSubscriptions", texts: refusedSubscriptions)
        stamp.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
