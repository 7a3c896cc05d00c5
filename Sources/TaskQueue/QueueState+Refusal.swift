extension QueueState {
    /// The pool has no room for the link of a job that runs already, whatever its limit says.
    ///
    /// - Returns: `.reclaim` of the link that is idle the longest, where there is one and no other is on its way.
    public mutating func slotRefused(in pool: Pool, at now: Time) -> [Action] {
        let pool = poolPlace(of: pool)
        var actions = expire(at: now)
        guard pools[pool].reclaims == 0, let line = pools[pool].idle.first else { return actions }
        reclaim(line, into: &actions)
        updateIdle(line)
        return actions
    }
}
