internal import CMosquitto
internal import Glibc
internal import EventLoop

/// What libmosquitto reported, copied out of its memory.
enum MosquittoEvent {
    case connack(code: UInt8, sessionPresent: Bool, limits: MQTTServerLimits)
    case message(MQTTMessage)
    /// A message whose topic was not UTF-8.
    case invalidTopic
    /// PUBACK for QoS 1; for QoS 0 the kernel has taken it.
    case settled(id: Int32, code: UInt8)
    case suback(id: Int32, code: UInt8)
    /// The broker's reason code from 0x80, else libmosquitto's own code.
    case disconnected(code: Int32)
}

/// The receiving end of libmosquitto's callbacks: each copies what it gets and nothing more.
///
/// libmosquitto deadlocks when a callback publishes, sets callbacks, or waits. Each clears errno at its end, because
/// `mosquitto_loop_read` takes a stale EAGAIN for an empty socket.
final class MosquittoCallbacks: @unchecked Sendable {
    // Safe because: one thread at a time is inside libmosquitto with a handle, and `events` is touched only there and
    // by the same thread afterwards; the log, which the worker and the loop both write, has a lock.

    private let maxPayloadBytes: Int
    private let log = Locked<[String]>([])
    private var events: [MosquittoEvent] = []
    /// Room that `events` has had: what comes in one turn is about as much as in the one before.
    private var spare: [MosquittoEvent] = []

    init(maxPayloadBytes: Int) { self.maxPayloadBytes = maxPayloadBytes }

    /// Takes what has been reported since the last call.
    func takeEvents() -> [MosquittoEvent] {
        guard !events.isEmpty else { return [] }
        let taken = events
        events = spare
        spare = []
        return taken
    }

    /// Takes the room of events back that have been acted on.
    func reuse(_ taken: consuming [MosquittoEvent]) {
        taken.removeAll(keepingCapacity: taken.capacity <= 256)
        if taken.capacity > spare.capacity { spare = taken }
    }

    /// The error lines of libmosquitto and OpenSSL.
    var errorLines: [String] { log.withLock { $0 } }

    /// Registers the callbacks.
    ///
    /// The object must outlive the handle.
    func install(on handle: OpaquePointer) {
        mosquitto_connect_v5_callback_set(handle) { _, context, code, flags, properties in
            MosquittoCallbacks.with(context) { $0.connected(code, flags, properties) }
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            MosquittoCallbacks.with(context) { $0.events.append(.disconnected(code: code)) }
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, id, code, _ in
            MosquittoCallbacks.with(context) { $0.events.append(.settled(id: id, code: UInt8(clamping: code))) }
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, id, count, codes, _ in
            MosquittoCallbacks.with(context) {
                // One filter a packet; a broker that answers with none has refused it.
                let code = count > 0 ? codes.map { UInt8(clamping: $0.pointee) } ?? 0x80 : 0x80
                $0.events.append(.suback(id: id, code: code))
            }
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            MosquittoCallbacks.with(context) { $0.received(message, properties) }
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            // The caller may still want to read errno after it has logged.
            let error = errno
            if UInt32(bitPattern: level) & UInt32(MOSQ_LOG_ERR) != 0, let text {
                MosquittoCallbacks.with(context) { $0.logged(String(cString: text)) }
            }
            errno = error
        }
    }

    private func connected(_ code: Int32, _ flags: Int32, _ list: OpaquePointer?) {
        let properties = MosquittoPropertyReader(list: list)
        var limits = MQTTServerLimits()
        limits.maximumPacketBytes = properties.int32(MQTT_PROP_MAXIMUM_PACKET_SIZE).map(Int.init)
        limits.receiveMaximum = properties.int16(MQTT_PROP_RECEIVE_MAXIMUM).map(Int.init) ?? 65535
        limits.retainAvailable = properties.byte(MQTT_PROP_RETAIN_AVAILABLE) != 0
        if properties.byte(MQTT_PROP_MAXIMUM_QOS) == 0 { limits.maximumQoS = .atMostOnce }
        limits.keepaliveSeconds = properties.int16(MQTT_PROP_SERVER_KEEP_ALIVE).map(Int.init)
        limits.assignedClientID = properties.string(MQTT_PROP_ASSIGNED_CLIENT_IDENTIFIER)
        events.append(.connack(code: UInt8(clamping: code), sessionPresent: flags & 1 != 0, limits: limits))
    }

    private func received(_ pointer: UnsafePointer<mosquitto_message>?, _ list: OpaquePointer?) {
        guard let source = pointer?.pointee, let name = source.topic else { return }
        guard let topic = String(validatingCString: name) else {
            events.append(.invalidTopic)
            return
        }
        let count = max(Int(source.payloadlen), 0)
        var message = MQTTMessage(topic: topic, payload: [], payloadBytes: count)
        if count <= maxPayloadBytes, let payload = source.payload {
            message.payload = [UInt8](UnsafeRawBufferPointer(start: payload, count: count))
        }
        message.qos = source.qos == 0 ? .atMostOnce : .atLeastOnce
        message.retain = source.retain
        if list != nil {
            let properties = MosquittoPropertyReader(list: list)
            message.responseTopic = properties.string(MQTT_PROP_RESPONSE_TOPIC)
            message.correlationData = properties.binary(MQTT_PROP_CORRELATION_DATA)
            message.contentType = properties.string(MQTT_PROP_CONTENT_TYPE)
            message.expirySeconds = properties.int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL)
            message.userProperties = properties.userProperties()
        }
        events.append(.message(message))
    }

    private func logged(_ line: String) {
        log.withLock { lines in
            if lines.count < 16 { lines.append(line) }
        }
    }

    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (MosquittoCallbacks) -> Void) {
        guard let context else { return }
        // Safe because: the context is the object that `MosquittoHandle` holds as long as its handle.
        body(Unmanaged<MosquittoCallbacks>.fromOpaque(context).takeUnretainedValue())
        errno = 0
    }
}
