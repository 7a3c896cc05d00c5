internal import EventLoop

/// The device side of a small framed protocol, answered in packets of 20 bytes, 10 ms apart.
///
/// A frame, both ways: `7E`, command, length, payload, sum of all bytes before it modulo 256. An answer's command is
/// the request's plus 0x80. Commands: 01 the payload reversed; 02 a status of 72 bytes; 03 n: n bytes 0, 1, 2… (up to
/// 250); 04 no answer; 05 an answer with a wrong sum; 06 an answer that ends the link half way; others are answered
/// with command FF and the unknown command. A frame with a wrong sum is ignored; frames may come in pieces.
final class FrameResponder {
    private static let start: UInt8 = 0x7E
    private static let packetBytes = 20

    private let loop: EventLoop
    private let send: ([UInt8]) -> Void
    private let hangUp: () -> Void
    private var buffer: [UInt8] = []
    private var timers: Set<EventLoop.TimerID> = []

    init(loop: EventLoop, send: @escaping ([UInt8]) -> Void, hangUp: @escaping () -> Void) {
        self.loop = loop
        self.send = send
        self.hangUp = hangUp
    }

    /// The link has ended: what is half received or not yet sent is forgotten.
    func reset() {
        buffer = []
        for timer in timers { loop.cancel(timer) }
        timers = []
    }

    func receive(_ bytes: [UInt8]) {
        buffer += bytes
        while !buffer.isEmpty {
            guard buffer[0] == Self.start else {
                buffer.removeFirst(buffer.firstIndex(of: Self.start) ?? buffer.count)
                continue
            }
            guard buffer.count >= 3, buffer.count >= Int(buffer[2]) + 4 else { return }
            let frame = Array(buffer.prefix(Int(buffer[2]) + 4))
            buffer.removeFirst(frame.count)
            if Self.sum(frame.dropLast()) == frame.last {
                answer(frame[1], payload: Array(frame.dropFirst(3).dropLast()))
            }
        }
    }

    private func answer(_ command: UInt8, payload: [UInt8]) {
        switch command {
        case 1: transmit(command, payload.reversed())
        case 2: transmit(command, Array(0x40..<(0x40 + 72)))
        case 3: transmit(command, Array(0..<min(payload.first ?? 0, 250)))
        case 4: break
        case 5: transmit(command, [UInt8](repeating: 0, count: 30), wrongSum: true)
        case 6: transmit(command, [UInt8](repeating: 0, count: 30), hangsUp: true)
        default: transmit(0x7F, [command])
        }
    }

    private func transmit(_ command: UInt8, _ body: [UInt8], wrongSum: Bool = false, hangsUp: Bool = false) {
        var frame = [Self.start, command | 0x80, UInt8(clamping: body.count)] + body
        frame.append(Self.sum(frame) &+ (wrongSum ? 1 : 0))
        var packets: [[UInt8]] = []
        while !frame.isEmpty {
            packets.append(Array(frame.prefix(Self.packetBytes)))
            frame.removeFirst(min(Self.packetBytes, frame.count))
        }
        for (index, packet) in packets.enumerated() {
            schedule(after: .milliseconds(10 * index)) { [self] in
                if hangsUp, index > 0 { hangUp() } else { send(packet) }
            }
        }
    }

    private func schedule(after delay: Duration, _ work: @escaping () -> Void) {
        var timer: EventLoop.TimerID?
        timer = loop.schedule(after: delay) { [weak self] in
            if let timer { self?.timers.remove(timer) }
            work()
        }
        if let timer { timers.insert(timer) }
    }

    private static func sum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, &+) }
}
