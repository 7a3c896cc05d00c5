import EventLoop
import Glibc

/// One attempt and the link that came of it.
///
/// Confined to the client; a class because it is looked at with each message.
final class Link {
    enum Phase {
        /// On the worker.
        case connecting
        /// TLS, CONNECT sent or about to be, no CONNACK yet.
        case answering
        case up
        /// DISCONNECT is queued.
        case closing
    }

    let number: Int
    let handle: MosquittoHandle
    let ended: CheckedContinuation<LinkEnd, Never>
    var phase = Phase.connecting
    var deadline: EventLoop.TimerID?
    var closeDeadline: EventLoop.TimerID?
    var keepalive: EventLoop.TimerID?
    var hook: UInt64?
    var socket: Int32 = -1
    var isWritableWatched = false
    /// Messages wait because the window or the socket takes no more now.
    var isHeldUp = false
    /// Hang-ups in a row that reading made nothing of.
    var fruitlessHangups = 0
    var isOverdue = false
    var refusal: MQTTFailure?
    var upSince: ContinuousClock.Instant?
    var limits = MQTTServerLimits()
    var unansweredSubscriptions: [Int32: String] = [:]

    init(number: Int, handle: MosquittoHandle, ended: CheckedContinuation<LinkEnd, Never>) {
        self.number = number
        self.handle = handle
        self.ended = ended
    }

    var isUp: Bool { phase == .up }

    /// Makes the kernel hold what is written back, and send it in full segments when it is let go (`TCP_CORK`, tcp(7)).
    func gather(_ on: Bool) {
        guard socket >= 0 else { return }
        var value: Int32 = on ? 1 : 0
        // A socket that is just breaking refuses: then there is nothing to gather.
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// How an attempt or a link ended.
struct LinkEnd {
    /// Nil: closed in order.
    var failure: MQTTFailure?
    /// How long it had been up; nil when it never was.
    var held: Duration?
}
