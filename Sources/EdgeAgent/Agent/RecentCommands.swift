internal import EventLoop

/// The callers and ids of the last commands: a retained copy of one of them is no new command.
package struct RecentCommands {
    private struct Key: Hashable {
        let client: String
        let id: String
    }

    private static let limit = 4096
    private var known: Set<Key> = []
    private var order = FIFO<Key>()

    /// Makes an empty table.
    package init() {}

    /// Whether a caller has used an id.
    package func contains(client: String, id: CommandID) -> Bool { known.contains(Key(client: client, id: id.text)) }

    /// Notes a command, unless nobody in particular sent it.
    package mutating func insert(_ origin: CommandOrigin) {
        guard !origin.isAnonymous else { return }
        let key = Key(client: origin.client, id: origin.id.text)
        guard known.insert(key).inserted else { return }
        order.append(key)
        if order.count > Self.limit, let oldest = order.popFirst() { known.remove(oldest) }
    }
}
