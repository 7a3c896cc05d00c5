import Frames
import Glibc

/// What tells this machine from others.
package struct HostIdentity: Sendable, Equatable {
    /// The host name; empty when the kernel has none.
    package let hostName: String
    /// The 32 lower-case hex digits of systemd's machine id; nil where there is none, as in some containers.
    package let machineID: String?

    /// Makes an identity.
    package init(hostName: String, machineID: String?) {
        self.hostName = hostName
        self.machineID = machineID
    }

    /// Where the machine id is looked for, in order.
    package static let machineIDFiles = ["/etc/machine-id", "/var/lib/dbus/machine-id"]

    /// This machine's identity.
    package static func current(machineIDFiles: [String] = machineIDFiles) -> HostIdentity {
        HostIdentity(hostName: currentHostName(), machineID: machineIDFiles.lazy.compactMap(machineID).first)
    }

    /// The machine id that a file holds; nil for anything but 32 hex digits, as `uninitialized` at a first boot.
    package static func machineID(inFile path: String) -> String? {
        do throws(BoundedFile.Failure) {
            let bytes = try BoundedFile.read(path, limit: 64).bytes
            let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
            guard digits.count == 32, digits.allSatisfy({ Hex.value($0) != nil }) else { return nil }
            return String(decoding: digits, as: UTF8.self).lowercased()
        } catch {
            return nil
        }
    }

    private static func currentHostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
