internal import EventLoop

/// How many links the adapter takes.
extension SimulatedAdapter {
    /// Whether there is room for one more link.
    var hasRoomForLink: Bool { model.linkLimit.map { usedLinks < $0.count } ?? true }

    /// A link has come to be, whoever made it.
    func linkBegan() { usedLinks += 1 }

    /// A link has ended; the controller lets its room go later.
    func linkEnded() {
        guard let limit = model.linkLimit, limit.releaseDelay > .zero else {
            usedLinks -= 1
            return
        }
        loop.schedule(after: limit.releaseDelay) { [weak self] in self?.usedLinks -= 1 }
    }
}
