internal import CLinux
internal import Glibc

/// What the process holds in memory without need.
package enum SystemMemory {
    /// Gives back what the heap has free, and the mapping of all code, which is taken again where it runs.
    ///
    /// The start and each flood leave both behind. Code that is needed again is in the page cache: that costs a page
    /// fault, not a disk. Any thread; takes about a millisecond.
    package static func giveBack() {
        malloc_trim(0)
        for line in maps().split(separator: UInt8(ascii: "\n")) {
            // As `7f64929ae000-7f64929b0000 r-xp 00000000 08:01 1234  /lib/x86_64-linux-gnu/libc.so.6`, proc(5). Code alone:
            // what may be written to would lose what was written.
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count == 6, fields[1].elementsEqual("r-xp".utf8), fields[5].first == UInt8(ascii: "/") else {
                continue
            }
            let bounds = fields[0].split(separator: UInt8(ascii: "-")).compactMap {
                UInt(String(decoding: $0, as: UTF8.self), radix: 16)
            }
            guard bounds.count == 2, bounds[0] < bounds[1] else { continue }
            // Safe because: the pages are a file's, unchanged, and come back from it. A refusal leaves them where they are.
            _ = madvise(
                UnsafeMutableRawPointer(bitPattern: bounds[0]),
                Int(bounds[1] - bounds[0]),
                Int32(MADV_DONTNEED)
            )
        }
    }

    /// What is mapped where, as far as the file can be read.
    private static func maps() -> [UInt8] {
        let file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16384)
        while text.count < 1 << 20 {
            let count = read(file, &part, part.count)
            guard count > 0 else { break }
            text += part.prefix(count)
        }
        return text
    }
}
