/// What is kept on disk while the broker is away.
package struct OutboxConfiguration: Sendable, Equatable {
    /// The most events, and the most notifications, that wait; beyond it the oldest are dropped and counted.
    package var events = 10_000
    package var notifications = 10_000
    /// The most bytes of each of the two.
    package var bytes = 8_388_608
    /// How old one of them may be when it goes out.
    package var age = Duration.seconds(24 * 3600)

    /// The defaults.
    package init() {}
}

/// What a commit of the journal survives.
package enum Durability: String, Sendable, CaseIterable {
    /// The end of the process, whatever ends it.
    case process
    /// A power cut too: each commit waits for the disk.
    case power
}
