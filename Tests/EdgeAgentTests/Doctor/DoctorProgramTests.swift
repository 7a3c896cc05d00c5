import EdgeAgent
import Foundation
import Glibc
import TestSupport
import Testing

extension AgentLane3 {
    /// `edge-agent doctor` with a real bus, a simulated bluetoothd and a real broker around it.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct DoctorProgramTests {
        private func configuration(_ port: Int, secure: Bool = false, _ mqtt: [String] = []) -> String {
            let lines = ["connectTimeoutMs: 5000"] + mqtt
            return """
                gateway: gw
                broker: \(secure ? "mqtts" : "mqtt")://localhost:\(port)
                stateDir: "@/state"
                mqtt:
                \(lines.map { "  " + $0 }.joined(separator: "\n"))

                """
        }

        @Test func `all is well where all is well, and nothing stays behind`() async throws {
            try await withAgentWorld { world in
                try await withBroker { broker in
                    try await withFolder { folder in
                        let found = try await Examination.run(
                            configuration(broker.port),
                            in: folder,
                            bus: world.busAddress,
                            arguments: ["--json", "--connect", TestDevice.heart.address]
                        )
                        #expect(found.status == 0, "\(found.output)\(found.errors)")
                        #expect(found.json["ok"] == true)
                        let names = found.json["checks"].list.compactMap(\.["name"].text)
                        #expect(names == CheckName.allCases.map(\.rawValue))
                        #expect(found.text(of: .bluez).contains("BlueZ 5.66"))
                        for name in [CheckName.discovery, .pairingAgent, .connect, .brokerLogin, .brokerSubscriptions] {
                            #expect(found.status(of: name) == "ok", "\(found[name])")
                        }
                        #expect(!FileManager.default.fileExists(atPath: folder + "/state"))
                        #expect(await !world.isConnected(.heart))
                        #expect(await world.capabilities() == ["KeyboardDisplay"])
                        #expect(await world.count(of: "StartDiscovery") == world.count(of: "StopDiscovery"))
                        #expect(await world.count(of: "Set") == 0)
                    }
                }
            }
        }

        @Test func `plain output is a line a check, with what to do below what failed`() async throws {
            try await withAgentWorld { world in
                try await withFolder { folder in
                    let found = try await Examination.run(
                        configuration(try freePort()),
                        in: folder,
                        bus: world.busAddress,
                        arguments: ["--listen", "1"]
                    )
                    #expect(found.status == 1)
                    let lines = found.output.split(separator: "\n").map(String.init)
                    for name in CheckName.allCases {
                        #expect(lines.count { $0.hasPrefix("\(name.rawValue) ") } == 1, "\(name)")
                    }
                    let place = try #require(lines.firstIndex { $0.hasPrefix("broker.tcp ") })
                    #expect(lines[place].contains("FAILED: no connection to localhost port"))
                    #expect(lines[place + 1].contains("mend: sudo apt install mosquitto"))
                    #expect(
                        lines[place + 2].hasPrefix("broker.tls ")
                            && lines[place + 2].contains("skipped: needs broker.tcp")
                    )
                }
            }
        }

        // MARK: The bus

        @Test func `without a bus each check that needs none is done all the same`() async throws {
            try await withBroker { broker in
                try await withFolder { folder in
                    let bus = "unix:path=\(folder)/no-bus"
                    let found = try await Examination.run(configuration(broker.port), in: folder, bus: bus)
                    #expect(found.status == 1)
                    #expect(
                        found.status(of: .bus) == "failed" && found.text(of: .bus).contains("there is no bus at \(bus)")
                    )
                    #expect(found.mend(of: .bus).contains("dbus"))
                    for name in [CheckName.bluez, .permission, .adapter, .power, .discovery, .pairingAgent, .connect] {
                        #expect(found.status(of: name) == "skipped", "\(found[name])")
                    }
                    #expect(found.text(of: .bluez) == "needs bus" && found.text(of: .adapter) == "needs permission")
                    #expect(found.status(of: .brokerSubscriptions) == "ok" && found.status(of: .stateJournal) == "ok")
                }
            }
        }

        @Test func `a bus whose policy denies bluetoothd is told with the bus's own words`() async throws {
            var world = AgentWorld.Options()
            world.policy = """
                <policy user="65534"><deny send_destination="org.bluez"/></policy>
                """
            try await withAgentWorld(world) { world in
                try await withFolder { folder in
                    chmod(String(world.busAddress.dropFirst("unix:path=".count)), 0o777)
                    let found = try await Examination.run(
                        configuration(try freePort()),
                        in: folder,
                        bus: world.busAddress,
                        user: 65534
                    )
                    #expect(found.status(of: .bus) == "ok" && found.status(of: .bluez) == "ok", "\(found.output)")
                    #expect(found.status(of: .permission) == "failed")
                    #expect(found.text(of: .permission).contains("org.freedesktop.DBus.Error.AccessDenied"))
                    #expect(found.mend(of: .permission).contains("sudo usermod -aG bluetooth nobody"))
                    #expect(found.text(of: .pairingAgent) == "needs permission")
                }
            }
        }

        @Test func `a bus that denies the agent for pairings alone is told so`() async throws {
            var world = AgentWorld.Options()
            world.policy = """
                <policy context="mandatory"><deny send_interface="org.bluez.AgentManager1"/></policy>
                """
            try await withAgentWorld(world) { world in
                try await withFolder { folder in
                    let port = try freePort()
                    let found = try await Examination.run(configuration(port), in: folder, bus: world.busAddress)
                    #expect(found.status(of: .pairingAgent) == "failed", "\(found.output)")
                    #expect(found.mend(of: .pairingAgent).contains("org.bluez.AgentManager1"))
                    #expect(found.status(of: .discovery) == "ok")
                }
            }
        }

        // MARK: bluetoothd and its adapter

        /// What may be wrong with bluetoothd.
        enum Radio: String, CaseIterable {
            case noBluez, noAdapter, off, refusedAgent, refusedDiscovery, otherAdapter
        }

        @Test(arguments: Radio.allCases)
        func `what is wrong with bluetoothd is found, and how it is mended`(radio: Radio) async throws {
            var options = AgentWorld.Options()
            switch radio {
            case .noBluez: options.hasBluez = false
            case .noAdapter: options.devices = nil
            case .off: options.isPowered = false
            default: break
            }
            try await withAgentWorld(options) { world in
                try await withFolder { folder in
                    if radio == .refusedAgent { await world.refuse("RegisterAgent", "Failed", "no more agents") }
                    if radio == .refusedDiscovery {
                        for _ in 0..<40 { await world.refuse("StartDiscovery", "NotAuthorized", "not now") }
                    }
                    let adapter = radio == .otherAdapter ? "bluetooth:\n  adapter: hci7\n" : ""
                    let found = try await Examination.run(
                        configuration(try freePort()) + adapter,
                        in: folder,
                        bus: world.busAddress
                    )
                    let (name, mend): (CheckName, String) =
                        switch radio {
                        case .noBluez: (.bluez, "sudo systemctl enable --now bluetooth")
                        case .noAdapter: (.adapter, "lsusb")
                        case .otherAdapter: (.adapter, "bluetooth.adapter: hci0")
                        // Where the machine itself has a switch that holds its radio, that is what is told.
                        case .off: (.power, "bluetooth")
                        case .refusedAgent: (.pairingAgent, "sudo systemctl restart bluetooth")
                        case .refusedDiscovery: (.discovery, "sudo systemctl restart bluetooth")
                        }
                    #expect(found.status == 1)
                    #expect(found.status(of: name) == "failed", "\(found.output)")
                    #expect(found.mend(of: name).contains(mend), "\(found[name])")
                    #expect(await world.count(of: "Set") == 0)
                }
            }
        }

        // MARK: The broker

        /// What may be wrong with the broker.
        enum BrokerFault: String, CaseIterable {
            case down, password, wrongAuthority, wrongName, noClientCertificate, plainPort, unknownName
        }

        @Test(arguments: BrokerFault.allCases)
        func `what is wrong with the broker is found, and how it is mended`(fault: BrokerFault) async throws {
            let (ours, others) = (try await Certificates(), try await Certificates())
            var options = BrokerOptions()
            var mqtt: [String] = []
            switch fault {
            case .wrongAuthority, .noClientCertificate: options.certificate = try await ours.issueForLoopback()
            case .wrongName: options.certificate = try await ours.issue("elsewhere", alternatives: ["DNS:a.example"])
            case .password:
                options.users = ["shop": "right"]
                mqtt = ["username: shop", "passwordFile: \"@/password\""]
            default: break
            }
            if fault == .noClientCertificate { options.clientAuthority = ours.authority }
            let isSecure = options.certificate != nil || fault == .plainPort
            if isSecure { mqtt.append("caFile: \(fault == .wrongAuthority ? others.authority : ours.authority)") }
            try await withBroker(options, running: fault != .down) { broker in
                try await withFolder { folder in
                    try writeFile("wrong-S3cr3t\n", to: folder + "/password")
                    chmod(folder + "/password", 0o600)
                    var text = configuration(broker.port, secure: isSecure, mqtt)
                    if fault == .unknownName { text = text.replacing("localhost", with: "no-such-host.invalid") }
                    let found = try await Examination.run(text, in: folder, bus: "unix:path=\(folder)/no-bus")
                    let (name, mend, next): (CheckName, String, CheckName?) =
                        switch fault {
                        case .unknownName: (.brokerName, "getent hosts no-such-host.invalid", .brokerConnection)
                        case .down: (.brokerConnection, "sudo systemctl enable --now mosquitto", .brokerTLS)
                        case .password: (.brokerLogin, "mqtt.username and mqtt.passwordFile", .brokerSubscriptions)
                        case .wrongAuthority: (.brokerTLS, "mqtt.caFile", .brokerLogin)
                        case .wrongName: (.brokerTLS, "subjectAltName", .brokerLogin)
                        case .noClientCertificate: (.brokerTLS, "mqtt.certificateFile and mqtt.keyFile", .brokerLogin)
                        case .plainPort: (.brokerTLS, "TLS", .brokerLogin)
                        }
                    #expect(found.status == 1)
                    #expect(found.status(of: name) == "failed", "\(found.output)")
                    #expect(found.mend(of: name).contains(mend), "\(found[name])")
                    if let next { #expect(found.text(of: next) == "needs \(name.rawValue)") }
                    #expect(!(found.output + found.errors).contains("S3cr3t"))
                }
            }
        }

        @Test func `an agent that runs is left alone`() async throws {
            try await withAgentWorld { world in
                try await withBroker { broker in
                    let agent = try await AgentProgram.start(
                        configuration: configuration(broker.port),
                        bus: world.busAddress
                    )
                    try await agent.waitForLog("Broker connected")
                    try await withFolder { folder in
                        let state = try #require(
                            try agent.proc("cmdline").split(separator: "\0").first { $0.hasSuffix("/edge-agent.yaml") }
                        )
                        let directory = String(state.dropLast("/edge-agent.yaml".count)) + "/state"
                        let text = configuration(broker.port).replacing("@/state", with: directory)
                        let found = try await Examination.run(text, in: folder, bus: world.busAddress)
                        #expect(found.status == 0, "\(found.output)\(found.errors)")
                        #expect(found.text(of: .stateDirectory).contains("in use by an agent"))
                        #expect(found.text(of: .stateJournal).contains("not read through"))
                        #expect(agent.lines(with: "Broker lost").isEmpty)
                    }
                }
            }
        }

        @Test func `an agent whose certificate is its name is not thrown out by a second login`() async throws {
            let files = try await Certificates()
            var options = BrokerOptions()
            options.certificate = try await files.issueForLoopback()
            try await withBroker(options) { broker in
                try await withFolder { folder in
                    let state = folder + "/state"
                    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
                    // Stands in for the agent: its lock is all that the doctor sees of it.
                    let lock = open(state + "/lock", O_RDWR | O_CREAT, 0o600)
                    defer { close(lock) }
                    #expect(flock(lock, LOCK_EX) == 0)
                    let own = try await files.issueForLoopback()
                    let keys = [
                        "caFile: \(files.authority)", "certificateFile: \(own.certificate)", "keyFile: \(own.key)",
                    ]
                    let bus = "unix:path=\(folder)/no-bus"
                    let found = try await Examination.run(
                        configuration(broker.port, secure: true, keys),
                        in: folder,
                        bus: bus
                    )
                    #expect(found.status(of: .brokerConnection) == "ok", "\(found.output)\(found.errors)")
                    #expect(found.status(of: .brokerTLS) == "skipped")
                    #expect(found.text(of: .brokerTLS).contains("edge-agent ctl diag"))
                    #expect(found.text(of: .brokerLogin) == "needs broker.tls")
                }
            }
        }

        // MARK: Configuration and state

        @Test func `a configuration with a mistake hides nothing that does not need it`() async throws {
            try await withAgentWorld { world in
                try await withFolder { folder in
                    let found = try await Examination.run("gatway: a\n", in: folder, bus: world.busAddress)
                    #expect(found.status == 1 && found.status(of: .configuration) == "failed")
                    #expect(found.text(of: .configuration).contains("did you mean gateway?"))
                    #expect(found.mend(of: .configuration).contains("edge-agent check-config --config \(folder)"))
                    for name in [CheckName.stateDirectory, .stateSpace, .brokerName] {
                        #expect(found.text(of: name) == "needs configuration", "\(found[name])")
                    }
                    #expect(found.status(of: .discovery) == "ok")
                }
            }
        }

        @Test func `a state directory of somebody else's is told with both ways out`() async throws {
            try await withFolder { folder in
                try FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
                chmod(folder + "/state", 0o700)
                let bus = "unix:path=\(folder)/no-bus"
                let text = configuration(try freePort())
                let found = try await Examination.run(text, in: folder, bus: bus, user: 65534)
                #expect(found.status(of: .stateDirectory) == "failed", "\(found.output)\(found.errors)")
                #expect(found.mend(of: .stateDirectory).contains("sudo chown -R nobody: \(folder)/state"))
                #expect(found.text(of: .stateJournal) == "needs state.directory")
                #expect(found.status(of: .stateSpace) != "skipped")
            }
        }

        @Test func `a journal that is damaged or newer is told`() async throws {
            try await withFolder { folder in
                try FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
                let bus = "unix:path=\(folder)/no-bus"
                let text = configuration(try freePort())
                try writeFile("this is no journal", to: folder + "/state/journal.sqlite")
                let damaged = try await Examination.run(text, in: folder, bus: bus)
                #expect(damaged.status(of: .stateJournal) == "failed", "\(damaged.output)")
                #expect(damaged.mend(of: .stateJournal).contains("journal.sqlite"))
                try writeFile("9\n", to: folder + "/state/version")
                let newer = try await Examination.run(text, in: folder, bus: bus)
                #expect(newer.text(of: .stateDirectory).contains("has schema version 9"), "\(newer.output)")
                #expect(newer.mend(of: .stateDirectory).contains("--only-upgrade edge-agent"))
            }
        }

        @Test(arguments: [["--listen", "0"], ["--listen", "x"], ["--nonsense"], ["door"], ["--json=yes"]])
        func `a wrong command line is that, and nothing is looked at`(arguments: [String]) async throws {
            try await withFolder { folder in
                let bus = "unix:path=\(folder)/no-bus"
                let found = try await Examination.run("", in: folder, bus: bus, arguments: arguments)
                #expect(found.status == ExitCode.usage.rawValue && found.output.isEmpty)
                #expect(found.errors.contains("see edge-agent doctor --help"))
            }
        }
    }
}
