internal import DBus

/// The library through which this process reaches the bus.
package enum BusLibrary {
    /// libdbus's version: `1.14.10`.
    package static var version: String { DBusLibrary.version }
}
