internal import CDBus
internal import EventLoop
internal import Glibc

/// The libdbus connection itself: the one place that holds its pointer and its watches.
///
/// Reading and writing share one descriptor, so libdbus's watches are merged into one entry of the loop.
final class ConnectionHandle: @unchecked Sendable {
    // Safe because: after `open`, which runs on a worker before anybody else knows the handle, only the loop's thread
    // calls it.

    let uniqueName: String
    private let pointer: OpaquePointer
    private var watches: [OpaquePointer] = []
    private var descriptor: Int32 = -1
    private var interest: EventLoop.Readiness = []
    private var loop: EventLoop?

    private init(pointer: OpaquePointer, uniqueName: String) {
        self.pointer = pointer
        self.uniqueName = uniqueName
    }

    deinit {
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
    }

    /// Connects, authenticates and says hello.
    ///
    /// Blocks: call it on a worker.
    static func open(_ address: BusAddress) throws(DBusFailure) -> ConnectionHandle {
        dbus_threads_init_default()
        try NameRules.require(address.text, .string)
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let pointer = dbus_connection_open_private(address.text, &error) else { throw failure(error) }
        dbus_connection_set_exit_on_disconnect(pointer, 0)
        // A whole object tree is one message; the default of 64 MiB a message stays, what waits unread may be as much.
        dbus_connection_set_max_received_size(pointer, 64 << 20)
        guard dbus_bus_register(pointer, &error) != 0, let name = dbus_bus_get_unique_name(pointer) else {
            dbus_connection_close(pointer)
            dbus_connection_unref(pointer)
            throw failure(error)
        }
        return ConnectionHandle(pointer: pointer, uniqueName: String(cString: name))
    }

    private static func failure(_ error: DBusError) -> DBusFailure {
        .connect(
            name: error.name.map { String(cString: $0) } ?? "org.freedesktop.DBus.Error.Failed",
            message: error.message.map { String(cString: $0) } ?? "no reason given"
        )
    }

    /// Puts the connection into the loop.
    func attach(to loop: EventLoop) {
        self.loop = loop
        // Safe because: `detach` takes the functions back before the handle can go.
        let context = Unmanaged.passUnretained(self).toOpaque()
        dbus_connection_set_watch_functions(
            pointer,
            { watch, context in
                guard let watch, let context else { return 0 }
                ConnectionHandle.from(context).add(watch)
                return 1
            },
            { watch, context in
                guard let watch, let context else { return }
                ConnectionHandle.from(context).remove(watch)
            },
            { _, context in
                guard let context else { return }
                ConnectionHandle.from(context).rearm()
            },
            context,
            nil
        )
    }

    /// Takes the connection out of the loop and closes it.
    func detach() {
        dbus_connection_set_watch_functions(pointer, nil, nil, nil, nil, nil)
        if descriptor >= 0 { loop?.unwatch(descriptor) }
        descriptor = -1
        watches = []
        loop = nil
        dbus_connection_close(pointer)
    }

    /// Sends a message and returns its serial.
    func send(_ message: DBusMessage) throws(DBusFailure) -> UInt32 {
        var serial: UInt32 = 0
        guard dbus_connection_get_is_connected(pointer) != 0 else { throw .disconnected }
        guard dbus_connection_send(pointer, message.pointer, &serial) != 0 else {
            throw .outOfMemory(operation: "sending")
        }
        return serial
    }

    /// The next message that has arrived.
    func popMessage() -> DBusMessage? {
        dbus_connection_pop_message(pointer).map(DBusMessage.init(owning:))
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> ConnectionHandle {
        // Safe because: the context is the handle that set the functions, and `detach` unsets them.
        Unmanaged<ConnectionHandle>.fromOpaque(context).takeUnretainedValue()
    }

    private func add(_ watch: OpaquePointer) {
        watches.append(watch)
        rearm()
    }

    private func remove(_ watch: OpaquePointer) {
        watches.removeAll { $0 == watch }
        rearm()
    }

    private func rearm() {
        var wanted: EventLoop.Readiness = []
        for watch in watches where dbus_watch_get_enabled(watch) != 0 { wanted.formUnion(Self.readiness(watch)) }
        guard let loop else { return }
        if watches.isEmpty {
            if descriptor >= 0 { loop.unwatch(descriptor) }
            descriptor = -1
            interest = []
            return
        }
        if descriptor < 0 {
            descriptor = dbus_watch_get_unix_fd(watches[0])
            interest = wanted
            do {
                try loop.watch(descriptor, for: wanted) { [unowned self] in ready($0) }
            } catch {
                descriptor = -1
            }
        } else if wanted != interest {
            interest = wanted
            loop.update(descriptor, interest: wanted)
        }
    }

    private func ready(_ readiness: EventLoop.Readiness) {
        // libdbus changes the list while it handles a watch.
        for watch in watches where watches.contains(watch) && dbus_watch_get_enabled(watch) != 0 {
            var flags: UInt32 = 0
            if readiness.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
            if readiness.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
            if !readiness.isDisjoint(with: .hangup) { flags |= DBUS_WATCH_HANGUP.rawValue }
            let relevant = flags & (dbus_watch_get_flags(watch) | DBUS_WATCH_HANGUP.rawValue)
            if relevant != 0 { dbus_watch_handle(watch, relevant) }
        }
    }

    private static func readiness(_ watch: OpaquePointer) -> EventLoop.Readiness {
        let flags = dbus_watch_get_flags(watch)
        var readiness: EventLoop.Readiness = []
        if flags & DBUS_WATCH_READABLE.rawValue != 0 { readiness.insert(.readable) }
        if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { readiness.insert(.writable) }
        return readiness
    }
}
