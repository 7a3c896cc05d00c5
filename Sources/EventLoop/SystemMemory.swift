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
        _ = dl_iterate_phdr(
            { info, _, _ in
                guard let info = info?.pointee, let headers = info.dlpi_phdr else { return 0 }
                for header in UnsafeBufferPointer(start: headers, count: Int(info.dlpi_phnum)) {
                    let rights = header.p_flags & UInt32(PF_X | PF_W)
                    // Code alone: what may be written to would lose what was written.
                    guard header.p_type == UInt32(PT_LOAD), rights == UInt32(PF_X) else { continue }
                    SystemMemory.release(from: UInt(info.dlpi_addr + header.p_vaddr), bytes: UInt(header.p_memsz))
                }
                return 0
            },
            nil
        )
    }

    private static func release(from start: UInt, bytes: UInt) {
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        let first = start & ~(page - 1)
        // Safe because: the pages are a file's, unchanged, and come back from it. A refusal leaves them where they are.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(start + bytes - first), Int32(MADV_DONTNEED))
    }
}
