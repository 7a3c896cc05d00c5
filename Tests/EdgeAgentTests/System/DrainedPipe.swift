import Foundation
import Glibc

/// What is in a pipe now; never waits for its end, which a child of another test may hold open.
func drained(_ pipe: Pipe) -> String {
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &part, part.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += part.prefix(count)
    }
}
