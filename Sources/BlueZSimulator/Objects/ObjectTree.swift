internal import DBus
internal import EventLoop

/// All objects of the simulated daemon, and the signals about them.
///
/// Changes are collected and announced together at the end of the loop's turn, or before the next reply, whichever
/// comes first: the way of bluetoothd's gdbus, on which clients have come to rely.
final class ObjectTree {
    private let loop: EventLoop
    private let output: (DBusMessage) -> Void
    private let root: SimulatedObject
    private var objects: [ObjectPath: SimulatedObject] = [:]
    /// Objects with something to announce, in the order of a flush: by their first change.
    private var pending: [SimulatedObject] = []
    /// The same in the order of the turn's end: by their last change, which the number tells.
    private var idle: [(object: SimulatedObject, change: UInt64)] = []
    private var lastChange: UInt64 = 0
    private var timer: EventLoop.TimerID?
    /// A deadline before every other timer's, so that nothing due comes between a change and its announcement.
    private let overdue = ContinuousClock.now

    init(loop: EventLoop, output: @escaping (DBusMessage) -> Void) {
        self.loop = loop
        self.output = output
        root = SimulatedObject(.root, [ListedInterface(GenericInterfaces.introspectable)])
        root.append(ListedInterface(GenericInterfaces.objectManager))
        root.added = []
        objects[.root] = root
    }

    /// The paths of all objects but the root.
    var paths: [ObjectPath] { objects.keys.filter { $0 != .root }.sorted() }

    func object(at path: ObjectPath) -> SimulatedObject? { objects[path] }

    /// Exports an object; every one is introspectable, and has `Properties` if any interface has properties.
    func add(_ path: ObjectPath, _ interfaces: [any SimulatedInterface]) {
        guard objects[path] == nil else { return }
        var all: [any SimulatedInterface] = [ListedInterface(GenericInterfaces.introspectable)]
        for interface in interfaces {
            all.append(interface)
            let hasProperties = all.contains { $0.description.name == BusNames.properties }
            if !interface.description.properties.isEmpty, !hasProperties {
                all.append(ListedInterface(GenericInterfaces.properties))
            }
        }
        let object = SimulatedObject(path, all)
        let parent = nearestAncestor(of: path)
        object.parent = parent
        parent.children.insert(object, at: 0)
        objects[path] = object
        enqueue(object)
    }

    /// Takes an object back, and all below it first.
    func remove(_ path: ObjectPath) {
        guard path != .root, let object = objects[path] else { return }
        for child in object.children.reversed() { remove(child.path) }
        announceChanges(of: object)
        objects[path] = nil
        object.parent?.children.removeAll { $0 === object }
        // gdbus takes the own interfaces first and the generic ones last, and lists the latest first; what was added
        // and removed in one turn the bus never hears of.
        let known = object.interfaces.filter { interface in !object.added.contains { $0 === interface } }
        object.added = []
        let names = known.map(\.description.name)
        let generic = [BusNames.properties, BusNames.introspectable]
        let own = Array(names.filter { !generic.contains($0) }.reversed())
        object.removed = generic.filter(names.contains) + own + object.removed
        if !object.removed.isEmpty { enqueue(object) }
    }

    /// Adds an interface to an object that has been exported before.
    func add(_ interface: any SimulatedInterface, to path: ObjectPath) {
        guard let object = objects[path] else { return }
        object.append(interface)
        enqueue(object)
    }

    /// Takes one interface of an object back.
    func remove(_ interface: any SimulatedInterface, from path: ObjectPath) {
        guard let object = objects[path] else { return }
        announceChanges(of: object)
        if object.remove(interface) { enqueue(object) }
    }

    /// Drops what was to be announced: for objects that were there before anybody could listen.
    func forgetPending() {
        for object in pending {
            object.added = []
            object.isPending = false
            _ = object.takeChanges()
        }
        pending = []
        idle = []
    }

    /// Announces all objects, as a daemon does that has just come to a bus where somebody may be listening.
    func announceAll() {
        func announceNew(_ object: SimulatedObject) {
            object.added = object.interfaces
            announceAdded(object)
            for child in object.children.reversed() { announceNew(child) }
        }
        for child in root.children.reversed() { announceNew(child) }
    }

    /// Forgets everything without a word, as a daemon that has left the bus.
    func clear() {
        objects = [.root: root]
        root.children = []
        pending = []
        idle = []
    }

    /// Has a property announced.
    ///
    /// A value that the object no longer has is announced as invalidated.
    ///
    /// - Parameters:
    ///   - path: the object.
    ///   - interface: the one that has the property.
    ///   - property: its name.
    ///   - now: without waiting for the end of the turn, as bluetoothd does it for each `Value`.
    func changed(_ path: ObjectPath, _ interface: any SimulatedInterface, _ property: String, now: Bool = false) {
        // An interface that is yet to be announced will be with its present values.
        guard let object = objects[path], !object.added.contains(where: { $0 === interface }) else { return }
        object.note(property, of: interface)
        if now { announceChanges(of: object) } else { enqueue(object) }
    }

    /// Announces what is due.
    func flush() {
        guard !pending.isEmpty else { return }
        let due = pending
        pending = []
        idle = []
        for object in due { announce(object) }
    }

    func send(_ message: DBusMessage) { output(message) }

    /// Announces what is true or not, after what is due.
    func announce(_ path: ObjectPath, _ interface: String, _ changed: [(String, DBusValue)], _ invalidated: [String]) {
        flush()
        signal(
            path,
            BusNames.properties,
            "PropertiesChanged",
            .string(interface),
            .properties(changed),
            .strings(invalidated)
        )
    }

    /// The answer of `GetManagedObjects`.
    func managedObjects() -> DBusValue {
        var entries: [DBusValue.Entry] = []
        func append(_ object: SimulatedObject) {
            entries.append(.init(.path(object.path), Self.dictionary(of: object, object.interfaces)))
            for child in object.children { append(child) }
        }
        for child in root.children { append(child) }
        return .dictionary(key: "o", value: "a{sa{sv}}", entries)
    }

    private func nearestAncestor(of path: ObjectPath) -> SimulatedObject {
        var parent = path.parent
        while true {
            if let object = objects[parent] { return object }
            if parent == .root { return root }
            parent = parent.parent
        }
    }

    private func enqueue(_ object: SimulatedObject) {
        if !object.isPending { pending.append(object) }
        object.isPending = true
        lastChange += 1
        object.lastChange = lastChange
        idle.append((object, lastChange))
        guard timer == nil else { return }
        timer = loop.schedule(at: overdue) { [weak self] in self?.endTurn() }
    }

    private func endTurn() {
        timer = nil
        let due = idle
        pending = []
        idle = []
        for (object, change) in due where object.lastChange == change { announce(object) }
    }

    private func announce(_ object: SimulatedObject) {
        object.isPending = false
        if !object.added.isEmpty { announceAdded(object) }
        announceChanges(of: object)
        guard !object.removed.isEmpty else { return }
        let names = object.removed
        object.removed = []
        signal(.root, BusNames.objectManager, "InterfacesRemoved", .path(object.path), .strings(names))
    }

    private func announceAdded(_ object: SimulatedObject) {
        if let parent = object.parent, !parent.added.isEmpty { announceAdded(parent) }
        let interfaces = object.added
        object.added = []
        let dictionary = Self.dictionary(of: object, interfaces)
        signal(.root, BusNames.objectManager, "InterfacesAdded", .path(object.path), dictionary)
    }

    private func announceChanges(of object: SimulatedObject) {
        for (interface, names) in object.takeChanges() {
            var values: [(String, DBusValue)] = []
            var invalidated: [String] = []
            for name in names {
                if let value = interface.value(of: name) {
                    values.append((name, value))
                } else {
                    invalidated.insert(name, at: 0)
                }
            }
            signal(
                object.path,
                BusNames.properties,
                "PropertiesChanged",
                .string(interface.description.name),
                .properties(values),
                .strings(invalidated)
            )
        }
    }

    private func signal(_ path: ObjectPath, _ interface: String, _ member: String, _ arguments: DBusValue...) {
        do throws(DBusFailure) {
            let message = try DBusMessage.signal(path, interface, member)
            try message.append { (writer) throws(DBusFailure) in
                for argument in arguments { try writer.append(argument) }
            }
            output(message)
        } catch {
            // Names and values are the simulator's own; only a lack of memory ends here.
            return
        }
    }

    private static func dictionary(of object: SimulatedObject, _ interfaces: [any SimulatedInterface]) -> DBusValue {
        let entries = interfaces.map { interface in
            DBusValue.Entry(.string(interface.description.name), .properties(object.properties(of: interface)))
        }
        return .dictionary(key: "s", value: "a{sv}", entries)
    }
}
