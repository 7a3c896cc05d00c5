internal import DBus

/// One object of the tree, with its interfaces in the order in which gdbus lists them.
final class SimulatedObject {
    let path: ObjectPath
    private(set) var interfaces: [any SimulatedInterface]
    /// Children, newest first: the order in which gdbus walks them.
    var children: [SimulatedObject] = []
    weak var parent: SimulatedObject?

    /// Whether the tree has this object in its list of those with something to announce.
    var isPending = false
    /// The number of the last change, by which the tree orders announcements.
    var lastChange: UInt64 = 0

    /// What is yet to be told to the bus about this object.
    var added: [any SimulatedInterface] = []
    var removed: [String] = []
    private(set) var changed: [(interface: any SimulatedInterface, properties: [String])] = []

    init(_ path: ObjectPath, _ interfaces: [any SimulatedInterface]) {
        self.path = path
        self.interfaces = interfaces
        added = interfaces
    }

    func interface(named name: String) -> (any SimulatedInterface)? {
        interfaces.first { $0.description.name == name }
    }

    func append(_ interface: any SimulatedInterface) {
        interfaces.append(interface)
        added.append(interface)
    }

    /// Removes an interface; true when the bus has heard of it and is to be told.
    func remove(_ interface: any SimulatedInterface) -> Bool {
        guard interfaces.contains(where: { $0 === interface }) else { return false }
        interfaces.removeAll { $0 === interface }
        if added.contains(where: { $0 === interface }) {
            added.removeAll { $0 === interface }
            return false
        }
        removed.insert(interface.description.name, at: 0)
        return true
    }

    /// Notes that a property is to be announced, once.
    func note(_ property: String, of interface: any SimulatedInterface) {
        if let index = changed.firstIndex(where: { $0.interface === interface }) {
            guard !changed[index].properties.contains(property) else { return }
            changed[index].properties.append(property)
        } else {
            changed.append((interface, [property]))
        }
    }

    func takeChanges() -> [(interface: any SimulatedInterface, properties: [String])] {
        let taken = changed
        changed = []
        return taken
    }

    /// The properties that an interface has now, in the order of its description.
    func properties(of interface: any SimulatedInterface) -> [(String, DBusValue)] {
        interface.description.properties.compactMap { property in
            interface.value(of: property.name).map { (property.name, $0) }
        }
    }
}
