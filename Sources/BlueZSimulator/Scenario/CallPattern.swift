internal import DBus

/// Which calls are meant: each part that is given must fit; `*` stands for any text.
package struct CallPattern: Equatable, Sendable {
    package var path: String?
    /// A device's address: its object and those below it, on any adapter.
    package var device: String?
    /// The UUID of the object that is called, long.
    package var uuid: String?
    /// The whole name or its last part: `org.bluez.Device1` or `Device1`.
    package var interface: String?
    package var member: String?
    /// The caller's unique name.
    package var client: String?
    /// One of the arguments that are texts.
    package var argument: String?

    package init(member: String? = nil, device: String? = nil, uuid: String? = nil) {
        self.member = member
        self.device = device
        self.uuid = uuid.map(LongUUID.text)
    }

    /// Whether a call is meant; `found` is the UUID of the object that is called, if it has one.
    func matches(_ call: ReceivedCall, uuid found: String?) -> Bool {
        Self.fits(path, call.path.text) && Self.fits(member, call.member) && Self.fits(client, call.sender)
            && (interface.map { Self.fitsInterface($0, call.interface) } ?? true)
            && (uuid == nil || uuid == found)
            && (device.map { Self.isDevice($0, call.path) } ?? true)
            && (argument.map { pattern in call.arguments.contains { Self.fitsText(pattern, $0) } } ?? true)
    }

    private static func fitsInterface(_ pattern: String, _ name: String) -> Bool {
        Wildcard.matches(pattern, name) || Wildcard.matches(pattern, String(name.split(separator: ".").last ?? ""))
    }

    private static func isDevice(_ address: String, _ path: ObjectPath) -> Bool {
        let name = "dev_" + address.map { $0 == ":" ? "_" : String($0) }.joined()
        return path.text.split(separator: "/").contains { $0 == name }
    }

    private static func fitsText(_ pattern: String, _ argument: DBusValue) -> Bool {
        switch argument.unwrapped {
        case .string(let text): Wildcard.matches(pattern, text)
        case .path(let path): Wildcard.matches(pattern, path.text)
        default: false
        }
    }

    private static func fits(_ pattern: String?, _ text: String) -> Bool {
        pattern.map { Wildcard.matches($0, text) } ?? true
    }
}

/// Patterns in which `*` stands for any text, an empty one too.
enum Wildcard {
    /// Takes time in proportion to the lengths' product at most, whatever the pattern.
    static func matches(_ pattern: String, _ text: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let text = Array(text.utf8)
        var (place, position) = (0, 0)
        var retry: (place: Int, position: Int)?
        while position < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                retry = (place, position)
                place += 1
            } else if place < pattern.count, pattern[place] == text[position] {
                place += 1
                position += 1
            } else if let last = retry {
                retry = (last.place, last.position + 1)
                place = last.place + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
