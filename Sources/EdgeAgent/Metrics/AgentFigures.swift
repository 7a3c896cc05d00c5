internal import BleCore
package import MQTT

/// What the agent tells about itself on its local endpoint.
package struct AgentFigures: Sendable {
    package var version = AgentVersion.current
    package var gateway = ""
    /// When the process started, in milliseconds since 1970-01-01 UTC.
    package var startedMs: Int64 = 0
    package var isConnected = false
    /// The state that was told last; nil before the first.
    package var bluetooth: BluetoothMessage?
    package var health = HealthMessage()
    package var mqtt = MQTTCounters()
    /// The links of each adapter.
    package var adapters: [(name: String, links: LinkCounts)] = []
    /// Why the state directory or the journal cannot be used.
    package var storageProblem: String?
    package var isStopping = false

    package init() {}

    // MARK: Health

    /// What keeps the agent from doing its work now, a line each; empty when nothing does.
    package var complaints: [String] {
        var lines: [String] = []
        if isStopping { lines.append("agent: stopping") }
        if !isConnected { lines.append("broker: not connected") }
        if bluetooth != .ready { lines.append("bluetooth: \(bluetooth?.rawValue ?? "not known yet")") }
        if let storageProblem { lines.append("storage: \(storageProblem)") }
        for filter in health.refusedSubscriptions { lines.append("broker: refuses \(filter)") }
        return lines
    }

    // MARK: Metrics

    /// The page for Prometheus.
    package var metrics: [UInt8] {
        var text = MetricsText()
        addProcess(to: &text)
        addBroker(to: &text)
        addBluetooth(to: &text)
        addCommands(to: &text)
        addStorage(to: &text)
        return text.bytes
    }

    private func addProcess(to text: inout MetricsText) {
        text.family("edge_agent_build_info", .gauge, "What runs here; always 1.") { family in
            family.sample(1, [("version", version), ("gateway", gateway)])
        }
        let seconds = Double(health.cpuMs) / 1000
        text.add("process_cpu_seconds_total", .counter, "Processor time used, user and system.", seconds)
        text.add("process_resident_memory_bytes", .gauge, "Memory in RAM.", health.residentBytes)
        let started = Double(startedMs) / 1000
        text.add("process_start_time_seconds", .gauge, "When the process started, since 1970-01-01 UTC.", started)
        text.add(
            "edge_agent_clock_synchronized",
            "Whether the kernel calls the clock synchronised.",
            health.isClockSynced
        )
    }

    private func addBroker(to text: inout MetricsText) {
        text.add("edge_agent_mqtt_connected", "Whether there is a connection to the broker.", isConnected)
        text.add("edge_agent_mqtt_connects_total", .counter, "Connections that the broker accepted.", mqtt.connects)
        let failed = mqtt.failedAttempts
        text.add("edge_agent_mqtt_connect_failures_total", .counter, "Attempts to connect that failed.", failed)
        text.add("edge_agent_mqtt_published_messages_total", .counter, "Messages published.", mqtt.published)
        text.add("edge_agent_mqtt_published_bytes_total", .counter, "Payload published.", mqtt.publishedBytes)
        text.add("edge_agent_mqtt_received_messages_total", .counter, "Messages received.", mqtt.received)
        text.add("edge_agent_mqtt_received_bytes_total", .counter, "Payload received.", mqtt.receivedBytes)
        text.add("edge_agent_mqtt_queued_messages", .gauge, "Messages that wait for the broker.", mqtt.queued)
        let open = mqtt.unacknowledged
        text.add("edge_agent_mqtt_unacknowledged_messages", .gauge, "Messages without an acknowledgement yet.", open)
        let refused = health.refusedSubscriptions.count
        text.add("edge_agent_mqtt_refused_subscriptions", .gauge, "Subscriptions that the broker refuses.", refused)
        text.family("edge_agent_dropped_total", .counter, "What was dropped because it came too fast.") { family in
            family.sample(Double(health.drops.messages), [("class", "message")])
            family.sample(Double(health.drops.notifications), [("class", "notification")])
            family.sample(Double(health.drops.advertisements), [("class", "advertisement")])
        }
        text.family("edge_agent_coalesced_total", .counter, "What gave way to something newer while it waited.") {
            family in
            family.sample(Double(health.coalesced.states), [("class", "state")])
            family.sample(Double(health.coalesced.advertisements), [("class", "advertisement")])
        }
    }

    private func addBluetooth(to text: inout MetricsText) {
        text.family("edge_agent_bluetooth_state", .gauge, "The state of Bluetooth: 1 for the one that holds.") {
            family in
            for state in BluetoothMessage.allCases {
                family.sample(state == bluetooth ? 1 : 0, [("state", state.rawValue)])
            }
        }
        let reconnects = health.dbusReconnects
        text.add("edge_agent_dbus_reconnects_total", .counter, "Connections to the bus after the first.", reconnects)
        text.add("edge_agent_scan_active", "Whether the gateway listens for advertisements.", health.isScanning)
        text.family("edge_agent_recoveries_total", .counter, "What was done so that Bluetooth works again.") { family in
            for step in RecoveryStep.allCases {
                family.sample(Double(health.recoveries[step] ?? 0), [("step", step.rawValue)])
            }
        }
        text.family("edge_agent_links", .gauge, "Links that stand.") { family in
            for (name, links) in adapters { family.sample(Double(links.used), [("adapter", name)]) }
        }
        text.family("edge_agent_links_limit", .gauge, "Links that the adapter takes, where that is known.") { family in
            for (name, links) in adapters {
                if let limit = links.max { family.sample(Double(limit), [("adapter", name)]) }
            }
        }
        text.family("edge_agent_links_waiting", .gauge, "Devices that wait for a link.") { family in
            for (name, links) in adapters { family.sample(Double(links.waiting), [("adapter", name)]) }
        }
        text.add("edge_agent_pairing_prompts", .gauge, "Prompts that wait for an answer.", health.pairing.prompts)
    }

    private func addCommands(to text: inout MetricsText) {
        let counters = health.counters
        text.add("edge_agent_commands_total", .counter, "Commands accepted.", counters.commands)
        text.add("edge_agent_commands_refused_total", .counter, "Commands refused.", counters.refused)
        text.add("edge_agent_commands_ignored_total", .counter, "Messages that were no commands.", counters.ignored)
        text.add("edge_agent_commands_repeated_total", .counter, "Commands answered as before.", counters.repeated)
        text.add("edge_agent_results_total", .counter, "Final results.", counters.results)
        text.add("edge_agent_notifications_total", .counter, "Values that devices sent.", counters.notifications)
        text.add("edge_agent_advertisements_total", .counter, "Reports of devices heard.", counters.advertisements)
        text.family("edge_agent_jobs", .gauge, "Commands that run and that wait.") { family in
            family.sample(Double(health.running), [("state", "running")])
            family.sample(Double(health.queued), [("state", "waiting")])
        }
    }

    private func addStorage(to text: inout MetricsText) {
        text.add(
            "edge_agent_storage_working",
            "Whether the state directory and the journal work.",
            storageProblem == nil
        )
        guard let journal = health.journal else { return }
        text.add("edge_agent_journal_commands", .gauge, "Commands that the journal keeps.", journal.commands)
        text.add("edge_agent_journal_size_bytes", .gauge, "The size of the journal's file.", journal.fileBytes)
        text.family("edge_agent_outbox_messages", .gauge, "Messages that wait on disk for the broker.") { family in
            family.sample(Double(journal.results), [("class", "result")])
            family.sample(Double(journal.events), [("class", "event")])
            family.sample(Double(journal.notifications), [("class", "notification")])
        }
        text.family("edge_agent_outbox_dropped_total", .counter, "Messages that found no place on disk.") { family in
            family.sample(Double(journal.droppedEvents), [("class", "event")])
            family.sample(Double(journal.droppedNotifications), [("class", "notification")])
        }
    }
}
