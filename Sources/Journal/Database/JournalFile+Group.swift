extension JournalFile {
    /// Carries out requests in one transaction.
    ///
    /// - Parameters:
    ///   - group: the requests.
    ///   - tends: whether what the passing of time asks for is done as well; not where only reads are hoped for.
    /// - Returns: an outcome for each; a request with a fault of its own fails alone.
    /// - Throws: a fault of the store: nothing of the group is kept.
    func carryOut(_ group: ArraySlice<JournalRequest>, tends: Bool = true) throws(JournalFailure) -> [JournalOutcome] {
        var outcomes: [JournalOutcome] = []
        outcomes.reserveCapacity(group.count)
        try transaction { () throws(JournalFailure) in
            if tends {
                try followClock()
                if group.contains(where: { $0.isMessages }) { try dropAged() }
            }
            var added = 0
            for request in group {
                outcomes.append(try outcome(of: request))
                if request.need == .room || request.isRecord { added += 1 }
            }
            // Seldom, and then many: entries that are neighbours share pages. More than what comes, until none is left.
            addedSincePrune += added
            if added > 0, addedSincePrune >= Self.pruneInterval || isBeyondBounds {
                try prune(2 * addedSincePrune + 64)
                addedSincePrune = 0
            }
            try measure()
        }
        return outcomes
    }

    private func outcome(of request: JournalRequest) throws(JournalFailure) -> JournalOutcome {
        guard request.isCompound else { return try attempt(request) }
        var outcome = JournalOutcome.done
        try database.run("SAVEPOINT request")
        let before = (figures, highestNumber)
        outcome = try attempt(request)
        if case .failed = outcome {
            (figures, highestNumber) = before
            try database.run("ROLLBACK TO request")
        }
        try database.run("RELEASE request")
        return outcome
    }

    /// Carries out one request; a fault of its own is its outcome.
    private func attempt(_ request: JournalRequest) throws(JournalFailure) -> JournalOutcome {
        do throws(JournalFailure) {
            switch request {
            case .accept(let entry): return .admitted(try accept(entry))
            case .record(let entry, let answer, let publications):
                return .admitted(try record(entry, answer, publications))
            case .begin(let number): try begin(number)
            case .addReply(let reply, let number): try addReply(reply, to: number)
            case .end(let number, let answer, let publications): try end(number, answer, publications)
            case .append(let message): try append(message)
            case .remove(let ids): try remove(ids)
            case .forgetDrops(let told): try forgetDrops(told)
            case .find(let key): return .entry(try find(key))
            case .entries(let filter, let after, let limit, let bytes):
                return .entries(try entries(filter, after: after, limit: limit, bytes: bytes))
            case .messages(let after, let limit, let bytes):
                return .messages(try messages(after: after, limit: limit, bytes: bytes))
            }
            return .done
        } catch {
            guard !error.isOfStore else { throw error }
            return .failed(error)
        }
    }
}

extension JournalRequest {
    /// Whether it asks for the messages that wait.
    fileprivate var isMessages: Bool { if case .messages = self { true } else { false } }

    /// Whether it changes several rows, and could fail between them.
    fileprivate var isCompound: Bool {
        switch self {
        case .accept, .record, .end, .append: true
        default: false
        }
    }
}
