internal import EventLoop
internal import Glibc

/// What the doctor has to know of the machine and of itself.
package struct HostFacts: Sendable, Equatable {
    /// The user that this process runs as.
    package var user = UserName(id: 0)
    /// Whether this process sees the machine from inside a container.
    package var isContainer = false
    /// Whether user ids here are others outside.
    package var hasMappedUsers = false
    /// rfkill's switches for Bluetooth.
    package var switches: [RadioSwitch] = []
    package var isClockSynchronised = true
    package var nowMs: Int64 = 0
    /// The configuration file, for command lines to type.
    package var file: String?

    package init() {}

    package var isRoot: Bool { user.id == 0 }

    /// What holds here and now; reads files.
    package static func current(file: String?) -> HostFacts {
        var facts = HostFacts()
        facts.user = UserName(id: geteuid())
        let marks = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"]
        facts.isContainer = marks.contains { access($0, F_OK) == 0 }
        facts.hasMappedUsers = hasMappedUsers(text(of: "/proc/self/uid_map"))
        facts.switches = RadioSwitch.all()
        facts.isClockSynchronised = SystemClock.isSynchronised
        facts.nowMs = UTCTime.now.millisecondsSince1970
        facts.file = file
        return facts
    }

    /// Whether a `uid_map` is another one than that of the machine's first user namespace.
    package static func hasMappedUsers(_ map: String) -> Bool {
        let fields = map.split(whereSeparator: \.isWhitespace)
        return !fields.isEmpty && fields != ["0", "0", "4294967295"]
    }

    static func text(of file: String) -> String {
        do throws(BoundedFile.Failure) {
            return String(decoding: try BoundedFile.read(file, limit: 65_536).bytes, as: UTF8.self)
        } catch {
            // Not there is as good as empty: nothing is known.
            return ""
        }
    }
}

/// A user by number and, where the machine knows one, by name.
package struct UserName: Sendable, Equatable, CustomStringConvertible {
    package let id: UInt32
    package let name: String?

    package init(id: UInt32, name: String?) {
        self.id = id
        self.name = name
    }

    package init(id: UInt32) {
        self.init(id: id, name: Self.name(of: id, in: HostFacts.text(of: "/etc/passwd")))
    }

    package var description: String { name ?? String(id) }

    /// The name that a passwd file has for a number.
    package static func name(of id: UInt32, in passwd: String) -> String? {
        for line in passwd.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, UInt32(fields[2]) == id { return String(fields[0]) }
        }
        return nil
    }
}

/// One of rfkill's switches.
package struct RadioSwitch: Sendable, Equatable {
    package var name: String
    /// Held by software: `rfkill unblock` lets it go.
    package var isSoftBlocked: Bool
    /// Held by a switch of the machine, or by its firmware.
    package var isHardBlocked: Bool

    package init(name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
        self.name = name
        self.isSoftBlocked = isSoftBlocked
        self.isHardBlocked = isHardBlocked
    }

    /// Those for Bluetooth.
    package static func all(under folder: String = "/sys/class/rfkill") -> [RadioSwitch] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var found: [RadioSwitch] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let path = "\(folder)/\(name)"
            guard name.hasPrefix("rfkill"), word(path, "type") == "bluetooth" else { continue }
            found.append(
                RadioSwitch(
                    name: word(path, "name"),
                    isSoftBlocked: word(path, "soft") == "1",
                    isHardBlocked: word(path, "hard") == "1"
                )
            )
        }
        return found.sorted { $0.name < $1.name }
    }

    private static func word(_ path: String, _ file: String) -> String {
        String(HostFacts.text(of: "\(path)/\(file)").prefix { !$0.isWhitespace })
    }
}
