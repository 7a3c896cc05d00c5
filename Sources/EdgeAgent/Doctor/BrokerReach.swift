internal import Glibc

/// The way to a host up to its port: its addresses, and whether one of them takes a connection.
package enum BrokerReach {
    /// A socket's address, as the system calls take it, and as people read it.
    package struct Address: Sendable, Equatable {
        var bytes: [UInt8]
        var family: Int32
        var text: String
    }

    /// Why a name has no address: what `getaddrinfo` says.
    package struct NotResolved: Error, Equatable {
        var text: String
    }

    /// Asks for a host's addresses; blocks as a resolver does.
    static func addresses(of host: String, port: Int) throws(NotResolved) -> [Address] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw NotResolved(text: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var found: [Address] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let room = socklen_t(name.count)
            guard getnameinfo(address, entry.ai_addrlen, &name, room, nil, 0, NI_NUMERICHOST) == 0 else { continue }
            found.append(
                Address(
                    bytes: Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))),
                    family: entry.ai_family,
                    text: String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                )
            )
        }
        return found
    }

    /// What an errno means, for people.
    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Connects to one address and closes again; blocks for `milliseconds` at most.
    ///
    /// - Returns: 0, or the errno that tells why not.
    static func connect(to address: Address, milliseconds: Int32) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let code = address.bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { buffer in
                Glibc.connect(descriptor, buffer.baseAddress, socklen_t(bytes.count))
            }
        }
        if code == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return ETIMEDOUT }
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
        return error
    }
}
