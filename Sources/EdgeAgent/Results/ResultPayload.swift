package import BleCore
package import Frames

/// The `result` of a command that succeeded, by verb.
package indirect enum ResultPayload: Sendable, Equatable {
    /// `ping`: the agent's version, and how long it runs.
    case pong(version: String, uptimeMs: Int64)
    case info(InfoContent)
    case devices([KnownDevice], isTruncated: Bool)
    case scan([HeardDevice], isTruncated: Bool)
    /// `scan.start` and `scan.stop`.
    case session(SessionName, already: Bool)
    /// `disconnect`, `subscribe`, `unsubscribe`, `unpair`, `trust`, `forget`, `adapter.power`: whether it was so before.
    case already(Bool)
    case connected(ConnectResult)
    case services(ServiceTree)
    case value([UInt8])
    case written(bytes: Int, packets: Int)
    case rssi(Int, ageMs: Int64)
    /// `pair` of a device: whether it was paired before, and whether the keys are kept.
    case paired(already: Bool, bonded: Bool)
    /// `pair` on the gateway's topic: whether it was so before, and when the window closes, in milliseconds since
    /// 1970-01-01 UTC; nil: it is closed.
    case pairingWindow(already: Bool, endsMs: Int64?)
    /// `pair.answer`, `restart`: there is nothing to say.
    case nothing
    /// `transact`: the answer.
    case transact(TransactAnswer)
    /// `transact` with a long connection: where the packets go.
    case longConnection(LongConnection)
    /// `sequence`: what became of each step, in order.
    case steps([PartResult])
    /// A command to a group: what became of it at each member.
    case members([PartResult])
    case jobs([JobSummary], isTruncated: Bool)
    case job(JobSummary, steps: [JobStep])
    /// `cancel`: how many jobs it was for.
    case cancelled(Int)
    /// `log.level`: the level before, and when the new one ends, in milliseconds since 1970-01-01 UTC; nil: not by itself.
    case logLevel(LogLevel, former: LogLevel, endsMs: Int64?)
    /// `config.get`.
    case configuration(ConfigurationContent)

    /// `diag`: what each check has found.
    case checks([CheckResult])

    /// What a `connect` found.
    package struct ConnectResult: Sendable, Equatable {
        /// The link's MTU, where BlueZ tells it.
        package var mtu: Int?
        package var already: Bool
        package var address: DeviceAddress
        /// The device's name, when a filter had to find it.
        package var name: DeviceName?

        package init(mtu: Int?, already: Bool, address: DeviceAddress, name: DeviceName? = nil) {
            self.mtu = mtu
            self.already = already
            self.address = address
            self.name = name
        }
    }

    /// A subscription that goes on after its command.
    package struct LongConnection: Sendable, Equatable {
        package var service: BluetoothUUID
        package var characteristic: BluetoothUUID
        /// The handle of the characteristic's declaration.
        package var handle: UInt16
        /// Where the packets are published.
        package var topic: String
        /// After this time it ends by itself, unless it is renewed.
        package var lease: Duration?
        /// Whether this caller held it before.
        package var already: Bool

        package init(
            service: BluetoothUUID,
            characteristic: BluetoothUUID,
            handle: UInt16,
            topic: String,
            lease: Duration?,
            already: Bool
        ) {
            self.service = service
            self.characteristic = characteristic
            self.handle = handle
            self.topic = topic
            self.lease = lease
            self.already = already
        }

        func write(to writer: inout JSONWriter) {
            writer.object("subscription") { writer in
                writer.field("service", service.description)
                writer.field("characteristic", characteristic.description)
                writer.field("handle", Int(handle))
                writer.field("topic", topic)
                writer.field(orNull: "leaseMs", lease.map { Int($0.wholeMilliseconds) })
                writer.field("already", already)
            }
        }
    }

    /// Writes the payload as one object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .pong(let version, let uptimeMs):
            writer.field("version", version)
            writer.field("uptimeMs", uptimeMs)
        case .info(let content): content.write(to: &writer)
        case .devices(let devices, let isTruncated):
            writer.field("devices", array: devices) { $1.write(to: &$0) }
            writer.field("truncated", isTruncated)
        case .scan(let devices, let isTruncated):
            writer.field("devices", array: devices) { $1.write(to: &$0) }
            writer.field("truncated", isTruncated)
        case .session(let session, let already):
            writer.field("session", session.text)
            writer.field("already", already)
        case .already(let already): writer.field("already", already)
        case .connected(let result):
            if let name = result.name { writer.field("dev", name.description) }
            writer.field("address", result.address.hex)
            writer.field(orNull: "mtu", result.mtu)
            writer.field("already", result.already)
        case .services(let tree): tree.write(to: &writer)
        case .value(let bytes): writer.field("value", binary: bytes)
        case .written(let bytes, let packets):
            writer.field("bytes", bytes)
            writer.field("packets", packets)
        case .rssi(let rssi, let ageMs):
            writer.field("rssi", rssi)
            writer.field("ageMs", ageMs)
            writer.field("source", "advertisement" as StaticString)
        case .paired(let already, let bonded):
            writer.field("already", already)
            writer.field("bonded", bonded)
        case .pairingWindow(let already, let endsMs):
            writer.field("already", already)
            writer.key("windowEnds")
            if let endsMs { writer.time(endsMs) } else { writer.null() }
        case .nothing: break
        case .transact(let answer): answer.write(to: &writer)
        case .longConnection(let connection): connection.write(to: &writer)
        case .steps(let parts): writer.field("steps", array: parts) { $1.write(to: &$0) }
        case .members(let parts): writer.field("members", array: parts) { $1.write(to: &$0) }
        case .jobs(let jobs, let isTruncated):
            writer.field("jobs", array: jobs) { $1.write(to: &$0) }
            writer.field("truncated", isTruncated)
        case .job(let job, let steps):
            writer.key("job")
            job.write(to: &writer)
            writer.field("steps", array: steps) { $1.write(to: &$0) }
        case .checks(let results): CheckResult.write(results, to: &writer)
        case .cancelled(let count): writer.field("count", count)
        case .logLevel(let level, let former, let endsMs):
            writer.field("level", level.name)
            writer.field("former", former.name)
            writer.key("ends")
            if let endsMs { writer.time(endsMs) } else { writer.null() }
        case .configuration(let content): content.write(to: &writer)
        }
        writer.endObject()
    }

    /// About how many bytes the payload will have.
    var estimatedBytes: Int {
        switch self {
        case .devices(let devices, _): devices.count * KnownDevice.estimatedBytes
        case .scan(let devices, _): devices.count * 400
        case .services(let tree): 512 + tree.services.count * 512
        case .value(let bytes): bytes.count * 2
        case .info: 1024
        case .configuration(let content): content.estimatedBytes
        case .transact(let answer): answer.estimatedBytes
        case .longConnection: 256
        case .steps(let parts), .members(let parts):
            parts.reduce(64) { $0 + 192 + ($1.payload?.estimatedBytes ?? 0) }
        case .checks(let results): results.count * CheckResult.estimatedBytes
        case .jobs(let jobs, _): jobs.count * JobSummary.estimatedBytes
        case .job(_, let steps): 512 + steps.count * 96
        default: 64
        }
    }
}
