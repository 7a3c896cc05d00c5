import EventLoop
import Glibc

extension MQTTClient {
    /// The socket is ready.
    func socketReady(_ readiness: EventLoop.Readiness) {
        guard let link else { return }
        if readiness.contains(.writable), link.isWritableWatched {
            afterWriting(link.handle.write())
            guard self.link?.number == link.number else { return }
        }
        let progressed = afterReading(link.handle.read())
        guard self.link?.number == link.number else { return }
        let isHangup = !readiness.isDisjoint(with: .hangup)
        let hangups = isHangup && !progressed ? link.fruitlessHangups + 1 : 0
        self.link?.fruitlessHangups = hangups
        // libmosquitto takes a connection that breaks within the TLS handshake for one that is still to be read.
        if hangups >= 3 { endLink(hangupFailure(link)) }
    }

    /// Runs in each turn of the loop: reads what OpenSSL holds, hands messages over, writes.
    ///
    /// - Returns: whether another turn is wanted at once.
    func turn() -> Bool {
        guard let number = link?.number else { return false }
        var more = false
        if let link, link.handle.hasBufferedBytes {
            afterReading(link.handle.read())
            more = self.link?.handle.hasBufferedBytes == true
        }
        if link?.isUp == true {
            if !queue.isEmpty { more = handOver() || more }
            if isClosing, link?.isUp == true, queue.isEmpty, inFlight.isEmpty { sayGoodbye() }
        }
        // A socket that took no more is written to when it is writable again, not in each turn.
        if let link, !link.isWritableWatched, link.handle.wantsWrite { afterWriting(link.handle.write()) }
        return more && link?.number == number
    }

    /// Sends what waits at once, not at the end of the turn: for one message that somebody waits for.
    ///
    /// Several are better sent together; within a completion or a handler of this client nothing is sent.
    package func flush() {
        guard !isOccupied, link?.isUp == true, !queue.isEmpty else { return }
        if handOver() { loop.wantTurn() }
    }

    /// Takes up what reading brought.
    ///
    /// - Returns: whether it brought anything.
    @discardableResult
    func afterReading(_ result: MosquittoHandle.ReadResult) -> Bool {
        let progressed = takeEvents()
        if case .ended(let code, let error) = result { linkBroke("mosquitto_loop_read", code, error) }
        return progressed
    }

    /// Takes up what looking after the keepalive brought.
    func afterKeepalive(_ result: MosquittoHandle.ReadResult) {
        takeEvents()
        if case .ended(let code, let error) = result { linkBroke("mosquitto_loop_misc", code, error) }
    }

    private func afterWriting(_ result: MosquittoHandle.ReadResult) {
        takeEvents()
        if case .ended(let code, let error) = result { linkBroke("mosquitto_loop_write", code, error) }
        guard let link, link.socket >= 0 else { return }
        let wantsWrite = link.handle.wantsWrite
        guard wantsWrite != link.isWritableWatched else { return }
        self.link?.isWritableWatched = wantsWrite
        loop.update(link.socket, interest: wantsWrite ? [.readable, .writable] : .readable)
    }

    private func linkBroke(_ operation: String, _ code: Int32, _ error: Int32) {
        guard let link else { return }
        if link.phase == .closing {
            endLink(nil)
        } else if let refusal = link.refusal {
            endLink(refusal)
        } else {
            let answered = link.upSince != nil
            endLink(link.handle.linkFailure(operation, code: code, error: error, answered: answered))
        }
    }

    private func hangupFailure(_ link: Link) -> MQTTFailure {
        if link.upSince == nil, link.handle.isEncrypted { return .tls("the broker broke the handshake off") }
        return link.handle.linkFailure("epoll_wait", code: 7, error: 0, answered: link.upSince != nil)
    }

    /// Hands over what the window and the socket take, but not for ever.
    ///
    /// - Returns: whether there is more that could go at once.
    private func handOver() -> Bool {
        guard let link else { return false }
        let wasOccupied = isOccupied
        isOccupied = true
        defer { isOccupied = wasOccupied }
        link.isHeldUp = false
        let maximum = max(1, min(configuration.outgoing.unacknowledged, link.limits.receiveMaximum))
        var budget = 64
        // Several messages leave in one segment: each by itself would cost the kernel and the broker a wake-up.
        let isGathered = queue.count > 1
        if isGathered { link.gather(true) }
        defer { if isGathered, self.link?.number == link.number { link.gather(false) } }
        while let next = queue.first() {
            guard budget > 0 else { return true }
            budget -= 1
            let qos = min(next.publication.qos, link.limits.maximumQoS)
            if qos > .atMostOnce {
                // A message that is under suspicion goes alone, so that no other is blamed for it.
                let window = next.brokenLinks >= 3 ? 1 : maximum
                guard inFlight.unacknowledged < window else {
                    link.isHeldUp = true
                    return false
                }
            } else {
                guard !link.handle.wantsWrite else {
                    link.isHeldUp = true
                    return false
                }
            }
            guard !inFlight.contains(link.handle.nextID) else {
                endLink(.lost(operation: "mosquitto_publish", code: 0, text: "a message was never acknowledged"))
                return false
            }
            guard let entry = queue.popFirst() else { return false }
            handOver(entry, qos: qos, link: link)
            guard self.link?.number == link.number else { return false }
        }
        return false
    }

    private func handOver(_ entry: OutgoingQueue.Entry, qos: MQTTQoS, link: Link) {
        let left = entry.deadline.map { $0 - .now }
        if let left, left <= .zero {
            drop(entry, .expired)
            return
        }
        if let maximum = link.limits.maximumPacketBytes, entry.bytes > maximum {
            drop(entry, .tooLarge)
            return
        }
        do throws(MQTTFailure) {
            // Rounded up: 0 would mean "not a moment longer" to the broker.
            let expiry = left.map { UInt32(clamping: $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0)) }
            let id = try link.handle.publish(entry.publication, qos: qos, expirySeconds: expiry)
            if !entry.handedOver {
                totals.published += 1
                totals.publishedBytes += entry.publication.payload.count
            }
            inFlight.insert(id, entry, qos: qos)
        } catch {
            if case .library(_, let code, let text) = error {
                drop(entry, .library(code: code, text: text))
            } else {
                drop(entry, .library(code: 0, text: error.description))
            }
        }
        takeEvents()
    }
}
