import EventLoop
import Glibc

extension MQTTClient {
    /// Connects, and returns when there is no link any more.
    ///
    /// - Throws: `MQTTFailure.configuration`, on the first attempt only: later a file may be missing for a moment.
    func attempt() async throws(MQTTFailure) -> LinkEnd {
        guard abandonedAttempts < 3 else {
            return LinkEnd(failure: .noAnswer(after: configuration.answerDeadline))
        }
        let handle: MosquittoHandle
        do throws(MQTTFailure) {
            handle = try MosquittoHandle(configuration, version: versions.version)
        } catch {
            if case .configuration = error, lastLinkNumber == 0 { throw error }
            return LinkEnd(failure: error)
        }
        return await withCheckedContinuation { ended in
            if isClosing { ended.resume(returning: LinkEnd()) } else { begin(handle, ended: ended) }
        }
    }

    private func begin(_ handle: MosquittoHandle, ended: CheckedContinuation<LinkEnd, Never>) {
        lastLinkNumber += 1
        let number = lastLinkNumber
        let link = Link(number: number, handle: handle, ended: ended)
        link.deadline = loop.schedule(after: configuration.answerDeadline) { [self] in deadlinePassed(number) }
        self.link = link
        let hook = configuration.connectHook
        worker.start { [loop] in
            hook?()
            let failure = handle.connect()
            loop.execute { self.assumeIsolated { $0.connectReturned(number, failure) } }
        }
    }

    private func connectReturned(_ number: Int, _ failure: MQTTFailure?) {
        guard let link, link.number == number else {
            abandonedAttempts -= 1
            return
        }
        if link.isOverdue {
            // It came to CONNECT in the last moment.
            if failure == nil { link.handle.disconnect() }
            endLink(.noAnswer(after: configuration.answerDeadline))
        } else if let failure {
            endLink(failure)
        } else {
            takeOver(link.handle)
        }
    }

    private func takeOver(_ handle: MosquittoHandle) {
        let socket = handle.socket
        // libmosquitto leaves the descriptor open across exec: a child would keep the connection alive.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        do throws(SystemFailure) {
            try loop.watch(socket, for: .readable) { [self] readiness in socketReady(readiness) }
        } catch {
            endLink(.library(operation: error.call, code: error.code, text: error.description))
            return
        }
        link?.socket = socket
        link?.phase = .answering
        link?.hook = loop.addHook { [self] in turn() }
    }

    private func deadlinePassed(_ number: Int) {
        guard let link, link.number == number else { return }
        guard link.phase == .connecting else {
            endLink(.noAnswer(after: configuration.answerDeadline))
            return
        }
        self.link?.isOverdue = true
        link.handle.interrupt()
        self.link?.deadline = loop.schedule(after: .seconds(1)) { [self] in
            guard let link = self.link, link.number == number else { return }
            abandon(.noAnswer(after: configuration.answerDeadline))
        }
    }

    /// Ends an attempt whose thread has not come back: the thread keeps the handle and frees it in the end.
    func abandon(_ failure: MQTTFailure?) {
        abandonedAttempts += 1
        link?.handle.abandon()
        endLink(failure)
    }

    /// Ends the link for `close`: what is queued goes first, as long as there is a link for it.
    func closeLink(timeout: Duration) {
        guard let link else { return }
        switch link.phase {
        case .connecting:
            abandon(nil)
        case .answering, .up:
            // Without a goodbye after CONNECT the broker would publish the will: CONNACK is waited for too.
            let number = link.number
            self.link?.closeDeadline = loop.schedule(after: timeout) { [self] in
                guard let link = self.link, link.number == number else { return }
                if link.isUp { sayGoodbye() } else if link.phase == .answering { endLink(nil) }
            }
        case .closing:
            break
        }
    }

    /// Sends DISCONNECT; the link ends when it is out, or after a second.
    func sayGoodbye() {
        guard let link else { return }
        // Bytes left unread would turn the close into a reset, which may overtake DISCONNECT.
        afterReading(link.handle.read())
        guard let link = self.link, link.phase == .up else { return }
        self.link?.phase = .closing
        let number = link.number
        link.handle.disconnect()
        guard link.handle.socket >= 0 else {
            endLink(nil)
            return
        }
        if let timer = link.closeDeadline { loop.cancel(timer) }
        self.link?.closeDeadline = loop.schedule(after: .seconds(1)) { [self] in
            if self.link?.number == number { endLink(nil) }
        }
    }

    /// Lets go of the link: its unconfirmed messages go back to the front of the queue.
    func endLink(_ failure: MQTTFailure?) {
        guard let link else { return }
        self.link = nil
        // The broker may have taken CONNECT: without a goodbye it would publish the will.
        if link.phase == .answering, link.handle.socket >= 0 { link.handle.disconnect() }
        if link.socket >= 0 { loop.unwatch(link.socket) }
        if let hook = link.hook { loop.removeHook(hook) }
        for timer in [link.deadline, link.closeDeadline, link.keepalive] {
            if let timer { loop.cancel(timer) }
        }
        giveBack(inFlight.removeAll(), isBroken: failure != nil)
        for dropped in queue.dropExpendable() { drop(dropped.entry, dropped.reason) }
        link.ended.resume(returning: LinkEnd(failure: failure, held: link.upSince.map { .now - $0 }))
    }

    private func giveBack(_ unconfirmed: [OutgoingQueue.Entry], isBroken: Bool) {
        var kept: [OutgoingQueue.Entry] = []
        for entry in unconfirmed {
            guard entry.publication.delivery != .expendable else {
                drop(entry, .linkLost)
                continue
            }
            // The oldest is the one that the broker may have choked on; the others were only behind it.
            if isBroken, kept.isEmpty { entry.brokenLinks += 1 }
            if entry.brokenLinks >= 10 { drop(entry, .breaksLinks) } else { kept.append(entry) }
        }
        queue.giveBack(kept)
    }
}
