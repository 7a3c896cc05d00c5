/// How much a manager has under way: nothing of it stays when all operations and observers have ended.
package struct ManagerLoad: Sendable, Equatable {
    /// Operations that wait for something.
    package var waits = 0
    /// Calls for devices that have no answer yet.
    package var calls = 0
    /// Characteristics that somebody has subscribed to, or whose subscription is being ended.
    package var subscriptions = 0
    /// Observers of events and advertisements.
    package var observers = 0
    /// Whether somebody wants to hear advertisements.
    package var isListening = false

    package init() {}
}

extension BluetoothManager {
    /// How much is under way now.
    package var load: ManagerLoad {
        var load = ManagerLoad()
        load.waits = stateProbes.count + links.values.reduce(0) { $0 + $1.waits }
        load.calls = links.values.reduce(0) { $0 + $1.callsOut }
        load.subscriptions = notifiers.count
        load.observers = events.count + reports.count
        load.isListening = !demands.isEmpty
        return load
    }

    /// How many devices something is kept of beyond what BlueZ tells.
    package var keptLinks: Int { links.count }
}
