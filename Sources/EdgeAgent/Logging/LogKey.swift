/// The name of one value in a log line; constants only, so that a search finds every line that has it.
package struct LogKey: Sendable, Hashable {
    /// The text before the `=`.
    package let name: String

    /// Makes a key; `name` is a word of ASCII letters.
    package init(_ name: StaticString) {
        self.name = name.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    }
}

extension LogKey {
    package static let adapter = LogKey("adapter")
    package static let address = LogKey("address")
    package static let all = LogKey("all")
    package static let applied = LogKey("applied")
    package static let attempt = LogKey("attempt")
    package static let boot = LogKey("boot")
    package static let broker = LogKey("broker")
    package static let bus = LogKey("bus")
    package static let bytes = LogKey("bytes")
    package static let caller = LogKey("caller")
    package static let characteristic = LogKey("characteristic")
    package static let client = LogKey("client")
    package static let code = LogKey("code")
    package static let count = LogKey("count")
    package static let dbusError = LogKey("dbusError")
    package static let descriptor = LogKey("descriptor")
    package static let device = LogKey("device")
    package static let detail = LogKey("detail")
    package static let dropped = LogKey("dropped")
    package static let durationMs = LogKey("durationMs")
    package static let error = LogKey("error")
    package static let events = LogKey("events")
    package static let exitCode = LogKey("exitCode")
    package static let file = LogKey("file")
    package static let gateway = LogKey("gateway")
    package static let group = LogKey("group")
    package static let handle = LogKey("handle")
    package static let hash = LogKey("hash")
    package static let id = LogKey("id")
    package static let key = LogKey("key")
    package static let level = LogKey("level")
    package static let limit = LogKey("limit")
    package static let line = LogKey("line")
    package static let notifications = LogKey("notifications")
    package static let notify = LogKey("notify")
    package static let path = LogKey("path")
    package static let payload = LogKey("payload")
    package static let queue = LogKey("queue")
    package static let policy = LogKey("policy")
    package static let reason = LogKey("reason")
    package static let service = LogKey("service")
    package static let session = LogKey("session")
    package static let signal = LogKey("signal")
    package static let stage = LogKey("stage")
    package static let state = LogKey("state")
    package static let status = LogKey("status")
    package static let step = LogKey("step")
    package static let suppressed = LogKey("suppressed")
    package static let topic = LogKey("topic")
    package static let unverified = LogKey("unverified")
    package static let user = LogKey("user")
    package static let value = LogKey("value")
    package static let verb = LogKey("verb")
    package static let version = LogKey("version")
    package static let waitMs = LogKey("waitMs")
}
