import EdgeAgent
import Glibc
import Journal
import MQTT

extension DoctorCase {
    private static func directory(
        _ owner: UserName = UserName(id: 998, name: "edge-agent"),
        _ change: (inout StateFacts) -> Void = { _ in }
    ) -> StateFacts {
        var facts = StateFacts(path: "/var/lib/edge-agent", place: .directory(owner: owner))
        (facts.freeBytes, facts.version) = (1 << 30, "1")
        change(&facts)
        return facts
    }

    private static func state(_ facts: StateFacts) -> Finding { StateJudge.directory(facts, host) }
    private static func journal(_ failure: JournalFailure) -> Finding {
        StateJudge.journal(directory { $0.journal = .wrong(failure) }, problem: nil, host)
    }

    static var state: [DoctorCase] {
        let root = UserName(id: 0, name: "root")
        var rootHost = host
        rootHost.user = root
        let place = { (place: StateFacts.Place) in StateFacts(path: "/var/lib/edge-agent", place: place) }
        var unset = host
        unset.isClockSynchronised = false
        var early = host
        early.nowMs = 0
        let problem = ConfigurationProblem(
            .file("/etc/edge-agent/edge-agent.yaml", line: 3),
            key: "mqtt.keepAliveSeconds",
            "expected a whole number from 5 to 65535, found 1"
        )
        let credential = ConfigurationProblem(
            .file("/etc/edge-agent/edge-agent.yaml", line: 4),
            key: "mqtt.passwordFile",
            "/run/credentials/edge-agent.service/edge-agent.password cannot be read: No such file or directory"
        )
        let hidden = ConfigurationProblem(
            .file("/etc/edge-agent/edge-agent.yaml", line: nil),
            key: nil,
            "cannot be read: Permission denied"
        )
        return [
            DoctorCase(
                .configuration,
                StateJudge.configuration(.refused([problem]), file: nil),
                "edge-agent check-config"
            ),
            DoctorCase(
                .configuration,
                StateJudge.configuration(.refused([credential]), file: nil),
                "sudo systemctl start edge-agent"
            ),
            DoctorCase(
                .configuration,
                StateJudge.configuration(.unreadable(hidden), file: nil),
                "sudo -u edge-agent edge-agent doctor"
            ),
            DoctorCase(.clock, StateJudge.clock(unset, policy: .trust), .warning, "timedatectl set-ntp true"),
            DoctorCase(.clock, StateJudge.clock(unset, policy: .requireSync), "timedatectl set-ntp true"),
            DoctorCase(.clock, StateJudge.clock(early, policy: .trust), "timedatectl set-ntp true"),
            DoctorCase(
                .stateDirectory,
                state(place(.absent(parent: "/var/lib", hasGrandparent: true, canBeMade: false))),
                "sudo install -d -m 750 -o edge-agent /var/lib/edge-agent"
            ),
            DoctorCase(.stateDirectory, state(place(.notADirectory)), "stateDir"),
            DoctorCase(.stateDirectory, state(place(.hidden(EACCES))), "sudo -u edge-agent edge-agent doctor"),
            DoctorCase(
                .stateDirectory,
                state(directory(root) { $0.writeCode = EACCES }),
                "sudo chown -R edge-agent: /var/lib/edge-agent"
            ),
            DoctorCase(
                .stateDirectory,
                StateJudge.directory(directory(), rootHost),
                .warning,
                "sudo -u edge-agent edge-agent doctor"
            ),
            DoctorCase(.stateDirectory, state(directory { $0.isReadOnly = true }), "sudo mount -o remount,rw"),
            DoctorCase(.stateDirectory, state(directory { $0.version = "2" }), "--only-upgrade edge-agent"),
            DoctorCase(.stateDirectory, state(directory { $0.version = "x" }), "sudo mv /var/lib/edge-agent/version"),
            DoctorCase(
                .stateSpace,
                StateJudge.space(directory { $0.freeBytes = 1 << 20 }),
                "df -h /var/lib/edge-agent"
            ),
            DoctorCase(.stateSpace, StateJudge.space(directory { $0.freeBytes = 32 << 20 }), .warning, "df -h"),
            DoctorCase(.stateSpace, StateJudge.space(directory { $0.freeFiles = 2 }), "df -i /var/lib/edge-agent"),
            DoctorCase(
                .stateJournal,
                journal(.damaged("it is no file of SQLite's")),
                "sudo systemctl restart edge-agent"
            ),
            DoctorCase(.stateJournal, journal(.newer(version: 2, known: 1)), "--only-upgrade edge-agent"),
            DoctorCase(.stateJournal, journal(.foreign), "sudo mv /var/lib/edge-agent/journal.sqlite"),
            DoctorCase(
                .stateJournal,
                journal(.inputOutput(code: 0, errno: EACCES)),
                "sudo -u edge-agent edge-agent doctor"
            ),
            DoctorCase(
                .stateJournal,
                StateJudge.journal(directory(), problem: "the disk is full", host),
                "journalctl -u edge-agent"
            ),
        ]
    }

    static var broker: [DoctorCase] {
        let plain = BrokerAddress(secure: false, host: "broker.example", port: 1883)
        let secure = BrokerAddress(secure: true, host: "broker.example", port: 8883)
        let local = BrokerAddress(secure: false, host: "localhost", port: 1883)
        let facts = { (failure: MQTTFailure) in
            var facts = BrokerFacts()
            facts.failure = failure
            return facts
        }
        let tls = { (text: String) in BrokerJudge.tls(secure, facts(.tls(text)), hasUser: false) }
        let login = { (code: UInt8, text: String) in
            BrokerJudge.login(plain, facts(.refused(code: code, text: text)))
        }
        var refused = BrokerFacts()
        refused.version = "5"
        refused.refused = [BrokerFacts.Refusal(filter: "edge/v1/shop-3/cmd", text: "not authorised")]
        return [
            DoctorCase(
                .brokerName,
                BrokerJudge.name(plain, addresses: [], error: "Name or service not known"),
                "getent hosts broker.example"
            ),
            DoctorCase(
                .brokerName,
                BrokerJudge.silentResolver(plain, after: .seconds(10)),
                .warning,
                "cat /etc/resolv.conf"
            ),
            DoctorCase(
                .brokerConnection,
                BrokerJudge.connection(local, error: "Connection refused"),
                "sudo systemctl enable --now mosquitto"
            ),
            DoctorCase(.brokerConnection, BrokerJudge.connection(plain, error: "Connection refused"), "ss -ltn"),
            DoctorCase(.brokerTLS, BrokerJudge.tls(plain, BrokerFacts(), hasUser: true), .warning, "broker: mqtts://"),
            DoctorCase(
                .brokerTLS,
                tls("the broker's certificate was not accepted: unable to get local issuer certificate"),
                "mqtt.caFile"
            ),
            DoctorCase(
                .brokerTLS,
                tls("the broker's certificate is not for the name broker.example"),
                "subjectAltName"
            ),
            DoctorCase(
                .brokerTLS,
                tls("the broker's certificate was not accepted: certificate has expired"),
                "openssl x509"
            ),
            DoctorCase(
                .brokerTLS,
                tls("the broker's certificate was not accepted: certificate is not yet valid"),
                "set-ntp"
            ),
            DoctorCase(
                .brokerTLS,
                tls("the broker asks for a client certificate"),
                "mqtt.certificateFile and mqtt.keyFile"
            ),
            DoctorCase(
                .brokerTLS,
                tls("the broker does not accept the client's certificate: it has expired"),
                "issued by"
            ),
            DoctorCase(
                .brokerTLS,
                tls("the broker broke the connection off; it may not accept the client's certificate"),
                "mqtt.certificateFile"
            ),
            DoctorCase(.brokerTLS, tls("the broker speaks no version of TLS that is allowed here"), "mqtt.tlsMinimum"),
            DoctorCase(.brokerTLS, tls("the key K does not belong to the certificate C"), "mqtt.keyFile"),
            DoctorCase(.brokerTLS, tls("unexpected eof while reading"), "is one with TLS"),
            DoctorCase(.brokerTLS, tls("wrong version number"), "broker: mqtt://broker.example"),
            DoctorCase(
                .brokerTLS,
                BrokerJudge.tls(secure, facts(.noAnswer(after: .seconds(10))), hasUser: false),
                "is one with TLS"
            ),
            DoctorCase(.brokerLogin, login(0x86, "bad user name or password"), "mqtt.username and mqtt.passwordFile"),
            DoctorCase(.brokerLogin, login(0x85, "client id not valid"), "mqtt.clientId"),
            DoctorCase(.brokerLogin, login(0x84, "unsupported protocol version"), "mqtt.version"),
            DoctorCase(.brokerLogin, BrokerJudge.login(plain, facts(.closedBeforeAnswer)), "broker: mqtts://"),
            DoctorCase(
                .brokerLogin,
                BrokerJudge.login(plain, facts(.noAnswer(after: .seconds(10)))),
                "journalctl -u mosquitto"
            ),
            DoctorCase(.brokerSubscriptions, BrokerJudge.subscriptions(refused), "topic read edge/v1/shop-3/cmd"),
        ]
    }
}
