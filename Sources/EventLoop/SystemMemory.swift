internal import CLinux

/// What the process holds in memory without need.
package enum SystemMemory {
    /// Gives back what the heap has free: the start and each flood leave some behind.
    ///
    /// Any thread; takes about a millisecond.
    package static func giveBack() { malloc_trim(0) }
}
