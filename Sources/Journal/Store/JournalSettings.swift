/// What a journal survives once it has said that something is kept.
package enum JournalDurability: String, Sendable, CaseIterable {
    /// The death of the process, kill -9 included; a power cut may take the last moments, but damages nothing.
    ///
    /// What `write` took is in the kernel and outlives the process. SQLite syncs at checkpoints only.
    case process
    /// A power cut too: each group of changes is synced before it is called kept.
    case power
}

/// How much of one class of messages waits for the broker; beyond it the oldest are dropped.
package struct OutboxLimits: Sendable, Equatable {
    package var count: Int
    package var bytes: Int
    package var ageMs: Int64

    package init(count: Int = 10_000, bytes: Int = 8 << 20, ageMs: Int64 = 24 * 3_600_000) {
        self.count = count
        self.bytes = bytes
        self.ageMs = ageMs
    }
}

/// Where a journal is, what it survives, and its bounds.
package struct JournalSettings: Sendable {
    /// The directory, which exists; `journal.sqlite` and SQLite's own files beside it are made there.
    package var directory: String
    package var durability = JournalDurability.process
    /// How many ended commands, and bytes of commands, are kept before the oldest acknowledged go early.
    package var windowCount = 10_000
    package var windowBytes = 32 << 20
    package var events = OutboxLimits()
    package var notifications = OutboxLimits()
    /// The most that the file may grow to; when it has, the disk counts as full.
    package var fileBytes = 256 << 20
    /// Room in the file that only what ends a command may use, so that what was accepted ends on a full disk too.
    package var reserveBytes = 512 << 10
    /// How long requests wait for the disk before new ones are refused, until it answers.
    package var patience = Duration.seconds(5)
    /// How many requests, and bytes of them, may wait for the disk.
    package var waitingCount = 65_536
    package var waitingBytes = 64 << 20
    /// How soon a fault is tried again; the gap doubles up to the second one.
    package var retryGap = Duration.milliseconds(500)
    package var longestRetryGap = Duration.seconds(30)
    /// The layout of the file and the steps that lead to it.
    package var schema = JournalSchema.current
    package var clock = JournalClock.system

    package init(directory: String) { self.directory = directory }
}
