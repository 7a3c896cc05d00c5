package import DBus

/// One method call that the simulated daemon has received, or that the bus has where it is watched.
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

    @discardableResult
    mutating func append(_ call: IncomingCall) -> ReceivedCall {
        append(call.sender, call.path, call.interface, call.member, call.arguments)
    }

    @discardableResult
    mutating func append(
        _ sender: String,
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue]
    ) -> ReceivedCall {
        last += 1
        counts[member, default: 0] += 1
        // Taken off in portions: the log of a long run must not cost more with every call.
        if calls.count >= 2 * Self.limit { calls.removeFirst(Self.limit) }
        let call = ReceivedCall(
            number: last,
            time: .now,
            sender: sender,
            path: path,
            interface: interface,
            member: member,
            arguments: arguments
        )
        calls.append(call)
        return call
    }
}
