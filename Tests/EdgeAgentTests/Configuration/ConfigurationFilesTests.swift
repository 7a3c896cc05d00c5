import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConfigurationFilesTests {
    private let withUser = "broker: mqtt://agent@localhost\n"

    @Test(arguments: [
        ("S3cr3t", "S3cr3t"), ("S3cr3t\n", "S3cr3t"), ("S3cr3t\r\n", "S3cr3t"), (" two words \n", " two words "),
        ("\n", nil),
        ("", nil), ("a\nb\n", nil), ("a\0b", nil), (String(repeating: "x", count: 4097), nil),
    ])
    func `a password file holds the password alone`(content: String, password: String?) throws {
        try withTemporaryDirectory { directory in
            try writeFile(content, to: directory + "/password")
            let reader = readConfiguration(withUser, flags: [("--password-file", directory + "/password")])
            #expect(reader.configuration.mqtt.password == password.map { Secret(Array($0.utf8)) })
            #expect(reader.problems.map(\.key) == (password == nil ? ["mqtt.passwordFile"] : []))
            #expect(reader.problems.allSatisfy { $0.origin == .flag("--password-file") })
            #expect(reader.warnings.isEmpty)
        }
    }

    @Test func `a password that others can read or hear is warned of`() throws {
        try withTemporaryDirectory { directory in
            try writeFile("x", to: directory + "/password", permissions: 0o644)
            let reader = readConfiguration(
                "broker: mqtt://u@broker.example\nmqtt: {passwordFile: \(directory)/password}"
            )
            #expect(reader.problems.isEmpty)
            #expect(
                reader.warnings.map(\.description) == [
                    "f:2: mqtt.passwordFile: the file can be read by every user of this machine: chmod 600 it",
                    "f:2: mqtt.passwordFile: the password goes over the network in clear: use mqtts:// for the broker",
                ]
            )
        }
    }

    @Test func `a password needs a user name`() throws {
        try withTemporaryDirectory { directory in
            try writeFile("x", to: directory + "/password")
            let problems = readConfiguration("mqtt: {passwordFile: \(directory)/password}").problems
            #expect(problems.map(\.message) == ["needs a user name: mqtt.username, or broker: mqtt[s]://user@host"])
        }
    }

    @Test func `a missing password file names its key`() {
        let problems = readConfiguration(withUser + "mqtt: {passwordFile: /nonexistent/password}").problems
        #expect(
            problems.map(\.description) == [
                "f:2: mqtt.passwordFile: the file \"/nonexistent/password\" cannot be read: No such file or directory"
            ]
        )
    }

    @Test func `B69 a CA file that cannot be read names its key`() throws {
        try withTemporaryDirectory { directory in
            try writeFile("no certificate", to: directory + "/ca.pem")
            let flags = [("--broker", "mqtts://localhost")]
            let missing = readConfiguration("mqtt: {caFile: \(directory)/none.pem}", flags: flags).problems
            #expect(missing.map(\.key) == ["mqtt.caFile"])
            #expect(missing.first?.message.contains("cannot be read") == true)
            let wrong = readConfiguration("mqtt: {caFile: \(directory)/ca.pem}", flags: flags).problems
            #expect(wrong.map(\.description) == ["f:1: mqtt.caFile: the file holds no PEM text (-----BEGIN …)"])
            let folder = readConfiguration("mqtt: {caFile: \(directory)}", flags: flags).problems
            #expect(folder.map(\.key) == ["mqtt.caFile"])
        }
    }

    @Test func `B69 a bad port names its key`() {
        let flag = readConfiguration("", flags: [("--broker", "mqtt://localhost:99999")]).problems
        #expect(flag.map(\.description).first?.hasPrefix("--broker (broker): the URL has a bad port") == true)
    }

    @Test func `TLS files without TLS are refused and not forgotten`() throws {
        try withTemporaryDirectory { directory in
            try writeFile("-----BEGIN CERTIFICATE-----\n", to: directory + "/c.pem")
            let problems = readConfiguration("mqtt: {caFile: \(directory)/c.pem}").problems
            #expect(problems.map(\.message) == ["needs a broker with TLS: broker: mqtts://host[:port]"])
        }
    }

    @Test func `certificate and key come together`() throws {
        try withTemporaryDirectory { directory in
            try writeFile("-----BEGIN CERTIFICATE-----\n", to: directory + "/c.pem")
            try writeFile("-----BEGIN PRIVATE KEY-----\n", to: directory + "/k.pem", permissions: 0o644)
            let certificate = "certificateFile: \(directory)/c.pem"
            let key = "keyFile: \(directory)/k.pem"
            let broker = "broker: mqtts://localhost\nmqtt: "
            #expect(
                readConfiguration(broker + "{\(certificate)}").problems.map(\.message) == [
                    "needs mqtt.keyFile beside it"
                ]
            )
            #expect(
                readConfiguration(broker + "{\(key)}").problems.map(\.message) == [
                    "needs mqtt.certificateFile beside it"
                ]
            )
            let both = readConfiguration(broker + "{\(certificate), \(key)}")
            #expect(both.problems.isEmpty)
            #expect(both.warnings.map(\.key) == ["mqtt.keyFile"])
        }
    }

    @Test(arguments: [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n",
    ])
    func `a key behind a passphrase is refused`(pem: String) throws {
        try withTemporaryDirectory { directory in
            try writeFile("-----BEGIN CERTIFICATE-----\n", to: directory + "/c.pem")
            try writeFile(pem, to: directory + "/k.pem")
            let yaml = "broker: mqtts://h\nmqtt: {certificateFile: \(directory)/c.pem, keyFile: \(directory)/k.pem}"
            let problems = readConfiguration(yaml).problems
            #expect(problems.map(\.description) == ["f:2: mqtt.keyFile: the key must not be protected by a passphrase"])
        }
    }

    @Test func `identity keys are read, and a file that does not do is named with its line`() throws {
        let key = "C0:5A:00:00:00:77 ec0234a357c8ad05341010a60a397d9b"
        try withTemporaryDirectory { directory in
            let path = directory + "/keys"
            func read(_ content: String, permissions: Int = 0o600) throws -> ConfigurationReader {
                try writeFile(content, to: path, permissions: permissions)
                return readConfiguration("prefix: x\nbluetooth:\n  identityKeysFile: \(path)\n")
            }
            let good = try read(key + "\n")
            #expect(good.problems.isEmpty)
            #expect(good.configuration.bluetooth.identityKeys.keys.map(\.address.hex) == ["c05a00000077"])
            #expect(!ConfigurationText.yaml(good.configuration).contains("ec0234a3"))
            let prefix = "f:3: bluetooth.identityKeysFile: the file \"\(path)\" "
            for (content, permissions, problem) in [
                (key, 0o644, "is open to every user of the machine: let its owner and group alone read it"),
                ("#\n" + key + "00", 0o600, "line 2 has a key that is not 32 hexadecimal digits"),
                (key + "\n" + key, 0o600, "line 2 names an address again"),
            ] {
                let reader = try read(content, permissions: permissions)
                #expect(reader.problems.map(\.description) == [prefix + problem])
                #expect(reader.configuration.bluetooth.identityKeys.keys.isEmpty)
            }
        }
        let missing = readConfiguration("bluetooth: {identityKeysFile: /nonexistent/keys}").problems
        #expect(
            missing.map(\.description) == [
                "f:1: bluetooth.identityKeysFile: the file \"/nonexistent/keys\" cannot be read: "
                    + "No such file or directory"
            ]
        )
    }

    @Test func `the default file may be absent, a named one may not`() throws {
        try withTemporaryDirectory { directory in
            let host = HostIdentity(hostName: "shop", machineID: nil)
            let loader = ConfigurationLoader(defaultFile: directory + "/edge-agent.yaml", host: host)
            guard case .loaded(let loaded) = loader.load(file: nil) else {
                Issue.record("the defaults were refused")
                return
            }
            #expect(loaded.file == nil)
            #expect(loaded.configuration.gateway == DefaultGateway.name(for: host))
            #expect(loaded.warnings.map(\.key) == ["gateway"])

            guard case .unreadable(let problem) = loader.load(file: directory + "/other.yaml") else {
                Issue.record("a missing file was read")
                return
            }
            #expect(problem.description == directory + "/other.yaml: cannot be read: No such file or directory")

            try writeFile("gateway: named", to: directory + "/edge-agent.yaml")
            guard case .loaded(let named) = loader.load(file: nil) else {
                Issue.record("the default file was refused")
                return
            }
            #expect(named.file == directory + "/edge-agent.yaml")
            #expect(named.configuration.gateway == "named")
            #expect(named.warnings.isEmpty)
        }
    }
}
