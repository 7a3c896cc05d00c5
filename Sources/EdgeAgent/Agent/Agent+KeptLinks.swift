internal import BleCore
internal import EventLoop

/// What of links outlives the process: which are the agent's own, and what commands have said of them.
extension Agent {
    /// Takes up what an earlier life has left of what commands said.
    func restore(_ kept: KeptLinks) {
        keptLinks = kept
        for record in kept.records {
            if record.isPaused { pausedBefore.insert(record.address) }
            if let link = record.link { rulebook.set(link, for: record.address) }
        }
    }

    /// Takes up the links that an earlier life has made, as far as they are there.
    func restore(own addresses: [DeviceAddress]) {
        guard !addresses.isEmpty else { return }
        for address in addresses {
            ownLinks.made(address)
            ownLinks.gone(address, at: .now)
        }
        keptOwn = addresses
        manager.assumeIsolated { $0.adopt(Set(addresses)) }
        log.info("Links of an earlier life are looked for", [.count: String(addresses.count)])
    }

    /// Notes whose a link is, as far as its state tells.
    func noteOwner(of address: DeviceAddress, _ state: LinkState) {
        if state.phase == .connecting || state.owner == .`self` {
            ownLinks.made(address)
            // A device whose link is ours has been used, in whatever life.
            if state.owner == .`self`, !isInUse(address) {
                devicesInUse[address] = .now
                follow(address)
            }
        } else {
            ownLinks.gone(address, at: .now)
        }
        keepLinksLater()
    }

    /// Writes down what commands have said of links; returns once it is on the disk, or cannot be.
    func keepLinks() async {
        keepOwnLinks()
        guard let linkFile else { return }
        // What is on its way to the disk is waited for by being written again.
        guard let bytes = newKeptLinks() ?? (linkFile.isWriting ? keptLinks.encode() : nil) else { return }
        noteState(await linkFile.save(bytes))
    }

    /// The same without waiting for the disk.
    func keepLinksLater() {
        keepOwnLinks()
        guard let linkFile, let bytes = newKeptLinks() else { return }
        linkFile.save(bytes) { [weak self] failure in self?.assumeIsolated { $0.noteState(failure) } }
    }

    /// Writes down which links are the agent's own, when they are others than before.
    private func keepOwnLinks() {
        if let linksTimer { loop.cancel(linksTimer) }
        linksTimer = ownLinks.nextDeadline.map { deadline in
            loop.schedule(at: deadline) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.linksTimer = nil
                    agent.ownLinks.forget(at: .now)
                    agent.keepOwnLinks()
                }
            }
        }
        guard let ownLinkFile, keptOwn != ownLinks.addresses else { return }
        keptOwn = ownLinks.addresses
        ownLinkFile.save(ownLinks.encode()) { [weak self] failure in self?.assumeIsolated { $0.noteState(failure) } }
    }

    /// Writes down that no link is the agent's own: it has ended them all.
    func forgetOwnLinks() async {
        ownLinks.forget(at: .now, all: true)
        guard let ownLinkFile, keptOwn != ownLinks.addresses else { return }
        keptOwn = ownLinks.addresses
        _ = await ownLinkFile.save(ownLinks.encode())
    }

    /// The content of the file, when it is another than before.
    private func newKeptLinks() -> [UInt8]? {
        let paused = pausedBefore.union(keeper.paused)
        let kept = KeptLinks(
            paused.union(rulebook.commanded.keys).sorted().map { address in
                KeptLinks.Record(
                    address: address,
                    isPaused: paused.contains(address),
                    link: rulebook.commanded[address]
                )
            }
        )
        guard kept != keptLinks else { return nil }
        keptLinks = kept
        return kept.encode()
    }
}
