/// What every JSON message of the agent carries: who sent it, since which start, which in order, and when.
package struct MessageStamp: Sendable, Equatable {
    package var gateway: GatewayID
    /// Random, new at each start of the agent.
    package var boot: String
    package var seq: Int64
    /// Milliseconds since 1970-01-01 UTC.
    package var timeMs: Int64

    package init(gateway: GatewayID, boot: String, seq: Int64, timeMs: Int64) {
        self.gateway = gateway
        self.boot = boot
        self.seq = seq
        self.timeMs = timeMs
    }

    /// Writes the four members at the end of an object.
    func write(to writer: inout JSONWriter) {
        writer.field("gw", gateway.text)
        writer.field("boot", boot)
        writer.field("seq", seq)
        writer.field("ts", time: timeMs)
    }
}

/// The classes of messages that are counted, each by itself.
package enum MessageClass: String, CaseIterable, Sendable {
    case result, job, event, notify, scan, other
}

/// Counts the messages of each class since the start, so that a consumer sees a gap.
package struct SequenceCounters: Sendable, Equatable {
    private var counts: [Int64]

    package init() { counts = Array(repeating: 0, count: MessageClass.allCases.count) }

    /// The number of the next message of a class: 1 for the first.
    package mutating func next(_ messageClass: MessageClass) -> Int64 {
        let place =
            switch messageClass {
            case .result: 0
            case .job: 1
            case .event: 2
            case .notify: 3
            case .scan: 4
            case .other: 5
            }
        counts[place] &+= 1
        return counts[place]
    }
}
