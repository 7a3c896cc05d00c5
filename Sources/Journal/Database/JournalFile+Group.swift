extension JournalFile {
    /// Carries out requests in one transaction.
    ///
    /// - Returns: an outcome for each; a request with a fault of its own fails alone.
    /// - Throws: a fault of the store: nothing of the group is kept.
    func carryOut(_ group: ArraySlice<JournalRequest>) throws(JournalFailure) -> [JournalOutcome] {
        var outcomes: [JournalOutcome] = []
        outcomes.reserveCapacity(group.count)
        try transaction { () throws(JournalFailure) in
            try followClock()
            var added = 0
            for request in group {
                outcomes.append(try outcome(of: request))
                if request.need == .room { added += 1 }
            }
            // More than what comes goes, until all that may go is gone.
            if added > 0 { try prune(2 * added + 8) }
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
                try dropAged()
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
    /// Whether it changes several rows, and could fail between them.
    fileprivate var isCompound: Bool {
        switch self {
        case .accept, .record, .end, .append: true
        default: false
        }
    }
}
