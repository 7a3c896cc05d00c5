internal import BleCore
internal import LocalHTTP

extension ConfigurationReader {
    /// Checks values against each other, reads the password and sees that the named files can be read.
    ///
    /// To be called once, after the file and all flags.
    package mutating func check() {
        checkBounds()
        checkCredentials()
        checkTLS()
        checkMetrics()
        checkIdentityKeys()
        checkGroups()
        checkPolicy()
        problems.sort { $0.line < $1.line }
    }

    /// The largest password file in bytes.
    static let maximumPasswordBytes = 4096
    /// The largest file of certificates or keys in bytes; a bundle of all public authorities has 250 kB.
    static let maximumCertificateBytes = 4_194_304

    mutating func checkBounds() {
        let (mqtt, limits, links) = (configuration.mqtt, configuration.limits, configuration.links)
        compare("mqtt.reconnectMaxMs", mqtt.reconnectMaximum, notLessThan: "mqtt.reconnectMinMs", mqtt.reconnectMinimum)
        compare(
            "links.reconnectMaxMs",
            links.reconnectMaximum,
            notLessThan: "links.reconnectMinMs",
            links.reconnectMinimum
        )
        compare(
            "limits.maxQueuedTotal",
            limits.maximumQueuedTotal,
            notLessThan: "limits.maxQueuedPerDevice",
            limits.maximumQueuedPerDevice
        )
        compare(
            "mqtt.maxOutgoingBytes",
            mqtt.maximumOutgoingBytes,
            notLessThan: "limits.maxResultBytes",
            limits.maximumResultBytes
        )
    }

    private mutating func compare<Value: Comparable>(
        _ key: String,
        _ value: Value,
        notLessThan lowerKey: String,
        _ lower: Value
    ) {
        guard value < lower, refused.isDisjoint(with: [key, lowerKey]) else { return }
        // Whoever set one of the two looks at that one.
        let culprit = origins[key] == nil ? lowerKey : key
        let shown = [key, lowerKey].map { "\($0) (\(shownValue(of: $0)))" }
        refuse(origin(of: culprit), key: culprit, "\(shown[0]) must not be less than \(shown[1])")
    }

    private mutating func checkCredentials() {
        let mqtt = configuration.mqtt
        if let inURL = configuration.broker.user, let name = mqtt.username, inURL != name, !isFlag("broker") {
            let message = "differs from the user name in broker: leave one of them out"
            refuse(origin(of: "mqtt.username"), key: "mqtt.username", message)
        }
        guard let path = mqtt.passwordFile else { return }
        let key = "mqtt.passwordFile"
        if configuration.username == nil, refused.isDisjoint(with: ["broker", "mqtt.username"]) {
            let message = "needs a user name: mqtt.username, or broker: mqtt[s]://user@host"
            refuse(origin(of: key), key: key, message)
        }
        guard let content = readFile(path, of: key, limit: ConfigurationReader.maximumPasswordBytes) else { return }
        var password = content.bytes
        if password.last == UInt8(ascii: "\n") { password.removeLast() }
        if password.last == UInt8(ascii: "\r") { password.removeLast() }
        guard !password.isEmpty else { return refuse(origin(of: key), key: key, "the file holds no password") }
        guard !password.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\n") }) else {
            return refuse(origin(of: key), key: key, "the file must hold the password alone, on one line")
        }
        configuration.mqtt.password = Secret(password)
        if content.isReadableByAll {
            warn(key, "the file can be read by every user of this machine: chmod 600 it")
        }
        if !configuration.broker.secure, !isLoopback(configuration.broker.host) {
            warn(key, "the password goes over the network in clear: use mqtts:// for the broker")
        }
    }

    private mutating func checkTLS() {
        let mqtt = configuration.mqtt
        let files = [
            ("mqtt.caFile", mqtt.caFile), ("mqtt.certificateFile", mqtt.certificateFile),
            ("mqtt.keyFile", mqtt.keyFile),
        ]
        for case (let key, let path?) in files {
            if !configuration.broker.secure, !refused.contains("broker") {
                // Going on in clear would be the opposite of what was asked for.
                refuse(origin(of: key), key: key, "needs a broker with TLS: broker: mqtts://host[:port]")
            }
            guard let content = readFile(path, of: key, limit: ConfigurationReader.maximumCertificateBytes) else {
                continue
            }
            if !ConfigurationReader.looksLikePEM(content.bytes) {
                refuse(origin(of: key), key: key, "the file holds no PEM text (-----BEGIN …)")
            } else if key == "mqtt.keyFile", ConfigurationReader.isEncrypted(content.bytes) {
                // OpenSSL would ask for it on the terminal and wait.
                refuse(origin(of: key), key: key, "the key must not be protected by a passphrase")
            } else if key == "mqtt.keyFile", content.isReadableByAll {
                warn(key, "the file can be read by every user of this machine: chmod 600 it")
            }
        }
        let (certificate, privateKey) = ("mqtt.certificateFile", "mqtt.keyFile")
        guard refused.isDisjoint(with: [certificate, privateKey]) else { return }
        if mqtt.certificateFile != nil, mqtt.keyFile == nil {
            refuse(origin(of: certificate), key: certificate, "needs mqtt.keyFile beside it")
        }
        if mqtt.keyFile != nil, mqtt.certificateFile == nil {
            refuse(origin(of: privateKey), key: privateKey, "needs mqtt.certificateFile beside it")
        }
    }

    private mutating func checkMetrics() {
        guard let address = configuration.metrics.listen.flatMap({ ListenAddress($0) }), !address.isLoopback else {
            return
        }
        warn("metrics.listen", "whoever reaches this address can read the figures, without TLS or password")
    }

    private mutating func checkIdentityKeys() {
        guard let path = configuration.bluetooth.identityKeysFile else { return }
        do throws(IdentityKeys.Problem) {
            configuration.bluetooth.identityKeys = try IdentityKeys.read(path)
        } catch {
            let key = "bluetooth.identityKeysFile"
            refuse(origin(of: key), key: key, "the file \(LogText.quoted(path, limit: 256)) \(error)")
        }
    }

    private mutating func readFile(_ path: String, of key: String, limit: Int) -> BoundedFile.Content? {
        do throws(BoundedFile.Failure) {
            return try BoundedFile.read(path, limit: limit)
        } catch {
            refuse(origin(of: key), key: key, "the file \(LogText.quoted(path, limit: 256)) \(error.explanation)")
            return nil
        }
    }

    private static func looksLikePEM(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("-----BEGIN ")
    }

    /// Whether a PEM text holds a key behind a passphrase, in PKCS #8 or in OpenSSL's older form.
    private static func isEncrypted(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
    }

    private mutating func warn(_ key: String, _ message: String) {
        warnings.append(ConfigurationProblem(origin(of: key), key: key, message))
    }

    private func origin(of key: String) -> ConfigurationProblem.Origin { origins[key] ?? .defaults }

    private func isFlag(_ key: String) -> Bool { if case .flag = origins[key] { true } else { false } }

    private func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < 0x40 })
    }

    private func shownValue(of key: String) -> String {
        ConfigurationKey.all.first { $0.path == key }?.show(configuration) ?? ""
    }
}

extension ConfigurationProblem {
    /// The line for sorting: the file as a whole first, flags and defaults last.
    fileprivate var line: Int {
        if case .file(_, let line) = origin { line ?? 0 } else { .max }
    }
}
