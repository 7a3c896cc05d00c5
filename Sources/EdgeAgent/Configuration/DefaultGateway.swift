internal import Cryptography
internal import Frames

/// The gateway's name where none is configured: stable, and different on each machine.
package enum DefaultGateway {
    /// The host name made to fit, `-` and 6 hex digits.
    ///
    /// The digits are HMAC-SHA256 with the machine id as key, as systemd derives ids of applications: the name can be
    /// published without giving the machine id away. Without a machine id they depend on the host name alone, and two
    /// machines of one name clash.
    package static func name(for host: HostIdentity) -> String {
        let key = Array((host.machineID ?? "no machine id").utf8)
        let text = host.machineID == nil ? "edge-agent gateway \(host.hostName)" : "edge-agent gateway"
        return fitted(host.hostName) + "-" + Hex.text(Digest.hmacSHA256(key: key, Array(text.utf8)).prefix(3))
    }

    /// The first label of a host name in lower case, other characters as single `-`, at most 56 of them.
    private static func fitted(_ hostName: String) -> String {
        var out: [UInt8] = []
        for byte in hostName.lowercased().utf8.prefix(while: { $0 != UInt8(ascii: ".") }) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): out.append(byte)
            default: if let last = out.last, last != UInt8(ascii: "-") { out.append(UInt8(ascii: "-")) }
            }
        }
        out = Array(out.prefix(56))
        while out.last == UInt8(ascii: "-") { out.removeLast() }
        return out.isEmpty ? "gateway" : String(decoding: out, as: UTF8.self)
    }
}
