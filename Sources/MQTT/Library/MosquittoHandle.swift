internal import CMosquitto
internal import Glibc
internal import Synchronization

/// One connection's libmosquitto client, from before its attempt until its end.
///
/// Each attempt gets a handle of its own: libmosquitto carries limits of an earlier broker over to the next
/// connection, and aborts the process when a message that it kept is over the new broker's maximum packet size.
final class MosquittoHandle: @unchecked Sendable {
    // Safe because: the worker has the handle alone while `connect()` runs, and the loop before and after that; only
    // `interrupt()` and `abandon()` may come in between.

    /// What one round of reading came to.
    enum ReadResult {
        /// `more`: OpenSSL still holds bytes, of which epoll knows nothing.
        case going(more: Bool)
        case ended(code: Int32, error: Int32)
    }

    let pointer: OpaquePointer
    let version: MQTTVersion
    private let callbacks: MosquittoCallbacks
    let configuration: MQTTConfiguration
    private let connectProperties: OpaquePointer?
    private let isAbandoned = Atomic(false)

    /// The packet identifier that libmosquitto gave last.
    private(set) var lastID: Int32 = 0

    /// - Throws: `MQTTFailure.configuration` for a value that libmosquitto does not take.
    init(_ configuration: MQTTConfiguration, version: MQTTVersion) throws(MQTTFailure) {
        _ = Self.libraryIsReady
        let isClean = version == .v5 ? configuration.sessionExpirySeconds == 0 : configuration.cleanSession311
        let callbacks = MosquittoCallbacks(maxPayloadBytes: configuration.maxPayloadBytes)
        // Safe because: `self` holds the object until `mosquitto_destroy` has returned.
        let context = Unmanaged.passUnretained(callbacks).toOpaque()
        errno = 0
        guard let pointer = mosquitto_new(configuration.clientID, isClean, context) else {
            let code = errno
            if code == ENOMEM {
                throw .library(operation: "mosquitto_new", code: code, text: String(cString: strerror(code)))
            }
            throw .configuration(field: "client id", problem: "is not valid")
        }
        var properties = MosquittoProperties()
        if version == .v5, configuration.sessionExpirySeconds > 0 {
            do throws(MQTTFailure) {
                try properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, int32: configuration.sessionExpirySeconds)
            } catch {
                mosquitto_destroy(pointer)
                throw error
            }
        }
        self.pointer = pointer
        self.version = version
        self.callbacks = callbacks
        self.configuration = configuration
        connectProperties = properties.release()
        callbacks.install(on: pointer)
        try configure()
    }

    deinit {
        mosquitto_destroy(pointer)
        var list = connectProperties
        mosquitto_property_free_all(&list)
    }

    /// Resolves, connects, starts TLS and queues CONNECT.
    ///
    /// Blocks: on the worker.
    ///
    /// - Returns: the failure, or nil when the loop may take over.
    func connect() -> MQTTFailure? {
        // libmosquitto resolves too, and goes on to send CONNECT. One that comes when the loop has long made another
        // link would take the session away from that: so the look-up that may take long is made before.
        if let failure = resolve() { return failure }
        guard !isAbandoned.load(ordering: .relaxed) else { return .noAnswer(after: configuration.answerDeadline) }
        errno = 0
        let code = mosquitto_connect_bind_v5(
            pointer,
            configuration.host,
            Int32(configuration.port),
            Int32(configuration.keepaliveSeconds),
            nil,
            connectProperties
        )
        // Some codes are texts of errno: it must be read before anything else runs.
        let error = errno
        if code == 0, isAbandoned.load(ordering: .relaxed) { disconnect() }
        return code == 0 ? nil : connectFailure(code: code, error: error)
    }

    private func resolve() -> MQTTFailure? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(configuration.host, nil, &hints, &list)
        guard code != 0 else {
            freeaddrinfo(list)
            return nil
        }
        let text = code == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(code))
        return .nameNotResolved(host: configuration.host, code: code, text: text)
    }

    /// Tells a `connect()` that nobody waits for it any more.
    ///
    /// On the loop.
    func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        interrupt()
    }

    /// Frees a worker that waits for TCP; one that waits for the resolver has no socket yet.
    ///
    /// On the loop.
    func interrupt() {
        let socket = mosquitto_socket(pointer)
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The connection's descriptor, or -1.
    var socket: Int32 { mosquitto_socket(pointer) }
    var wantsWrite: Bool { mosquitto_want_write(pointer) }
    var hasBufferedBytes: Bool { mosquitto_ssl_get(pointer).map { SSL_pending($0) > 0 } ?? false }
    var isEncrypted: Bool { mosquitto_ssl_get(pointer) != nil }
    /// The first error that libmosquitto or OpenSSL logged.
    var errorLines: [String] { callbacks.errorLines }

    /// What the callbacks collected.
    func takeEvents() -> [MosquittoEvent] { callbacks.takeEvents() }

    /// Takes the room of events back that have been acted on.
    func reuse(_ events: consuming [MosquittoEvent]) { callbacks.reuse(events) }

    /// Ends the log callback, for whose sake libmosquitto formats a line for each packet.
    func stopLogging() { mosquitto_log_callback_set(pointer, nil) }

    /// Reads until the socket and OpenSSL are empty, but not for ever.
    func read() -> ReadResult {
        for _ in 0..<32 {
            errno = 0
            let code = mosquitto_loop_read(pointer, 1)
            let error = errno
            if code != 0 { return .ended(code: code, error: error) }
            if mosquitto_socket(pointer) < 0 { return .ended(code: 0, error: 0) }
            if error == EAGAIN, !hasBufferedBytes { return .going(more: false) }
        }
        return .going(more: hasBufferedBytes)
    }

    /// Sends what is queued, as far as the socket takes it.
    func write() -> ReadResult {
        errno = 0
        let code = mosquitto_loop_write(pointer, 1)
        let error = errno
        if code != 0 || mosquitto_socket(pointer) < 0 { return .ended(code: code, error: error) }
        return .going(more: false)
    }

    /// Pings, or gives the link up, when the keepalive says so.
    func checkKeepalive() -> ReadResult {
        errno = 0
        let code = mosquitto_loop_misc(pointer)
        let error = errno
        if code != 0 || mosquitto_socket(pointer) < 0 { return .ended(code: code, error: error) }
        return .going(more: false)
    }

    /// Queues DISCONNECT and sends what the socket takes.
    ///
    /// The broker then drops the will, also when CONNACK has not come yet.
    func disconnect() { mosquitto_disconnect_v5(pointer, 0, nil) }

    /// The packet identifier that the next call will get.
    var nextID: Int32 { lastID >= 65535 ? 1 : lastID + 1 }

    /// Notes the identifier that a call got.
    func took(_ id: Int32) { lastID = id }

    /// The name and reason of libmosquitto's own codes.
    static func text(_ code: Int32) -> String { String(cString: mosquitto_strerror(code)) }
    /// The text of a CONNACK code: return codes of 3.1.1 are below 0x80, reason codes of 5 not.
    static func connackText(_ code: UInt8) -> String {
        code < 0x80 ? String(cString: mosquitto_connack_string(Int32(code))) : reason(code)
    }
    /// The text of a reason code of MQTT 5.
    static func reason(_ code: UInt8) -> String { String(cString: mosquitto_reason_string(Int32(code))) }

    /// Initialises the library once for the process; it is never cleaned up, as other clients may use it.
    private static let libraryIsReady: Bool = mosquitto_lib_init() == 0
}
