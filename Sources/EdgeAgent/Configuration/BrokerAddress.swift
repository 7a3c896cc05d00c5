/// Where the broker is, written `mqtt[s]://[user@]host[:port]`.
package struct BrokerAddress: Sendable, Equatable, CustomStringConvertible {
    /// True for `mqtts`: TLS.
    package var secure: Bool
    /// A host name or an address; an IPv6 address without its brackets.
    package var host: String
    /// 1 to 65535.
    package var port: Int
    /// The user name, percent-encoding undone.
    package var user: String?

    /// Makes an address of parts that have been checked.
    package init(secure: Bool, host: String, port: Int, user: String? = nil) {
        self.secure = secure
        self.host = host
        self.port = port
        self.user = user
    }

    /// The port that a URL without one means.
    package static func defaultPort(secure: Bool) -> Int { secure ? 8883 : 1883 }

    /// The URL with its port, which ``init(url:)`` reads back.
    package var description: String {
        let name = user.map { PercentEncoding.encode($0) + "@" } ?? ""
        let place = host.contains(":") ? "[\(host)]" : host
        return "\(secure ? "mqtts" : "mqtt")://\(name)\(place):\(port)"
    }

    /// The same place without the user's name, for the log.
    package var withoutUser: BrokerAddress { BrokerAddress(secure: secure, host: host, port: port) }

    /// Reads a URL.
    ///
    /// - Throws: ``BrokerAddressProblem`` for anything else; no case holds any part of the text, which may be a password.
    package init(url: String) throws(BrokerAddressProblem) {
        guard let colon = url.firstRange(of: "://") else { throw .noScheme }
        switch url[..<colon.lowerBound].lowercased() {
        case "mqtt": secure = false
        case "mqtts": secure = true
        default: throw .unknownScheme
        }
        var rest = url[colon.upperBound...]
        // The last @ ends the user, so that a password with an @ in it is still seen as one.
        if let at = rest.lastIndex(of: "@") {
            let credentials = rest[..<at]
            guard !credentials.contains(":") else { throw .password }
            guard let name = PercentEncoding.decode(credentials), ConfigurationPattern.isUserName(name) else {
                throw .badUser
            }
            user = name
            rest = rest[rest.index(after: at)...]
        } else {
            user = nil
        }
        if rest.hasSuffix("/") { rest.removeLast() }
        guard !rest.contains(where: { "/?#".contains($0) }) else { throw .path }
        let place = try BrokerAddress.split(rest)
        guard ConfigurationPattern.isHost(place.host) else { throw .badHost }
        host = place.host
        guard let digits = place.port else {
            port = BrokerAddress.defaultPort(secure: secure)
            return
        }
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), digits.utf8.count <= 5,
            let number = Int(digits), (1...65535).contains(number)
        else { throw .badPort }
        port = number
    }

    private static func split(_ text: Substring) throws(BrokerAddressProblem) -> (host: String, port: Substring?) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw .badHost }
            let host = String(text[text.index(after: text.startIndex)..<end])
            guard host.contains(":") else { throw .badHost }
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            guard rest.hasPrefix(":") else { throw .badHost }
            return (host, rest.dropFirst())
        }
        guard let colon = text.firstIndex(of: ":") else { return (String(text), nil) }
        let host = String(text[..<colon])
        let port = text[text.index(after: colon)...]
        guard !port.contains(":") else { throw .bareIPv6 }
        return (host, port)
    }
}

/// Why a text is no broker address.
package enum BrokerAddressProblem: Error, Equatable {
    case noScheme
    case unknownScheme
    case password
    case badUser
    case path
    case badHost
    case bareIPv6
    case badPort

    /// What is wrong and what to do, without any part of the text.
    package var explanation: String {
        switch self {
        case .noScheme: "must start with mqtt:// or mqtts://"
        case .unknownScheme: "has an unknown scheme: use mqtt:// or, with TLS, mqtts://"
        case .password:
            "must not hold a password: put it into a file and name that with mqtt.passwordFile (--password-file)"
        case .badUser: "has a bad user name before the @"
        case .path: "must end after the port: no path, query or fragment"
        case .badHost: "has no valid host name or address"
        case .bareIPv6: "must write an IPv6 address in brackets, as mqtt://[::1]:1883"
        case .badPort: "has a bad port: a whole number from 1 to 65535"
        }
    }
}
