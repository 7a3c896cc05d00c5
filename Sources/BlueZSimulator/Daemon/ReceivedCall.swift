package import DBus

/// One method call that the simulated daemon has received.
package struct ReceivedCall: Equatable, Sendable {
    /// Counts from 1 through all calls.
    package let number: UInt64
    package let time: ContinuousClock.Instant
    /// The caller's unique name.
    package let sender: String
    package let path: ObjectPath
    package let interface: String
    package let member: String
    package let arguments: [DBusValue]
}

/// The last calls and how many there were of each member.
struct CallLog {
    private static let limit = 10_000

    private(set) var calls: [ReceivedCall] = []
    private(set) var counts: [String: Int] = [:]
    private var last: UInt64 = 0

    mutating func append(_ call: IncomingCall) {
        last += 1
        counts[call.member, default: 0] += 1
        // Taken off in portions: the log of a long run must not cost more with every call.
        if calls.count >= 2 * Self.limit { calls.removeFirst(Self.limit) }
        calls.append(
            ReceivedCall(
                number: last,
                time: .now,
                sender: call.sender,
                path: call.path,
                interface: call.interface,
                member: call.member,
                arguments: call.arguments
            )
        )
    }
}
