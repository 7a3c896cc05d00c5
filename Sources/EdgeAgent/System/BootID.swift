import Frames
import Glibc

/// The random name of one run of the agent.
package enum BootID {
    /// 16 lower-case hex digits from the kernel's random numbers.
    package static func make() -> String {
        var bytes = [UInt8](repeating: 0, count: 8)
        if getentropy(&bytes, bytes.count) != 0 {
            // A kernel without getrandom(2), or a sandbox that forbids it.
            var generator = SystemRandomNumberGenerator()
            for index in bytes.indices { bytes[index] = UInt8.random(in: .min ... .max, using: &generator) }
        }
        return Hex.text(bytes)
    }
}
