internal import Glibc

/// An address and a port to listen on, as `127.0.0.1:9475` or `[::1]:9475`.
package struct ListenAddress: Sendable, Equatable {
    /// An IPv4 or IPv6 address, without brackets.
    package let host: String
    /// 0 to 65535; with 0 the kernel chooses.
    package let port: UInt16

    /// Reads an address; nil for a name, for anything without a port, and for a port that is none.
    package init?(_ text: String) {
        guard text.utf8.count <= 64, let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else {
            guard !host.contains(":") else { return nil }
        }
        self.host = String(host)
        self.port = port
        guard withAddress({ _, _ in true }) == true else { return nil }
    }

    /// Whether only programs of this machine reach it.
    package var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    /// Hands out the address in the kernel's form; nil when the text is no address.
    func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, _ isIPv6: Bool) -> Result) -> Result? {
        if host.contains(":") {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, true) }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, false) }
        }
    }
}
