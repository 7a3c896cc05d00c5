extension JournalFile {
    /// Adds a message, and drops the oldest of its class to hold the bounds.
    func append(_ message: OutboxMessage) throws(JournalFailure) {
        if let limits = limits(message.messageClass) {
            guard message.bytes <= limits.bytes, limits.count > 0 else { throw .tooLarge }
            try drop(message.messageClass) { (_, _) in
                self.figures[message.messageClass].count >= limits.count
                    || self.figures[message.messageClass].bytes &+ message.bytes > limits.bytes
            }
        }
        try insert(message, of: nil, answer: nil)
    }

    /// Adds a message; one without a payload carries the answer of its entry, which is not kept twice.
    func insert(_ message: OutboxMessage, of entry: Int64?, answer: [UInt8]?) throws(JournalFailure) {
        let sql = """
            INSERT INTO message (id, class, entry, created_ms, bytes, checksum, head, payload)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        let payload = entry == nil ? message.payload ?? [] : message.payload
        try database.run(
            sql,
            .integer(message.id),
            .integer(message.messageClass.rawValue),
            SQLValue(entry),
            .integer(message.createdMs),
            .integer(Int64(message.bytes)),
            .integer(checksum(message.id, message.head, payload ?? answer ?? [])),
            .blob(message.head),
            SQLValue(payload)
        )
        figures[message.messageClass].count += 1
        figures[message.messageClass].bytes &+= message.bytes
    }

    /// Lets go of messages, and acknowledges entries that have no more of them.
    func remove(_ ids: [Int64]) throws(JournalFailure) {
        for id in ids {
            var entry: Int64?
            let sql = "DELETE FROM message WHERE id = ? RETURNING class, bytes, entry"
            try database.each(sql, [.integer(id)]) { (row) throws(JournalFailure) in
                let messageClass = try messageClass(row.integer(0))
                figures[messageClass].count -= 1
                figures[messageClass].bytes &-= Int(try row.integer(1))
                entry = row.isNull(2) ? nil : try row.integer(2)
                return true
            }
            if let entry { try acknowledge(entry) }
        }
    }

    func messages(after: Int64, limit: Int, bytes: Int) throws(JournalFailure) -> [OutboxMessage] {
        let sql = """
            SELECT m.id, m.class, m.entry, m.created_ms, m.checksum, m.head,
                coalesce(m.payload, (SELECT e.answer FROM entry e WHERE e.number = m.entry))
            FROM message m WHERE m.id > ? ORDER BY m.id LIMIT ?
            """
        var messages: [OutboxMessage] = []
        var sum = 0
        try database.each(sql, [.integer(after), .integer(Int64(limit))]) { (row) throws(JournalFailure) in
            var message = OutboxMessage(
                id: try row.integer(0),
                messageClass: try messageClass(row.integer(1)),
                createdMs: try row.integer(3),
                head: try row.blob(5),
                payload: try row.blob(6)
            )
            message.entry = row.isNull(2) ? nil : try row.integer(2)
            guard checksum(message.id, message.head, message.payload ?? []) == (try row.integer(4)) else {
                throw .damaged("the content of message \(message.id)")
            }
            messages.append(message)
            sum += message.bytes
            return sum < bytes
        }
        return messages
    }

    // MARK: Bounds

    /// Drops what has waited too long.
    func dropAged() throws(JournalFailure) {
        let now = clock.wallMs
        for messageClass in OutboxClass.allCases where figures[messageClass].count > 0 {
            guard let limits = limits(messageClass) else { continue }
            try drop(messageClass) { (_, createdMs) in now &- createdMs > limits.ageMs }
        }
    }

    func forgetDrops(_ told: [(OutboxClass, Int)]) throws(JournalFailure) {
        for (messageClass, count) in told {
            figures[messageClass].dropped = max(0, figures[messageClass].dropped - max(0, count))
            try setNote(.dropped(messageClass), Int64(figures[messageClass].dropped))
        }
    }

    /// Writes down how many messages of some classes were given up.
    func keepDrops(of classes: Set<OutboxClass>) throws(JournalFailure) {
        try transaction { () throws(JournalFailure) in
            for messageClass in classes {
                try setNote(.dropped(messageClass), Int64(figures[messageClass].dropped))
            }
        }
    }

    /// Drops the oldest of a class as long as the condition holds for it, and counts them.
    private func drop(
        _ messageClass: OutboxClass,
        while condition: (_ id: Int64, _ createdMs: Int64) -> Bool
    ) throws(JournalFailure) {
        let sql = "SELECT id, created_ms FROM message WHERE class = ? AND class > 0 ORDER BY id LIMIT 1"
        var hasDropped = false
        while true {
            var oldest: (id: Int64, createdMs: Int64)?
            try database.each(sql, [.integer(messageClass.rawValue)]) { (row) throws(JournalFailure) in
                oldest = (try row.integer(0), try row.integer(1))
                return false
            }
            guard let oldest, condition(oldest.id, oldest.createdMs) else { break }
            try remove([oldest.id])
            figures[messageClass].dropped += 1
            hasDropped = true
        }
        if hasDropped { try setNote(.dropped(messageClass), Int64(figures[messageClass].dropped)) }
    }

    func limits(_ messageClass: OutboxClass) -> OutboxLimits? {
        switch messageClass {
        case .result: nil
        case .event: settings.events
        case .notification: settings.notifications
        }
    }

    func messageClass(_ number: Int64) throws(JournalFailure) -> OutboxClass {
        guard let messageClass = OutboxClass(rawValue: number) else { throw .damaged("a message's class") }
        return messageClass
    }

    private func checksum(_ id: Int64, _ head: [UInt8], _ payload: [UInt8]) -> Int64 {
        var checksum = Checksum()
        checksum.add(id)
        checksum.add(head)
        checksum.add(payload)
        return checksum.value
    }
}
